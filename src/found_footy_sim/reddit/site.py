"""The HTTP endpoints of the simulated Reddit: Atom feed, token, API."""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Protocol
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from found_footy_sim.reddit.posts import RedditSimPost
from found_footy_sim.wall_clock import WallClock, utc_now

Json = dict[str, Any]
_DEFAULT_PAGE = 25
_MAX_PAGE = 100


class RedditFault(StrEnum):
    """What the lists answer instead of posts."""

    WALL = "wall"
    LOGIN = "login"
    APP_SHELL = "app_shell"
    EMPTY = "empty"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    NOT_A_LIST = "not_a_list"
    REVOKED = "revoked"
    PRIVATE = "private"


class RedditPostSource(Protocol):
    """Supplies the posts that exist now."""

    def posts(self) -> Iterable[RedditSimPost]: ...


class RedditSite:
    """The feed below `/r/soccer`, the API below `/oauth`, as if that were its other host. `keys` are secrets by client
    id; without a valid token the API answers `token_refusal`: 401, or 403 as it is also seen.
    """

    def __init__(
        self,
        posts: Iterable[RedditSimPost] = (),
        *,
        keys: Mapping[str, str] | None = None,
        source: RedditPostSource | None = None,
        now: WallClock = utc_now,
    ) -> None:
        self.posts = list(posts)
        self.fault: RedditFault | None = None
        self.reset_seconds: int | None = 120
        self.retry_after: str | None = None
        self.token_refusal = 401
        self.limited_every = 0
        self.calls: list[Json] = []
        self.user_agents: list[str] = []
        self.tokens: set[str] = set()
        self.comments: dict[str, Any] = {}
        self._keys = dict(keys or {})
        self._source = source
        self._now = now
        self.app = Starlette(
            routes=[
                Route("/r/soccer/new/.rss", self._get_feed),
                Route("/oauth/r/soccer/new", self._get_listing),
                Route("/oauth/comments/{id}", self._get_comments),
                Route("/api/v1/access_token", self._create_token, methods=["POST"]),
                Route("/login/", self._show_login),
            ]
        )

    async def _get_feed(self, request: Request) -> Response:
        self._record_call(request)
        if (fault := self._current_fault()) is not None:
            return self._fault_response(fault, feed=True)
        shown = [post for post in self._list_page(request) if not post.is_removed(self._now())]
        return _feed_response("".join(post.to_entry() for post in shown))

    async def _get_listing(self, request: Request) -> Response:
        self._record_call(request)
        if request.headers.get("authorization", "").removeprefix("bearer ") not in self.tokens:
            return self._refuse_token()
        if (fault := self._current_fault()) is not None:
            return self._fault_response(fault, feed=False)
        page = self._list_page(request)
        after = f"t3_{page[-1].id}" if len(page) == _page_size(request) else None
        limits = {"x-ratelimit-used": "12", "x-ratelimit-remaining": "988.0", "x-ratelimit-reset": "375"}
        return JSONResponse(_listing([post.to_child(self._now()) for post in page], after), headers=limits)

    async def _get_comments(self, request: Request) -> Response:
        """The thread of a post: its listing and that of its comments, as a test gives them."""
        self._record_call(request)
        if request.headers.get("authorization", "").removeprefix("bearer ") not in self.tokens:
            return self._refuse_token()
        return JSONResponse([_listing([], None), self.comments.get(request.path_params["id"], _listing([], None))])

    async def _create_token(self, request: Request) -> Response:
        self._record_call(request)
        given = base64.b64decode(request.headers.get("authorization", "").removeprefix("Basic ")).decode()
        client_id, _, secret = given.partition(":")
        if self._keys.get(client_id) != secret:
            return JSONResponse({"message": "Unauthorized", "error": 401}, 401)
        if parse_qs((await request.body()).decode()).get("grant_type") != ["client_credentials"]:
            return JSONResponse({"error": "unsupported_grant_type"})
        token = f"token-{len(self.tokens) + 1}"
        self.tokens.add(token)
        return JSONResponse({"access_token": token, "token_type": "bearer", "expires_in": 86400, "scope": "*"})

    async def _show_login(self, _: Request) -> Response:
        return HTMLResponse("<!doctype html><title>Log in</title>")

    def _current_fault(self) -> RedditFault | None:
        """`limited_every`: one of so many calls is too many, as an address that others use too finds."""
        if self.fault is None and self.limited_every and len(self.calls) % self.limited_every == 0:
            return RedditFault.RATE_LIMITED
        return self.fault

    def _refuse_token(self) -> Response:
        status = self.token_refusal
        return JSONResponse({"message": "Unauthorized" if status == 401 else "Forbidden", "error": status}, status)

    def _record_call(self, request: Request) -> None:
        self.calls.append({"path": request.url.path, **request.query_params})
        self.user_agents.append(request.headers.get("user-agent", ""))

    def list_posts(self) -> list[RedditSimPost]:
        return [*self.posts, *(self._source.posts() if self._source else ())]

    def _list_page(self, request: Request) -> list[RedditSimPost]:
        posts = self.list_posts()
        here = f"{request.url.scheme}://{request.url.netloc}"
        shown = [_complete_link(post, here) for post in posts if post.is_listed(self._now())]
        listed = sorted(shown, key=lambda post: post.posted_at, reverse=True)
        ids = [f"t3_{post.id}" for post in listed]
        after = request.query_params.get("after")
        start = ids.index(after) + 1 if after in ids else 0
        return listed[start : start + _page_size(request)]

    def _fault_response(self, fault: RedditFault, *, feed: bool) -> Response:
        limits = {} if self.reset_seconds is None else {"x-ratelimit-reset": str(self.reset_seconds)}
        if self.retry_after is not None:
            limits["retry-after"] = self.retry_after
        empty = _feed_response("") if feed else JSONResponse(_listing([], None))
        answers: dict[RedditFault, Response] = {
            RedditFault.WALL: HTMLResponse("<html><title>Blocked</title>whoa there, pardner!</html>", 403),
            RedditFault.LOGIN: RedirectResponse("/login/?reason=lor2", 302),
            RedditFault.APP_SHELL: HTMLResponse("<!doctype html><title>Reddit</title>"),
            RedditFault.EMPTY: empty,
            RedditFault.RATE_LIMITED: HTMLResponse("", 429, limits),
            RedditFault.SERVER_ERROR: HTMLResponse("our CDN was unable to reach our servers", 503),
            RedditFault.NOT_A_LIST: JSONResponse({"kind": "t2", "data": {}}),
            RedditFault.REVOKED: JSONResponse({"message": "Forbidden", "error": 403}, 403),
            RedditFault.PRIVATE: JSONResponse({"reason": "private", "message": "Forbidden", "error": 403}, 403),
        }
        return answers[fault]


def _complete_link(post: RedditSimPost, host: str) -> RedditSimPost:
    return replace(post, link=f"{host}{post.link}") if post.link.startswith("/") else post


def _listing(children: list[Json], after: str | None) -> Json:
    return {"kind": "Listing", "data": {"dist": len(children), "after": after, "before": None, "children": children}}


def _feed_response(entries: str) -> Response:
    text = f'<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'
    return Response(text, media_type="application/atom+xml; charset=UTF-8")


def _page_size(request: Request) -> int:
    return min(int(request.query_params.get("limit", _DEFAULT_PAGE)), _MAX_PAGE)
