"""The site itself: pages behind a log-in, the search call that their script makes, embeds, and a control panel."""

import asyncio
import base64
import binascii
import json
import secrets
import threading
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from found_footy.sim.xsite.accounts import CSRF_COOKIE, SESSION_COOKIE, WINDOW_SECONDS, Accounts, Session
from found_footy.sim.xsite.answers import CF_HEADERS, CF_PAGE, Call, answer
from found_footy.sim.xsite.conduct import Conduct, Mode
from found_footy.sim.xsite.posts import Post, PostSource
from found_footy.sim.xsite.query import compile_query
from found_footy.sim.xsite.syndication import tweet_result

_PAGES = files("found_footy.sim.xsite") / "pages"
_LOGIN = "/i/flow/login"
_ONBOARDING = "/i/jf/onboarding/web"
_LOCKED = "/account/access"
_YEAR = 365 * 86_400
_PICTURE = base64.b64decode(b"R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==")
_HELD_SECONDS = 60


class XSite:
    """One simulated site. `requests` counts what was asked for, by kind; tests and benches read it."""

    def __init__(
        self,
        source: PostSource,
        *,
        passwords: dict[str, str] | None = None,
        limit: int = 50,
        window: int = WINDOW_SECONDS,
    ) -> None:
        self.source = source
        self.accounts = Accounts(passwords or {"footy": "goal"}, limit, window)
        self.conduct = Conduct()
        self.requests: Counter[str] = Counter()
        self.method = "GET"
        self.reached = threading.Event()
        self._released = threading.Event()
        # Every page that was served has a key and a query id of its own: several browsers read at the same time.
        self._pages: dict[str, str] = {}
        self.app = Starlette(routes=self._routes())

    def behave(self, mode: Mode, *then: Mode) -> None:
        """Switch the behaviour, from the next search page on; `then` follows page by page."""
        self.reached.clear()
        self._released.clear()
        self.conduct.behave(mode, then)

    def release(self) -> None:
        """Let a held search call be answered."""
        self._released.set()

    def _routes(self) -> list[Route]:
        return [
            Route("/", self._root),
            Route("/home", self._home),
            Route("/search", self._search),
            Route(_LOGIN, self._login_page, methods=["GET"]),
            Route(_LOGIN, self._log_in, methods=["POST"]),
            Route(_ONBOARDING, self._login_page),
            Route("/login", self._login_page),
            Route(_LOCKED, self._locked_page),
            Route("/i/api/graphql/{query_id}/SearchTimeline", self._timeline, methods=["GET", "POST"]),
            Route("/i/api/2/badge_count/badge_count.json", self._poll),
            Route("/tweet-result", self._syndication),
            Route("/img/{name}", self._picture),
            Route("/font/{name}", self._font),
            Route("/video/{path:path}", self._video),
            Route("/assets/{name}", self._asset),
            Route("/_sim/mode", self._switch, methods=["GET", "POST"]),
            Route("/_sim/session", self._give_session, methods=["POST"]),
        ]

    def _session(self, request: Request) -> Session | None:
        return self.accounts.session(request.cookies.get(SESSION_COOKIE))

    # Pages

    async def _root(self, _: Request) -> Response:
        return RedirectResponse("/home", 302)

    async def _home(self, request: Request) -> Response:
        return self._wall(request) or self._shell("home")

    async def _search(self, request: Request) -> Response:
        self.requests["search_page"] += 1
        self.conduct.page_opened()
        return self._wall(request) or self._shell("search")

    def _wall(self, request: Request) -> Response | None:
        """The answer that stands between a reader and a page, if one does."""
        back = quote(f"{request.url.path}?{request.url.query}", safe="")
        match self.conduct.mode:
            case Mode.ONBOARDING:
                return RedirectResponse(f"{_ONBOARDING}?mode=login&redirect_after_login={back}", 302)
            case Mode.LOCKED_PAGE:
                return RedirectResponse(_LOCKED, 302)
            case Mode.CLOUDFLARE_PAGE:
                return HTMLResponse(CF_PAGE, 403, CF_HEADERS)
            case Mode.PAGE_ERROR:
                return HTMLResponse("<h1>Over capacity</h1>", 503)
            case Mode.LOGIN_WALL:
                return RedirectResponse(f"{_LOGIN}?redirect_after_login={back}", 302)
        return None if self._session(request) else RedirectResponse(f"{_LOGIN}?redirect_after_login={back}", 302)

    def _shell(self, name: str) -> Response:
        if self.conduct.mode is Mode.LOCKED_TEXT:
            return HTMLResponse("<title>X</title><p>Your account has been temporarily locked.</p>")
        if self.conduct.mode is Mode.EMPTY_SHELL:
            return HTMLResponse('<!doctype html><title>X</title><div id="react-root"></div>')
        query_id, key = secrets.token_urlsafe(16), secrets.token_urlsafe(12)
        self._pages[key] = query_id
        page = (_PAGES / f"{name}.html").read_text("utf-8")
        for mark, value in (("QUERY_ID", query_id), ("PAGE_KEY", key), ("METHOD", self.method)):
            page = page.replace(f"{{{{{mark}}}}}", value)
        if self.conduct.mode is Mode.SUSPENDED:
            page = page.replace("<main>", "<main><p>Your account is suspended.</p>")
        return HTMLResponse(page)

    async def _locked_page(self, _: Request) -> Response:
        return HTMLResponse("<title>X</title><h1>Your account has been locked</h1>")

    # Logging in

    async def _login_page(self, _: Request) -> Response:
        self.requests["login_page"] += 1
        return HTMLResponse((_PAGES / "login.html").read_text("utf-8"))

    async def _log_in(self, request: Request) -> Response:
        form = parse_qs((await request.body()).decode())
        session = self.accounts.log_in(form.get("username", [""])[0], form.get("password", [""])[0])
        if session is None:
            return RedirectResponse(f"{_LOGIN}?wrong=1", 303)
        back = request.query_params.get("redirect_after_login", "/home")
        response = RedirectResponse(back if back.startswith("/") and not back.startswith("//") else "/home", 303)
        for name, value in _cookies(session).items():
            response.set_cookie(name, value, max_age=_YEAR, httponly=name == SESSION_COOKIE)
        response.set_cookie("guest_id", "v1%3A1700000000")
        return response

    # The search call

    async def _timeline(self, request: Request) -> Response:
        self.requests["timeline"] += 1
        session = self._session(request)
        if request.method != self.method or not self._signed(request):
            return Response(b"", 404)
        if session is None:
            return JSONResponse({"errors": [{"message": "Could not authenticate you", "code": 32}]}, 401)
        if request.headers.get("x-csrf-token") != session.csrf:
            return JSONResponse({"errors": [{"message": "Csrf token mismatch", "code": 353}]}, 403)
        await self._hold()
        variables = await self._variables(request)
        found = self._find(str(variables.get("rawQuery", "")))
        call = Call(session, found, variables.get("cursor"), str(variables.get("product", "Top")))
        return answer(Mode.SILENT_LIMIT if self.conduct.silent else self.conduct.mode, call)

    def _signed(self, request: Request) -> bool:
        """The page signs its calls with a key it was served with; anything else is told that there is nothing here."""
        try:
            signature = base64.b64decode(request.headers.get("x-client-transaction-id", "")).decode()
        except (binascii.Error, UnicodeDecodeError):
            return False
        key, _, path = signature.partition(" ")
        return path == request.url.path and self._pages.get(key) == request.path_params["query_id"]

    async def _hold(self) -> None:
        if self.conduct.mode is not Mode.HELD:
            return
        self.reached.set()
        for _ in range(_HELD_SECONDS * 50):
            if self._released.is_set():
                return
            await asyncio.sleep(0.02)

    async def _variables(self, request: Request) -> dict[str, Any]:
        if request.method == "GET":
            variables: Any = json.loads(request.query_params.get("variables", "{}"))
        else:
            variables = (await request.json())["variables"]
        return dict(variables)

    def _find(self, raw_query: str) -> list[Post]:
        now = datetime.now(UTC)
        matches = compile_query(raw_query, now)
        return sorted(
            (post for post in self.source.posts(now) if post.promoted or matches(post)),
            key=lambda post: int(post.id),
            reverse=True,
        )

    # The rest

    async def _poll(self, _: Request) -> Response:
        self.requests["poll"] += 1
        return JSONResponse({"total_unread_count": 0})

    async def _syndication(self, request: Request) -> Response:
        self.requests["syndication"] += 1
        wanted = request.query_params.get("id", "")
        post = next((p for p in self.source.posts(datetime.now(UTC)) if p.id == wanted), None)
        return tweet_result(post, request.query_params.get("token", ""))

    async def _picture(self, _: Request) -> Response:
        self.requests["picture"] += 1
        return Response(_PICTURE, media_type="image/gif")

    async def _font(self, _: Request) -> Response:
        self.requests["font"] += 1
        return Response(b"", 404)

    async def _video(self, _: Request) -> Response:
        """Videos live on another host; whoever asks here is counted and turned away."""
        self.requests["video"] += 1
        return Response(b"", 404)

    async def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in ("site.js", "site.css"):
            return Response(b"", 404)
        kind = "text/javascript" if name.endswith("js") else "text/css"
        return Response((_PAGES / name).read_bytes(), media_type=kind, headers={"cache-control": "max-age=3600"})

    async def _switch(self, request: Request) -> Response:
        """The control panel, for scripts in other processes: which mode, and what was asked for so far."""
        if request.method == "POST":
            body = await request.json()
            then: Iterable[str] = body.get("then", [])
            self.behave(Mode(body["mode"]), *map(Mode, then))
        return JSONResponse({"mode": self.conduct.mode, "requests": dict(self.requests)})

    async def _give_session(self, request: Request) -> Response:
        """Somebody is logged in without a browser: the cookies of a new session, as other processes can import them."""
        body = json.loads(await request.body() or b"{}")
        return JSONResponse({"cookies": _cookies(self.accounts.open_session(str(body.get("handle", "footy"))))})


def _cookies(session: Session) -> dict[str, str]:
    return {SESSION_COOKIE: session.token, CSRF_COOKIE: session.csrf, "twid": "u%3D1234567890"}
