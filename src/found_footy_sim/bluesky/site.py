"""The HTTP endpoints of the simulated Bluesky."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from found_footy_sim.bluesky.posts import BlueskyPost
from found_footy_sim.bluesky.sessions import BlueskySessions
from found_footy_sim.wall_clock import utc_now

Json = dict[str, Any]
_WORD_PATTERN = re.compile(r"\w+")
_TERM_PATTERN = re.compile(r'"([^"]+)"|(\S+)')


class BlueskyFault(StrEnum):
    """Faults of a search response."""

    CLOSED = "closed"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    PAGE = "page"
    NO_LIST = "no_list"
    BAD_QUERY = "bad_query"


class BlueskyPostSource(Protocol):
    """Supplies the posts that exist now, and the response to a request for a post's file."""

    def posts(self) -> Iterable[BlueskyPost]: ...

    async def video(self, post: BlueskyPost) -> Response: ...


class BlueskySite:
    """Search and posts below `/xrpc`, like the AppView; blobs there redirect to `/pds`, like the entryway. A cursor is
    denied without a log-in. `accounts` are passwords by handle: a logged-in client searches at `/pds`, which public
    faults do not affect. The posts of `source` are added to `posts`; `source` serves their files itself.
    """

    def __init__(
        self,
        posts: Iterable[BlueskyPost] = (),
        *,
        accounts: Mapping[str, str] | None = None,
        source: BlueskyPostSource | None = None,
    ) -> None:
        self.posts = list(posts)
        self._source = source
        self.public_queries: list[Json] = []
        self.logged_in_queries: list[Json] = []
        self.fault: BlueskyFault | None = None
        self.reset_seconds = 60
        self.sessions = BlueskySessions(accounts or {})
        blob = "xrpc/com.atproto.sync.getBlob"
        self.app = Starlette(
            routes=[
                Route("/xrpc/app.bsky.feed.searchPosts", self._search),
                Route("/xrpc/app.bsky.feed.getPostThread", self._get_thread),
                Route("/xrpc/com.atproto.server.createSession", self.sessions.create_session, methods=["POST"]),
                Route("/pds/xrpc/com.atproto.server.refreshSession", self.sessions.refresh_session, methods=["POST"]),
                Route("/pds/xrpc/app.bsky.feed.searchPosts", self._search_logged_in),
                Route(f"/{blob}", self._redirect_to_pds),
                Route(f"/pds/{blob}", self._get_blob),
            ]
        )

    async def _search(self, request: Request) -> Response:
        asked = dict(request.query_params)
        self.public_queries.append(asked)
        if self.fault is not None:
            return self._fault_response(self.fault)
        if "cursor" in asked:
            return HTMLResponse("<html>Request forbidden by administrative rules.</html>", 403)
        return self._search_response(asked)

    async def _search_logged_in(self, request: Request) -> Response:
        asked = dict(request.query_params)
        self.logged_in_queries.append(asked)
        return self.sessions.check_token(request) or self._search_response(asked)

    def _search_response(self, query: Json) -> Response:
        if not query.get("q"):
            return JSONResponse({"error": "InvalidRequest", "message": 'Error: Params must have the property "q"'}, 400)
        since = query.get("since")
        found = [
            p
            for p in self._list_posts()
            if _is_match(p, query["q"]) and (not since or p.posted_at >= _parse_time(since))
        ]
        found.sort(key=lambda post: post.posted_at, reverse=True)
        limit = int(query.get("limit", "25"))
        return JSONResponse({"posts": [post.to_view() for post in found[:limit]], "hitsTotal": len(found)})

    async def _get_thread(self, request: Request) -> Response:
        uri = request.query_params.get("uri", "")
        for post in self._list_posts():
            if uri in (post.uri, post.uri.replace(post.did, post.handle)):
                shown = {"$type": "app.bsky.feed.defs#threadViewPost", "post": post.to_view()}
                return JSONResponse({"thread": shown})
        return JSONResponse({"error": "NotFound", "message": f"Post not found: {uri}"}, 400)

    async def _redirect_to_pds(self, request: Request) -> Response:
        mounted = str(request.scope.get("root_path", ""))
        path = request.url.path.removeprefix(mounted)
        return RedirectResponse(f"{mounted}/pds{path}?{request.url.query}", 302)

    async def _get_blob(self, request: Request) -> Response:
        did, cid = request.query_params.get("did"), request.query_params.get("cid")
        for post in (shown for each in self._list_posts() for shown in (each, each.quoted) if shown):
            if post.blob is not None and (post.did, post.blob) == (did, cid):
                return await self._file_response(post)
        return JSONResponse({"error": "InvalidRequest", "message": "Blob not found"}, 400)

    def _list_posts(self) -> list[BlueskyPost]:
        return [*self.posts, *(self._source.posts() if self._source else ())]

    async def _file_response(self, post: BlueskyPost) -> Response:
        if post.video is not None or self._source is None:
            return Response(post.video, media_type="video/mp4")
        return await self._source.video(post)

    def _fault_response(self, fault: BlueskyFault) -> Response:
        reset = str(int(utc_now().timestamp()) + self.reset_seconds)
        limits = {"ratelimit-limit": "3000", "ratelimit-remaining": "0", "ratelimit-reset": reset}
        answers: dict[BlueskyFault, Response] = {
            BlueskyFault.CLOSED: HTMLResponse("<html><title>403 Forbidden</title></html>", 403),
            BlueskyFault.RATE_LIMITED: JSONResponse({"error": "RateLimitExceeded"}, 429, limits),
            BlueskyFault.SERVER_ERROR: JSONResponse({"error": "UpstreamFailure"}, 502),
            BlueskyFault.PAGE: HTMLResponse("<html>maintenance</html>"),
            BlueskyFault.NO_LIST: JSONResponse({"hitsTotal": 0}),
            BlueskyFault.BAD_QUERY: JSONResponse({"error": "BadQueryString"}, 400),
        }
        return answers[fault]


def _is_match(post: BlueskyPost, query: str) -> bool:
    """Match whole words, ignoring case and accents, as Bluesky's search does."""
    text = f" {_fold_text(post.text)} "
    return all(f" {_fold_text(phrase or word)} " in text for phrase, word in _TERM_PATTERN.findall(query))


def _fold_text(text: str) -> str:
    folded = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(_WORD_PATTERN.findall(folded))


def _parse_time(text: str) -> datetime:
    return datetime.fromisoformat(text)
