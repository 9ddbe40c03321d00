"""A session at Bluesky with a handle and an app password.

Whoever is logged in is not shut out when the public search is closed. The session is made by the service that the
account was opened at; questions go to the account's own server, which the session names, and that asks the search. An
access token lasts a few hours and is renewed with the refresh token; when that is refused too, the session is made
anew. Sessions are counted (some hundred per day and account), so after a refusal none is asked for for a while.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NoReturn
from urllib.parse import urlsplit

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
    text,
    told_wait,
)
from found_footy.discovery.search_errors import Blocked, SessionExpired
from found_footy.platform.errors import Malformed, RateLimited, Unavailable
from found_footy.platform.http import HttpAnswer, SafeHttp
from found_footy.platform.logs import ActionLogger

# Servers of accounts that Bluesky hosts.
SERVERS = ".host.bsky.network"
_STALE = frozenset({"ExpiredToken", "InvalidToken"})
_SERVER_KIND = "AtprotoPersonalDataServer"
_LONGEST_TOKEN = 8_000

log = ActionLogger(__name__)


@dataclass(frozen=True)
class Account:
    handle: str
    app_password: str = field(repr=False)


@dataclass(frozen=True)
class _Tokens:
    base: str
    access: str = field(repr=False)
    refresh: str = field(repr=False)


class BlueskySession:
    def __init__(
        self,
        http: SafeHttp,
        service: str,
        account: Account,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._http = http
        self._service = service.rstrip("/")
        self._account = account
        self._now = now
        self._rest = Rest(clock)
        self._tokens: _Tokens | None = None
        self._renewing = asyncio.Lock()

    async def get(self, method: str, params: Mapping[str, Any]) -> HttpAnswer:
        """The answer to one question. Raises SessionExpired, Blocked or RateLimited if the account is refused, now and
        for a while after it without asking.
        """
        tokens = self._tokens or await self._renewed(None)
        answer = await self._ask(tokens, method, params)
        if _is_stale(answer):
            tokens = await self._renewed(tokens)
            answer = await self._ask(tokens, method, params)
        if answer.status in REFUSED or answer.status == TOO_MANY or _is_stale(answer):
            self._refuse(answer, "the account may not search")
        return answer

    async def _ask(self, tokens: _Tokens, method: str, params: Mapping[str, Any]) -> HttpAnswer:
        return await self._http.request(
            "GET", f"{tokens.base}/xrpc/{method}", params=params, headers=_bearer(tokens.access)
        )

    async def _renewed(self, old: _Tokens | None) -> _Tokens:
        """New tokens instead of the old ones; who comes while somebody is at it gets theirs."""
        async with self._renewing:
            if self._tokens is None or self._tokens is old:
                self._rest.check()
                self._tokens = (await self._refreshed(old) if old else None) or await self._created()
            return self._tokens

    async def _refreshed(self, old: _Tokens) -> _Tokens | None:
        """None if the refresh token is no longer good for anything."""
        url = f"{old.base}/xrpc/com.atproto.server.refreshSession"
        answer = await self._http.request("POST", url, headers=_bearer(old.refresh))
        if _is_stale(answer) or answer.status in REFUSED:
            return None
        return self._read(answer)

    async def _created(self) -> _Tokens:
        credentials = {"identifier": self._account.handle, "password": self._account.app_password}
        url = f"{self._service}/xrpc/com.atproto.server.createSession"
        tokens = self._read(await self._http.request("POST", url, json=credentials))
        log.info("logged in to Bluesky", action="bluesky_logged_in", server=urlsplit(tokens.base).netloc)
        return tokens

    def _read(self, answer: HttpAnswer) -> _Tokens:
        if answer.status in (BAD_REQUEST, *REFUSED, TOO_MANY):
            self._refuse(answer, "the log-in is refused")
        if answer.status != OK:
            raise Unavailable(SYSTEM, f"log-in: status {answer.status}")
        body = object_of(answer.json())
        access, refresh = text(body.get("accessJwt")), text(body.get("refreshJwt"))
        if not (_is_token(access) and _is_token(refresh)):
            raise Malformed(SYSTEM, "the session has no tokens")
        return _Tokens(self._server(body), access, refresh)

    def _server(self, body: Mapping[str, Any]) -> str:
        """The account's own server, if the session names one that we talk to; else the service, which passes on."""
        document = body.get("didDoc")
        services = document.get("service") if isinstance(document, dict) else None
        for service in services if isinstance(services, list) else ():
            if isinstance(service, dict) and service.get("type") == _SERVER_KIND:
                endpoint = text(service.get("serviceEndpoint")).rstrip("/")
                if self._is_known(endpoint):
                    return endpoint
        return self._service

    def _is_known(self, endpoint: str) -> bool:
        try:
            there, here = urlsplit(endpoint), urlsplit(self._service)
            hosted = there.scheme == "https" and (there.hostname or "").endswith(SERVERS) and there.port in (None, 443)
        except ValueError:
            return False
        return hosted or (there.scheme, there.netloc) == (here.scheme, here.netloc)

    def _refuse(self, answer: HttpAnswer, what: str) -> NoReturn:
        """Told once; then the account rests."""
        self._tokens = None
        why = f"{what} ({error_name(answer) or f'status {answer.status}'})"
        log.warning("Bluesky: %s", why, action="bluesky_account_refused", status=answer.status)
        if answer.status == TOO_MANY:
            wait = told_wait(answer.headers, self._now())
            raise self._rest.begin(RateLimited(SYSTEM, why, wait), wait)
        kind = Blocked if what == "the account may not search" else SessionExpired
        raise self._rest.begin(kind(SYSTEM, why), REST_WHEN_REFUSED)


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def _is_stale(answer: HttpAnswer) -> bool:
    return answer.status in (BAD_REQUEST, *REFUSED) and error_name(answer) in _STALE


def _is_token(token: str) -> bool:
    """Something that can stand in a header."""
    return 0 < len(token) <= _LONGEST_TOKEN and token.isascii() and token.isprintable() and " " not in token
