"""Bluesky's public post search, as a second source.

Its search has no OR, so a goal is searched by the player's most distinctive name with one alias at a time, and the
texts are checked here. Viewers get a video only as a stream; the uploaded file is in its author's repository, from
where it can be fetched as MP4. Repositories that Bluesky does not host are not fetched from: their host could be
any.

The public search is closed at times to keep robots out. That raises Blocked and starts a cooldown. With an account
the requests use its session, which is not shut out; if the account is refused, the public search is used.
"""

import contextlib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

from found_footy.discovery.sources.base import SourceRequest, SourceResult
from found_footy.discovery.sources.bluesky_session import BlueskySession
from found_footy.discovery.sources.bluesky_wire import (
    BAD_REQUEST,
    OK,
    REFUSAL_COOLDOWN_SECONDS,
    REFUSED_STATUSES,
    SYSTEM,
    TOO_MANY_REQUESTS,
    BlueskyQuote,
    PostView,
    error_name,
    parse_post_list,
    parse_rate_limit_wait,
    parse_thread,
)
from found_footy.discovery.sources.errors import Blocked
from found_footy.domain.ids import fold_to_ascii
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.platform.clock import Clock, MonotonicClock, utc_now
from found_footy.platform.errors import (
    BadInput,
    Denied,
    ExternalSystemError,
    Malformed,
    NotFound,
    RateLimited,
    Unavailable,
)
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.http.cooldown import Cooldown
from found_footy.platform.wire import parse_or_none

SOURCE_NAME = "bluesky"
# Hosts that serve blobs: the entry point redirects to the author's server.
BLOB_HOSTS = ("bsky.social", "*.host.bsky.network")
MAX_QUERIES = 3
_MAX_RESULTS = 100
_MAX_TEXT_LENGTH = 500
_POST_PAGE_PATH = re.compile(r"/profile/([^/]+)/post/([A-Za-z0-9._~:-]{1,60})/?")
_HANDLE = re.compile(r"[A-Za-z0-9.:%-]{3,253}")


def build_queries(names: Sequence[str], teams: Sequence[str]) -> tuple[str, ...]:
    """The player's last name with each of the first aliases: `Wirtz Liverpool`, `Wirtz LFC`, …"""
    player = _quote_term(names[-1]) if names else "goal"
    return tuple(dict.fromkeys(f"{player} {_quote_term(team)}" for team in teams[:MAX_QUERIES])) or (player,)


def has_any_term(text: str, terms: Sequence[str]) -> bool:
    """Whether the text contains one of the terms as whole words; hashtags count. True without terms."""
    words = f" {_normalize_words(text)} "
    return not terms or any(f" {_normalize_words(term)} " in words for term in terms if _normalize_words(term))


class BlueskySource:
    name = SOURCE_NAME

    def __init__(
        self,
        http: SafeHttpClient,
        base: str,
        blob_base: str,
        clock: MonotonicClock = time.monotonic,
        now: Clock = utc_now,
        session: BlueskySession | None = None,
    ) -> None:
        self._http = http
        self._base = base.rstrip("/")
        self._blob_base = blob_base.rstrip("/")
        self._now = now
        self._cooldown = Cooldown(clock)
        self._session = session

    async def find_candidates(self, request: SourceRequest) -> SourceResult:
        since = request.cutoff(self._now())
        videos: dict[str, ClipCandidate] = {}
        for query in build_queries(request.names, request.teams):
            for video in await self._search_posts(query, since, request.limit):
                if video.url not in request.known_urls and _is_match(video, request, since):
                    videos.setdefault(video.url, video)
        return SourceResult(tuple(videos.values())[: request.limit])

    async def fetch_post(self, page: str) -> ClipCandidate:
        """The video of one post, by the URL of its page. BadInput or NotFound if there is none."""
        found = _POST_PAGE_PATH.fullmatch(urlsplit(page).path)
        if found is None or not _HANDLE.fullmatch(found[1]):
            raise BadInput(f"{page} is not the address of a Bluesky post")
        params = {"uri": f"at://{found[1]}/app.bsky.feed.post/{found[2]}", "depth": 0, "parentHeight": 0}
        thread = parse_thread(await self._get_json("app.bsky.feed.getPostThread", params))
        if not thread.has_post:
            raise NotFound(f"{page}: there is no such post")
        video = self._parse_post(thread.post)
        if video is None:
            raise BadInput(f"{page} has no video that can be fetched")
        return video

    async def _search_posts(self, query: str, since: datetime, limit: int) -> Iterator[ClipCandidate]:
        params = {
            "q": query,
            "sort": "latest",
            "limit": min(limit * 2, _MAX_RESULTS),
            "since": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        try:
            posts = parse_post_list(await self._get_json("app.bsky.feed.searchPosts", params))
        except NotFound as error:
            raise Malformed(SYSTEM, "its search answers with an error of the post look-up") from error
        return (video for post in posts if (video := self._find_video(post)) is not None)

    async def _get_json(self, method: str, params: Mapping[str, Any]) -> Any:
        answer = await self._send_request(method, params)
        if answer.status != OK:
            raise self._refusal_error(answer)
        return answer.json()

    async def _send_request(self, method: str, params: Mapping[str, Any]) -> HttpResponse:
        if self._session is not None:
            # The session logs why the account is refused; the public search may still be open.
            with contextlib.suppress(Denied, RateLimited):
                return await self._session.get(method, params)
        self._cooldown.raise_if_active()
        return await self._http.request("GET", f"{self._base}/xrpc/{method}", params=params)

    def _refusal_error(self, answer: HttpResponse) -> ExternalSystemError:
        if answer.status == TOO_MANY_REQUESTS:
            wait = parse_rate_limit_wait(answer.headers, self._now())
            return self._start_cooldown(wait, RateLimited(SYSTEM, "rate limited", wait))
        if answer.status == BAD_REQUEST and error_name(answer) == "NotFound":
            raise NotFound("Bluesky has no such post")
        if answer.status in REFUSED_STATUSES:
            refusal = Blocked(SYSTEM, "the public search refuses requests at the moment")
            return self._start_cooldown(REFUSAL_COOLDOWN_SECONDS, refusal)
        return Unavailable(SYSTEM, f"status {answer.status}")

    def _start_cooldown(self, seconds: float, error: ExternalSystemError) -> ExternalSystemError:
        self._cooldown.start(seconds, error)
        return error

    def _parse_post(self, body: Any) -> ClipCandidate | None:
        """None for a post without a video, or with values that do not form a valid URL."""
        post = parse_or_none(PostView, body)
        return self._find_video(post) if post else None

    def _find_video(self, post: PostView) -> ClipCandidate | None:
        """A post without a video of its own shows that of the post it quotes. Then the candidate is the quoted post,
        with its own URL and time, and the text of both.
        """
        own = self._build_candidate(post, post.record.text)
        if own is not None or post.quoted is None:
            return own
        return self._build_candidate(post.quoted, f"{post.record.text} {post.quoted.record.text}")

    def _build_candidate(self, post: PostView | BlueskyQuote, words: str) -> ClipCandidate | None:
        place, view = post.repository_and_key, post.video
        if place is None or view is None:
            return None
        did, key = place
        blob = f"{self._blob_base}/xrpc/com.atproto.sync.getBlob?did={quote(did, safe='')}&cid={view.cid}"
        return ClipCandidate(
            url=f"https://bsky.app/profile/{did}/post/{key}",
            tweet_id=key,
            author=post.author.handle,
            posted_at=post.indexed_at or post.record.created_at,
            duration_seconds=None,
            text=words.strip()[:_MAX_TEXT_LENGTH],
            variants=(VideoVariant(blob, 0, view.aspect_ratio.width, view.aspect_ratio.height),),
            source=SOURCE_NAME,
        )


def _is_match(video: ClipCandidate, request: SourceRequest, since: datetime) -> bool:
    old = video.posted_at is not None and video.posted_at < since
    return not old and has_any_term(video.text, request.names) and has_any_term(video.text, request.teams)


def _quote_term(term: str) -> str:
    clean = _normalize_words(term)
    return f'"{clean}"' if " " in clean else clean or "goal"


def _normalize_words(text: str) -> str:
    """ASCII words in lower case with single spaces between them."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", fold_to_ascii(text).lower()).split())
