"""The simulated Bluesky on the wire."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from found_footy.sim.bluesky.posts import Post
from found_footy.sim.bluesky.sessions import Sessions

Json = dict[str, Any]
_WORD = re.compile(r"\w+")
_TERMS = re.compile(r'"([^"]+)"|(\S+)')


class Breaks(StrEnum):
    """What can be wrong with an answer of the search."""

    CLOSED = "closed"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    PAGE = "page"
    NO_LIST = "no_list"
    BAD_QUERY = "bad_query"


class PostSource(Protocol):
    """Whoever invents the world: the posts there are now, and the answer to a request for the file of one."""

    def posts(self) -> Iterable[Post]: ...

    async def video(self, post: Post) -> Response: ...


class BlueskySite:
    """Search and posts below `/xrpc`, as the AppView has them; the blobs there redirect to `/pds`, as the entry point
    does. A cursor is refused to whoever is not logged in. `accounts` are passwords by handle: who logs in with one
    searches at `/pds`, whatever is broken in public. Besides `posts` there are those of `source`, whose files it hands
    out itself.
    """

    def __init__(
        self, posts: Iterable[Post] = (), *, accounts: Mapping[str, str] | None = None, source: PostSource | None = None
    ) -> None:
        self.posts = list(posts)
        self._source = source
        self.asked: list[Json] = []
        self.asked_logged_in: list[Json] = []
        self.broken: Breaks | None = None
        self.reset_in = 60
        self.sessions = Sessions(accounts or {})
        blob = "xrpc/com.atproto.sync.getBlob"
        self.app = Starlette(
            routes=[
                Route("/xrpc/app.bsky.feed.searchPosts", self._search),
                Route("/xrpc/app.bsky.feed.getPostThread", self._thread),
                Route("/xrpc/com.atproto.server.createSession", self.sessions.create, methods=["POST"]),
                Route("/pds/xrpc/com.atproto.server.refreshSession", self.sessions.refresh, methods=["POST"]),
                Route("/pds/xrpc/app.bsky.feed.searchPosts", self._search_logged_in),
                Route(f"/{blob}", self._entrance),
                Route(f"/pds/{blob}", self._blob),
            ]
        )

    async def _search(self, request: Request) -> Response:
        asked = dict(request.query_params)
        self.asked.append(asked)
        if self.broken is not None:
            return self._wrong(self.broken)
        if "cursor" in asked:
            return HTMLResponse("<html>Request forbidden by administrative rules.</html>", 403)
        return self._found(asked)

    async def _search_logged_in(self, request: Request) -> Response:
        asked = dict(request.query_params)
        self.asked_logged_in.append(asked)
        return self.sessions.objection(request) or self._found(asked)

    def _found(self, asked: Json) -> Response:
        if not asked.get("q"):
            return JSONResponse({"error": "InvalidRequest", "message": 'Error: Params must have the property "q"'}, 400)
        since = asked.get("since")
        found = [p for p in self._all() if _matches(p, asked["q"]) and (not since or p.posted_at >= _time(since))]
        found.sort(key=lambda post: post.posted_at, reverse=True)
        limit = int(asked.get("limit", "25"))
        return JSONResponse({"posts": [post.view() for post in found[:limit]], "hitsTotal": len(found)})

    async def _thread(self, request: Request) -> Response:
        uri = request.query_params.get("uri", "")
        for post in self._all():
            if uri in (post.uri, post.uri.replace(post.did, post.handle)):
                shown = {"$type": "app.bsky.feed.defs#threadViewPost", "post": post.view()}
                return JSONResponse({"thread": shown})
        return JSONResponse({"error": "NotFound", "message": f"Post not found: {uri}"}, 400)

    async def _entrance(self, request: Request) -> Response:
        mounted = str(request.scope.get("root_path", ""))
        path = request.url.path.removeprefix(mounted)
        return RedirectResponse(f"{mounted}/pds{path}?{request.url.query}", 302)

    async def _blob(self, request: Request) -> Response:
        did, cid = request.query_params.get("did"), request.query_params.get("cid")
        for post in (shown for each in self._all() for shown in (each, each.quoted) if shown):
            if post.blob is not None and (post.did, post.blob) == (did, cid):
                return await self._file(post)
        return JSONResponse({"error": "InvalidRequest", "message": "Blob not found"}, 400)

    def _all(self) -> list[Post]:
        return [*self.posts, *(self._source.posts() if self._source else ())]

    async def _file(self, post: Post) -> Response:
        if post.video is not None or self._source is None:
            return Response(post.video, media_type="video/mp4")
        return await self._source.video(post)

    def _wrong(self, breaks: Breaks) -> Response:
        reset = str(int(datetime.now(UTC).timestamp()) + self.reset_in)
        limits = {"ratelimit-limit": "3000", "ratelimit-remaining": "0", "ratelimit-reset": reset}
        answers: dict[Breaks, Response] = {
            Breaks.CLOSED: HTMLResponse("<html><title>403 Forbidden</title></html>", 403),
            Breaks.RATE_LIMITED: JSONResponse({"error": "RateLimitExceeded"}, 429, limits),
            Breaks.SERVER_ERROR: JSONResponse({"error": "UpstreamFailure"}, 502),
            Breaks.PAGE: HTMLResponse("<html>maintenance</html>"),
            Breaks.NO_LIST: JSONResponse({"hitsTotal": 0}),
            Breaks.BAD_QUERY: JSONResponse({"error": "BadQueryString"}, 400),
        }
        return answers[breaks]


def _matches(post: Post, query: str) -> bool:
    """Whole words, without case and accents, as the search there finds them."""
    text = f" {_plain(post.text)} "
    return all(f" {_plain(phrase or word)} " in text for phrase, word in _TERMS.findall(query))


def _plain(text: str) -> str:
    folded = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(_WORD.findall(folded))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
