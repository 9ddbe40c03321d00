"""The site: pages behind a log-in, the search call of their script, embeds, and a control endpoint."""

import asyncio
import base64
import binascii
import json
import secrets
import threading
from collections import Counter
from collections.abc import Iterable
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from found_footy_sim.wall_clock import utc_now
from found_footy_sim.x.accounts import CSRF_COOKIE, SESSION_COOKIE, WINDOW_SECONDS, XAccounts, XSession
from found_footy_sim.x.behaviour import XSiteBehaviour, XSiteMode
from found_footy_sim.x.posts import XPost, XPostSource
from found_footy_sim.x.search_query import compile_query
from found_footy_sim.x.search_responses import CF_HEADERS, CF_PAGE, SearchCall, build_response
from found_footy_sim.x.syndication import tweet_response

_PAGES_DIR = files("found_footy_sim.x") / "pages"
_LOGIN_PATH = "/i/flow/login"
_ONBOARDING_PATH = "/i/jf/onboarding/web"
_LOCKED_PATH = "/account/access"
_COOKIE_SECONDS = 365 * 86_400
_EMPTY_GIF = base64.b64decode(b"R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==")
_MAX_HOLD_SECONDS = 60


class XSite:
    """One simulated site. `requests` counts requests by kind; tests and benchmarks read it."""

    def __init__(
        self,
        source: XPostSource,
        *,
        passwords: dict[str, str] | None = None,
        limit: int = 50,
        window: int = WINDOW_SECONDS,
    ) -> None:
        self.source = source
        self.accounts = XAccounts(passwords or {"footy": "goal"}, limit, window)
        self.behaviour = XSiteBehaviour()
        self.requests: Counter[str] = Counter()
        self.method = "GET"
        self.search_reached = threading.Event()
        self._search_released = threading.Event()
        # Every served page has its own key and query id: several browsers read at the same time.
        self._query_id_by_page_key: dict[str, str] = {}
        self.app = Starlette(routes=self._routes())

    def set_modes(self, mode: XSiteMode, *then: XSiteMode) -> None:
        """Switch the mode, from the next search page on; `then` follows page by page."""
        self.search_reached.clear()
        self._search_released.clear()
        self.behaviour.set_modes(mode, then)

    def release_search(self) -> None:
        """Release a held search call."""
        self._search_released.set()

    def _routes(self) -> list[Route]:
        return [
            Route("/", self._get_root),
            Route("/home", self._get_home),
            Route("/search", self._get_search_page),
            Route(_LOGIN_PATH, self._get_login_page, methods=["GET"]),
            Route(_LOGIN_PATH, self._log_in, methods=["POST"]),
            Route(_ONBOARDING_PATH, self._get_login_page),
            Route("/login", self._get_login_page),
            Route(_LOCKED_PATH, self._get_locked_page),
            Route("/i/api/graphql/{query_id}/SearchTimeline", self._search_timeline, methods=["GET", "POST"]),
            Route("/i/api/2/badge_count/badge_count.json", self._get_badge_count),
            Route("/tweet-result", self._get_tweet_result),
            Route("/img/{name}", self._get_picture),
            Route("/font/{name}", self._get_font),
            Route("/video/{path:path}", self._reject_video),
            Route("/assets/{name}", self._get_asset),
            Route("/_sim/mode", self._handle_mode, methods=["GET", "POST"]),
            Route("/_sim/session", self._create_session, methods=["POST"]),
        ]

    def _find_session(self, request: Request) -> XSession | None:
        return self.accounts.find_session(request.cookies.get(SESSION_COOKIE))

    # Pages

    async def _get_root(self, _: Request) -> Response:
        return RedirectResponse("/home", 302)

    async def _get_home(self, request: Request) -> Response:
        return self._blocking_response(request) or self._page_response("home")

    async def _get_search_page(self, request: Request) -> Response:
        self.requests["search_page"] += 1
        self.behaviour.open_page()
        return self._blocking_response(request) or self._page_response("search")

    def _blocking_response(self, request: Request) -> Response | None:
        """Return the response that replaces a page, if one does."""
        back = quote(f"{request.url.path}?{request.url.query}", safe="")
        match self.behaviour.mode:
            case XSiteMode.ONBOARDING:
                return RedirectResponse(f"{_ONBOARDING_PATH}?mode=login&redirect_after_login={back}", 302)
            case XSiteMode.LOCKED_PAGE:
                return RedirectResponse(_LOCKED_PATH, 302)
            case XSiteMode.CLOUDFLARE_PAGE:
                return HTMLResponse(CF_PAGE, 403, CF_HEADERS)
            case XSiteMode.PAGE_ERROR:
                return HTMLResponse("<h1>Over capacity</h1>", 503)
            case XSiteMode.LOGIN_WALL:
                return RedirectResponse(f"{_LOGIN_PATH}?redirect_after_login={back}", 302)
        return (
            None if self._find_session(request) else RedirectResponse(f"{_LOGIN_PATH}?redirect_after_login={back}", 302)
        )

    def _page_response(self, name: str) -> Response:
        if self.behaviour.mode is XSiteMode.LOCKED_TEXT:
            return HTMLResponse("<title>X</title><p>Your account has been temporarily locked.</p>")
        if self.behaviour.mode is XSiteMode.EMPTY_SHELL:
            return HTMLResponse('<!doctype html><title>X</title><div id="react-root"></div>')
        query_id, key = secrets.token_urlsafe(16), secrets.token_urlsafe(12)
        self._query_id_by_page_key[key] = query_id
        page = (_PAGES_DIR / f"{name}.html").read_text("utf-8")
        for mark, value in (("QUERY_ID", query_id), ("PAGE_KEY", key), ("METHOD", self.method)):
            page = page.replace(f"{{{{{mark}}}}}", value)
        if self.behaviour.mode is XSiteMode.SUSPENDED:
            page = page.replace("<main>", "<main><p>Your account is suspended.</p>")
        return HTMLResponse(page)

    async def _get_locked_page(self, _: Request) -> Response:
        return HTMLResponse("<title>X</title><h1>Your account has been locked</h1>")

    # Logging in

    async def _get_login_page(self, _: Request) -> Response:
        self.requests["login_page"] += 1
        return HTMLResponse((_PAGES_DIR / "login.html").read_text("utf-8"))

    async def _log_in(self, request: Request) -> Response:
        form = parse_qs((await request.body()).decode())
        session = self.accounts.log_in(form.get("username", [""])[0], form.get("password", [""])[0])
        if session is None:
            return RedirectResponse(f"{_LOGIN_PATH}?wrong=1", 303)
        back = request.query_params.get("redirect_after_login", "/home")
        response = RedirectResponse(back if back.startswith("/") and not back.startswith("//") else "/home", 303)
        for name, value in _session_cookies(session).items():
            response.set_cookie(name, value, max_age=_COOKIE_SECONDS, httponly=name == SESSION_COOKIE)
        response.set_cookie("guest_id", "v1%3A1700000000")
        return response

    # The search call

    async def _search_timeline(self, request: Request) -> Response:
        self.requests["timeline"] += 1
        session = self._find_session(request)
        if request.method != self.method or not self._is_signed(request):
            return Response(b"", 404)
        if session is None:
            return JSONResponse({"errors": [{"message": "Could not authenticate you", "code": 32}]}, 401)
        if request.headers.get("x-csrf-token") != session.csrf:
            return JSONResponse({"errors": [{"message": "Csrf token mismatch", "code": 353}]}, 403)
        await self._hold_search()
        variables = await self._read_variables(request)
        found = self._find_posts(str(variables.get("rawQuery", "")))
        call = SearchCall(session, found, variables.get("cursor"), str(variables.get("product", "Top")))
        return build_response(XSiteMode.SILENT_LIMIT if self.behaviour.is_silent else self.behaviour.mode, call)

    def _is_signed(self, request: Request) -> bool:
        """The page signs its calls with a key it was served with; any other call is answered as not found."""
        try:
            signature = base64.b64decode(request.headers.get("x-client-transaction-id", "")).decode()
        except (binascii.Error, UnicodeDecodeError):
            return False
        key, _, path = signature.partition(" ")
        return path == request.url.path and self._query_id_by_page_key.get(key) == request.path_params["query_id"]

    async def _hold_search(self) -> None:
        if self.behaviour.mode is not XSiteMode.HELD:
            return
        self.search_reached.set()
        for _ in range(_MAX_HOLD_SECONDS * 50):
            if self._search_released.is_set():
                return
            await asyncio.sleep(0.02)

    async def _read_variables(self, request: Request) -> dict[str, Any]:
        if request.method == "GET":
            variables: Any = json.loads(request.query_params.get("variables", "{}"))
        else:
            variables = (await request.json())["variables"]
        return dict(variables)

    def _find_posts(self, raw_query: str) -> list[XPost]:
        now = utc_now()
        matches = compile_query(raw_query, now)
        return sorted(
            (post for post in self.source.posts(now) if post.promoted or matches(post)),
            key=lambda post: int(post.id),
            reverse=True,
        )

    # The rest

    async def _get_badge_count(self, _: Request) -> Response:
        self.requests["poll"] += 1
        return JSONResponse({"total_unread_count": 0})

    async def _get_tweet_result(self, request: Request) -> Response:
        self.requests["syndication"] += 1
        wanted = request.query_params.get("id", "")
        post = next((p for p in self.source.posts(utc_now()) if p.id == wanted), None)
        return tweet_response(post, request.query_params.get("token", ""))

    async def _get_picture(self, _: Request) -> Response:
        self.requests["picture"] += 1
        return Response(_EMPTY_GIF, media_type="image/gif")

    async def _get_font(self, _: Request) -> Response:
        self.requests["font"] += 1
        return Response(b"", 404)

    async def _reject_video(self, _: Request) -> Response:
        """Videos are on another host; requests here are counted and denied."""
        self.requests["video"] += 1
        return Response(b"", 404)

    async def _get_asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in ("site.js", "site.css"):
            return Response(b"", 404)
        kind = "text/javascript" if name.endswith("js") else "text/css"
        return Response((_PAGES_DIR / name).read_bytes(), media_type=kind, headers={"cache-control": "max-age=3600"})

    async def _handle_mode(self, request: Request) -> Response:
        """The control endpoint, for scripts in other processes: sets the mode and returns the request counts."""
        if request.method == "POST":
            body = await request.json()
            then: Iterable[str] = body.get("then", [])
            self.set_modes(XSiteMode(body["mode"]), *map(XSiteMode, then))
        return JSONResponse({"mode": self.behaviour.mode, "requests": dict(self.requests)})

    async def _create_session(self, request: Request) -> Response:
        """Log in without a browser: return the cookies of a new session, in a form that other processes can import."""
        body = json.loads(await request.body() or b"{}")
        return JSONResponse({"cookies": _session_cookies(self.accounts.open_session(str(body.get("handle", "footy"))))})


def _session_cookies(session: XSession) -> dict[str, str]:
    return {SESSION_COOKIE: session.token, CSRF_COOKIE: session.csrf, "twid": "u%3D1234567890"}
