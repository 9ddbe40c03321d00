"""Bluesky's public post search, as a second source.

Its search knows no OR, so a goal is asked for by the player's most telling name with one alias at a time, and the
texts are checked here. A video is offered to viewers as a stream only; the file that was uploaded lies in its author's
repository, from where it can be fetched as MP4. Authors whose repository is not hosted by Bluesky cannot be fetched
from: their host could be any.

The public search is closed at times to hold off robots. That is Blocked, and nothing is asked for a while after it.
With an account the questions go through its session, which is not shut out; if the account is refused, they are asked
publicly.
"""

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from found_footy.discovery.bluesky_session import BlueskySession
from found_footy.discovery.bluesky_wire import (
    BAD_REQUEST,
    OK,
    REFUSED,
    REST_WHEN_REFUSED,
    SYSTEM,
    TOO_MANY,
    Rest,
    error_name,
    object_of,
    part,
    text,
    told_wait,
)
from found_footy.discovery.search_errors import Blocked
from found_footy.discovery.sources import Found, Wanted
from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.ids import fold
from found_footy.platform.errors import BadInput, Denied, Malformed, NotFound, OutsideError, RateLimited, Unavailable
from found_footy.platform.http import HttpAnswer, SafeHttp

NAME = "bluesky"
# Where blobs are served from: the entry point redirects to the author's own machine.
BLOB_HOSTS = ("bsky.social", "*.host.bsky.network")
MOST_QUERIES = 3
_MOST_RESULTS = 100
_LONGEST_TEXT = 500
_DID = re.compile(r"did:(?:plc:[a-z2-7]{24}|web:[A-Za-z0-9.%-]{1,200})")
_CID = re.compile(r"b[a-z2-7]{20,120}")
_URI = re.compile(r"at://(did:[^/]+)/app\.bsky\.feed\.post/([A-Za-z0-9._~:-]{1,60})")
_PAGE = re.compile(r"/profile/([^/]+)/post/([A-Za-z0-9._~:-]{1,60})/?")
_HANDLE = re.compile(r"[A-Za-z0-9.:%-]{3,253}")


def queries(names: Sequence[str], teams: Sequence[str]) -> tuple[str, ...]:
    """The player's last name with each of the first aliases: `Wirtz Liverpool`, `Wirtz LFC`, …"""
    player = _quoted(names[-1]) if names else "goal"
    return tuple(dict.fromkeys(f"{player} {_quoted(team)}" for team in teams[:MOST_QUERIES])) or (player,)


def mentions(text: str, terms: Sequence[str]) -> bool:
    """Whether one of the terms stands in the text, as whole words; hashtags count. True without terms."""
    words = f" {_spaced(text)} "
    return not terms or any(f" {_spaced(term)} " in words for term in terms if _spaced(term))


class Bluesky:
    name = NAME

    def __init__(
        self,
        http: SafeHttp,
        base: str,
        blob_base: str,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        session: BlueskySession | None = None,
    ) -> None:
        self._http = http
        self._base = base.rstrip("/")
        self._blob_base = blob_base.rstrip("/")
        self._now = now
        self._rest = Rest(clock)
        self._session = session

    async def find(self, wanted: Wanted) -> Found:
        since = wanted.cutoff(self._now())
        videos: dict[str, FoundVideo] = {}
        for query in queries(wanted.names, wanted.teams):
            for video in await self._search(query, since, wanted.limit):
                if video.url not in wanted.known and _fits(video, wanted, since):
                    videos.setdefault(video.url, video)
        return Found(tuple(videos.values())[: wanted.limit])

    async def post(self, page: str) -> FoundVideo:
        """The video of one post, by the address of its page. BadInput or NotFound if there is none."""
        found = _PAGE.fullmatch(urlsplit(page).path)
        if found is None or not _HANDLE.fullmatch(found[1]):
            raise BadInput(f"{page} is not the address of a Bluesky post")
        params = {"uri": f"at://{found[1]}/app.bsky.feed.post/{found[2]}", "depth": 0, "parentHeight": 0}
        thread = part(object_of(await self._get("app.bsky.feed.getPostThread", params)), "thread")
        if "post" not in thread:
            raise NotFound(f"{page}: there is no such post")
        video = self._video(thread["post"])
        if video is None:
            raise BadInput(f"{page} has no video that can be fetched")
        return video

    async def _search(self, query: str, since: datetime, limit: int) -> Iterator[FoundVideo]:
        params = {
            "q": query, "sort": "latest", "limit": min(limit * 2, _MOST_RESULTS),
            "since": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }  # fmt: skip
        try:
            posts = _posts(await self._get("app.bsky.feed.searchPosts", params))
        except NotFound as error:
            raise Malformed(SYSTEM, "its search answers as if a post had been asked for") from error
        return (video for post in posts if (video := self._video(post)) is not None)

    async def _get(self, method: str, params: Mapping[str, Any]) -> Any:
        answer = await self._asked(method, params)
        if answer.status != OK:
            raise self._refused(answer)
        return answer.json()

    async def _asked(self, method: str, params: Mapping[str, Any]) -> HttpAnswer:
        if self._session is not None:
            # The session tells why the account is refused; the public search may be open all the same.
            with contextlib.suppress(Denied, RateLimited):
                return await self._session.get(method, params)
        self._rest.check()
        return await self._http.request("GET", f"{self._base}/xrpc/{method}", params=params)

    def _refused(self, answer: HttpAnswer) -> OutsideError:
        if answer.status == TOO_MANY:
            wait = told_wait(answer.headers, self._now())
            return self._rest.begin(RateLimited(SYSTEM, "asks us to slow down", wait), wait)
        if answer.status == BAD_REQUEST and error_name(answer) == "NotFound":
            raise NotFound("Bluesky has no such post")
        if answer.status in REFUSED:
            return self._rest.begin(Blocked(SYSTEM, "the public search is closed at the moment"), REST_WHEN_REFUSED)
        return Unavailable(SYSTEM, f"status {answer.status}")

    def _video(self, post: Any) -> FoundVideo | None:
        """None for a post without a video, or with anything in it that would not make a proper address.

        A post without a video of its own shows the one of the post that it quotes. That one is found then, with its own
        address and time, and the words of both.
        """
        shown = post if isinstance(post, dict) else {}
        own = self._found(shown, _video_view(shown.get("embed")), part(shown, "record"))
        quoted = _quoted_post(shown.get("embed"))
        if own is not None or quoted is None:
            return own
        views = quoted.get("embeds")
        view = next(filter(None, map(_video_view, views if isinstance(views, list) else ())), None)
        said = text(part(shown, "record").get("text"))
        return self._found(quoted, view, part(quoted, "value"), said)

    def _found(
        self, post: Mapping[str, Any], view: Mapping[str, Any] | None, record: Mapping[str, Any], said: str = ""
    ) -> FoundVideo | None:
        uri = _URI.fullmatch(text(post.get("uri")))
        if uri is None or view is None or not _DID.fullmatch(uri[1]) or not _CID.fullmatch(text(view.get("cid"))):
            return None
        ratio = part(view, "aspectRatio")
        blob = f"{self._blob_base}/xrpc/com.atproto.sync.getBlob?did={quote(uri[1], safe='')}&cid={view['cid']}"
        words = f"{said} {text(record.get('text'))}".strip()
        return FoundVideo(
            url=f"https://bsky.app/profile/{uri[1]}/post/{uri[2]}",
            tweet_id=uri[2],
            author=text(part(post, "author").get("handle"))[:_LONGEST_TEXT],
            posted_at=_time(post.get("indexedAt")) or _time(record.get("createdAt")),
            duration_seconds=None,
            text=words[:_LONGEST_TEXT],
            variants=(VideoVariant(blob, 0, _whole(ratio.get("width")), _whole(ratio.get("height"))),),
            source=NAME,
        )


def _fits(video: FoundVideo, wanted: Wanted, since: datetime) -> bool:
    old = video.posted_at is not None and video.posted_at < since
    return not old and mentions(video.text, wanted.names) and mentions(video.text, wanted.teams)


def _posts(body: Any) -> Sequence[Any]:
    posts = object_of(body).get("posts")
    if not isinstance(posts, list):
        raise Malformed(SYSTEM, "the answer has no list of posts")
    return posts


def _video_view(embed: Any) -> Mapping[str, Any] | None:
    """The video of a post, also of one that quotes another. A GIF is somebody's face, not a clip."""
    kind = embed.get("$type") if isinstance(embed, dict) else None
    if kind == "app.bsky.embed.recordWithMedia#view":
        return _video_view(embed.get("media"))
    return embed if kind == "app.bsky.embed.video#view" and embed.get("presentation") != "gif" else None


def _quoted_post(embed: Any) -> Mapping[str, Any] | None:
    """The post that a post quotes, as far as it is shown: not one that is gone, hidden, or no post at all."""
    kind = embed.get("$type") if isinstance(embed, dict) else None
    if kind == "app.bsky.embed.recordWithMedia#view":
        return _quoted_post({"$type": "app.bsky.embed.record#view", **part(embed, "record")})
    quoted = part(embed, "record") if kind == "app.bsky.embed.record#view" else {}
    return quoted if quoted.get("$type") == "app.bsky.embed.record#viewRecord" else None


def _quoted(term: str) -> str:
    clean = _spaced(term)
    return f'"{clean}"' if " " in clean else clean or "goal"


def _spaced(text: str) -> str:
    """Folded words in lower case with single blanks between them."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", fold(text).lower()).split())


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 100_000 else 0


def _time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None
