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
    clean_text,
    error_name,
    nested_object,
    parse_rate_limit_wait,
    require_object,
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

SOURCE_NAME = "bluesky"
# Hosts that serve blobs: the entry point redirects to the author's server.
BLOB_HOSTS = ("bsky.social", "*.host.bsky.network")
MAX_QUERIES = 3
_MAX_RESULTS = 100
_MAX_TEXT_LENGTH = 500
_DID = re.compile(r"did:(?:plc:[a-z2-7]{24}|web:[A-Za-z0-9.%-]{1,200})")
_CID = re.compile(r"b[a-z2-7]{20,120}")
_POST_URI = re.compile(r"at://(did:[^/]+)/app\.bsky\.feed\.post/([A-Za-z0-9._~:-]{1,60})")
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
        thread = nested_object(require_object(await self._get_json("app.bsky.feed.getPostThread", params)), "thread")
        if "post" not in thread:
            raise NotFound(f"{page}: there is no such post")
        video = self._parse_post(thread["post"])
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
            posts = _post_list(await self._get_json("app.bsky.feed.searchPosts", params))
        except NotFound as error:
            raise Malformed(SYSTEM, "its search answers with an error of the post look-up") from error
        return (video for post in posts if (video := self._parse_post(post)) is not None)

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

    def _parse_post(self, post: Any) -> ClipCandidate | None:
        """None for a post without a video, or with values that do not form a valid URL.

        A post without a video of its own shows that of the post it quotes. Then the candidate is the quoted post,
        with its own URL and time, and the text of both.
        """
        shown = post if isinstance(post, dict) else {}
        own = self._build_candidate(shown, _video_view(shown.get("embed")), nested_object(shown, "record"))
        quoted = _quoted_post(shown.get("embed"))
        if own is not None or quoted is None:
            return own
        views = quoted.get("embeds")
        view = next(filter(None, map(_video_view, views if isinstance(views, list) else ())), None)
        said = clean_text(nested_object(shown, "record").get("text"))
        return self._build_candidate(quoted, view, nested_object(quoted, "value"), said)

    def _build_candidate(
        self, post: Mapping[str, Any], view: Mapping[str, Any] | None, record: Mapping[str, Any], quoting_text: str = ""
    ) -> ClipCandidate | None:
        uri = _POST_URI.fullmatch(clean_text(post.get("uri")))
        if uri is None or view is None or not _DID.fullmatch(uri[1]) or not _CID.fullmatch(clean_text(view.get("cid"))):
            return None
        ratio = nested_object(view, "aspectRatio")
        blob = f"{self._blob_base}/xrpc/com.atproto.sync.getBlob?did={quote(uri[1], safe='')}&cid={view['cid']}"
        words = f"{quoting_text} {clean_text(record.get('text'))}".strip()
        return ClipCandidate(
            url=f"https://bsky.app/profile/{uri[1]}/post/{uri[2]}",
            tweet_id=uri[2],
            author=clean_text(nested_object(post, "author").get("handle"))[:_MAX_TEXT_LENGTH],
            posted_at=_parse_time(post.get("indexedAt")) or _parse_time(record.get("createdAt")),
            duration_seconds=None,
            text=words[:_MAX_TEXT_LENGTH],
            variants=(
                VideoVariant(blob, 0, _parse_dimension(ratio.get("width")), _parse_dimension(ratio.get("height"))),
            ),
            source=SOURCE_NAME,
        )


def _is_match(video: ClipCandidate, request: SourceRequest, since: datetime) -> bool:
    old = video.posted_at is not None and video.posted_at < since
    return not old and has_any_term(video.text, request.names) and has_any_term(video.text, request.teams)


def _post_list(body: Any) -> Sequence[Any]:
    posts = require_object(body).get("posts")
    if not isinstance(posts, list):
        raise Malformed(SYSTEM, "the answer has no list of posts")
    return posts


def _video_view(embed: Any) -> Mapping[str, Any] | None:
    """The video of a post, also of one that quotes another. GIFs are reactions, not clips."""
    kind = embed.get("$type") if isinstance(embed, dict) else None
    if kind == "app.bsky.embed.recordWithMedia#view":
        return _video_view(embed.get("media"))
    return embed if kind == "app.bsky.embed.video#view" and embed.get("presentation") != "gif" else None


def _quoted_post(embed: Any) -> Mapping[str, Any] | None:
    """The post that a post quotes, unless it is deleted, hidden, or not a post."""
    kind = embed.get("$type") if isinstance(embed, dict) else None
    if kind == "app.bsky.embed.recordWithMedia#view":
        return _quoted_post({"$type": "app.bsky.embed.record#view", **nested_object(embed, "record")})
    quoted = nested_object(embed, "record") if kind == "app.bsky.embed.record#view" else {}
    return quoted if quoted.get("$type") == "app.bsky.embed.record#viewRecord" else None


def _quote_term(term: str) -> str:
    clean = _normalize_words(term)
    return f'"{clean}"' if " " in clean else clean or "goal"


def _normalize_words(text: str) -> str:
    """ASCII words in lower case with single spaces between them."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", fold_to_ascii(text).lower()).split())


def _parse_dimension(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 100_000 else 0


def _parse_time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None
