"""Bluesky's public post search, as a second source.

Its search knows no OR, so a goal is asked for by the player's most telling name with one alias at a time, and the
texts are checked here. A video is offered to viewers as a stream only; the file that was uploaded lies in its author's
repository, from where it can be fetched as MP4. Authors whose repository is not hosted by Bluesky cannot be fetched
from: their host could be any.

The public search is closed at times to hold off robots. That is Blocked, and nothing is asked for a while after it.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

from found_footy.discovery.search_errors import Blocked
from found_footy.discovery.sources import Found, Wanted
from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.ids import fold
from found_footy.platform.errors import BadInput, Malformed, NotFound, OutsideError, RateLimited, Unavailable
from found_footy.platform.http import HttpAnswer, SafeHttp

SYSTEM = "Bluesky"
NAME = "bluesky"
# Where blobs are served from: the entry point redirects to the author's own machine.
BLOB_HOSTS = ("bsky.social", "*.host.bsky.network")
MOST_QUERIES = 3
_OK, _BAD_REQUEST, _TOO_MANY = 200, 400, 429
_CLOSED = (401, 403)
_MOST_RESULTS = 100
_REST_WHEN_CLOSED = 900.0
_DEFAULT_WAIT = 60.0
_LONGEST_WAIT = 3600.0
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
    ) -> None:
        self._http = http
        self._base = base.rstrip("/")
        self._blob_base = blob_base.rstrip("/")
        self._clock = clock
        self._now = now
        self._closed_until = 0.0
        self._closed_by: OutsideError | None = None

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
        thread = _part(_object(await self._get("app.bsky.feed.getPostThread", params)), "thread")
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
        if self._closed_by is not None and self._clock() < self._closed_until:
            raise self._closed_by
        answer = await self._http.request("GET", f"{self._base}/xrpc/{method}", params=params)
        if answer.status != _OK:
            raise self._refused(answer)
        return answer.json()

    def _refused(self, answer: HttpAnswer) -> OutsideError:
        if answer.status == _TOO_MANY:
            wait = _told_wait(answer.headers, self._now())
            return self._close(RateLimited(SYSTEM, "asks us to slow down", wait), wait)
        if answer.status == _BAD_REQUEST and _error_name(answer) == "NotFound":
            raise NotFound("Bluesky has no such post")
        if answer.status in _CLOSED:
            return self._close(Blocked(SYSTEM, "the public search is closed at the moment"), _REST_WHEN_CLOSED)
        return Unavailable(SYSTEM, f"status {answer.status}")

    def _close(self, error: OutsideError, seconds: float) -> OutsideError:
        self._closed_by, self._closed_until = error, self._clock() + seconds
        return error

    def _video(self, post: Any) -> FoundVideo | None:
        """None for a post without a video, or with anything in it that would not make a proper address."""
        uri = _URI.fullmatch(_text(post.get("uri"))) if isinstance(post, dict) else None
        view = _video_view(post.get("embed")) if uri else None
        if uri is None or view is None or not _DID.fullmatch(uri[1]) or not _CID.fullmatch(_text(view.get("cid"))):
            return None
        author, record = _part(post, "author"), _part(post, "record")
        ratio = _part(view, "aspectRatio")
        blob = f"{self._blob_base}/xrpc/com.atproto.sync.getBlob?did={quote(uri[1], safe='')}&cid={view['cid']}"
        return FoundVideo(
            url=f"https://bsky.app/profile/{uri[1]}/post/{uri[2]}",
            tweet_id=uri[2],
            author=_text(author.get("handle"))[:_LONGEST_TEXT],
            posted_at=_time(post.get("indexedAt")) or _time(record.get("createdAt")),
            duration_seconds=None,
            text=_text(record.get("text"))[:_LONGEST_TEXT],
            variants=(VideoVariant(blob, 0, _whole(ratio.get("width")), _whole(ratio.get("height"))),),
            source=NAME,
        )


def _fits(video: FoundVideo, wanted: Wanted, since: datetime) -> bool:
    old = video.posted_at is not None and video.posted_at < since
    return not old and mentions(video.text, wanted.names) and mentions(video.text, wanted.teams)


def _error_name(answer: HttpAnswer) -> str:
    try:
        return _text(_object(answer.json()).get("error"))
    except Malformed:
        return ""


def _object(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, dict):
        raise Malformed(SYSTEM, "the answer is not an object")
    return body


def _posts(body: Any) -> Sequence[Any]:
    posts = _object(body).get("posts")
    if not isinstance(posts, list):
        raise Malformed(SYSTEM, "the answer has no list of posts")
    return posts


def _video_view(embed: Any) -> Mapping[str, Any] | None:
    """The video of a post, also of one that quotes another."""
    kind = embed.get("$type") if isinstance(embed, dict) else None
    if kind == "app.bsky.embed.recordWithMedia#view":
        return _video_view(embed.get("media"))
    return embed if kind == "app.bsky.embed.video#view" else None


def _told_wait(headers: Mapping[str, str], now: datetime) -> float:
    after, reset = headers.get("retry-after", ""), headers.get("ratelimit-reset", "")
    if after.isdecimal() and len(after) < 7:
        return min(float(after), _LONGEST_WAIT)
    if reset.isdecimal() and len(reset) < 12:
        return min(max(int(reset) - now.timestamp(), 1.0), _LONGEST_WAIT)
    return _DEFAULT_WAIT


def _quoted(term: str) -> str:
    clean = _spaced(term)
    return f'"{clean}"' if " " in clean else clean or "goal"


def _spaced(text: str) -> str:
    """Folded words in lower case with single blanks between them."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", fold(text).lower()).split())


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _text(value: Any) -> str:
    """Text that every store and wire can carry: JSON may hold halves of characters."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 100_000 else 0


def _time(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None
