"""A session at Bluesky with a handle and an app password.

A logged-in account is not shut out when the public search is closed. The session is created at the service where the
account was opened; requests go to the account's own server, which the session names and which forwards the search.
An access token lasts a few hours and is renewed with the refresh token; if that is refused too, a new session is
created. Sessions are limited (some hundred per day and account), so a refusal starts a cooldown.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import urlsplit

from found_footy.discovery.sources.bluesky_wire import (
    BAD_REQUEST,
    OK,
    REFUSAL_COOLDOWN_SECONDS,
    REFUSED_STATUSES,
    SYSTEM,
    TOO_MANY_REQUESTS,
    DidDocument,
    error_name,
    parse_rate_limit_wait,
    parse_session,
)
from found_footy.discovery.sources.errors import Blocked, SessionExpired
from found_footy.platform.clock import Clock, MonotonicClock, utc_now
from found_footy.platform.errors import ExternalSystemError, RateLimited, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.http.cooldown import Cooldown
from found_footy.platform.logs import ActionLogger

# Servers of accounts that Bluesky hosts.
HOSTED_SERVER_SUFFIX = ".host.bsky.network"
_STALE_TOKEN_ERRORS = frozenset({"ExpiredToken", "InvalidToken"})
_PDS_SERVICE_TYPE = "AtprotoPersonalDataServer"

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class BlueskyAccount:
    handle: str
    app_password: str = field(repr=False)


@dataclass(frozen=True)
class _SessionTokens:
    base: str
    access: str = field(repr=False)
    refresh: str = field(repr=False)


class BlueskySession:
    def __init__(
        self,
        http: SafeHttpClient,
        service: str,
        account: BlueskyAccount,
        clock: MonotonicClock = time.monotonic,
        now: Clock = utc_now,
    ) -> None:
        self._http = http
        self._service = service.rstrip("/")
        self._account = account
        self._now = now
        self._cooldown = Cooldown(clock)
        self._tokens: _SessionTokens | None = None
        self._renew_lock = asyncio.Lock()

    async def get(self, method: str, params: Mapping[str, Any]) -> HttpResponse:
        """Send one request. Raises SessionExpired, Blocked or RateLimited if the account is refused, and during the
        cooldown after that without a request.
        """
        tokens = self._tokens or await self._renew_tokens(None)
        answer = await self._send_request(tokens, method, params)
        if _is_token_stale(answer):
            tokens = await self._renew_tokens(tokens)
            answer = await self._send_request(tokens, method, params)
        if answer.status in REFUSED_STATUSES or answer.status == TOO_MANY_REQUESTS or _is_token_stale(answer):
            self._raise_refusal(answer, "the account may not search")
        return answer

    async def _send_request(self, tokens: _SessionTokens, method: str, params: Mapping[str, Any]) -> HttpResponse:
        return await self._http.request(
            "GET", f"{tokens.base}/xrpc/{method}", params=params, headers=_bearer_header(tokens.access)
        )

    async def _renew_tokens(self, old: _SessionTokens | None) -> _SessionTokens:
        """Replace the old tokens; concurrent callers wait and get the same new ones."""
        async with self._renew_lock:
            if self._tokens is None or self._tokens is old:
                self._cooldown.raise_if_active()
                self._tokens = (await self._refresh_session(old) if old else None) or await self._create_session()
            return self._tokens

    async def _refresh_session(self, old: _SessionTokens) -> _SessionTokens | None:
        """None if the refresh token is no longer valid."""
        url = f"{old.base}/xrpc/com.atproto.server.refreshSession"
        answer = await self._http.request("POST", url, headers=_bearer_header(old.refresh))
        if _is_token_stale(answer) or answer.status in REFUSED_STATUSES:
            return None
        return self._parse_tokens(answer)

    async def _create_session(self) -> _SessionTokens:
        credentials = {"identifier": self._account.handle, "password": self._account.app_password}
        url = f"{self._service}/xrpc/com.atproto.server.createSession"
        tokens = self._parse_tokens(await self._http.request("POST", url, json=credentials))
        logger.info("logged in to Bluesky", action="bluesky_logged_in", server=urlsplit(tokens.base).netloc)
        return tokens

    def _parse_tokens(self, answer: HttpResponse) -> _SessionTokens:
        if answer.status in (BAD_REQUEST, *REFUSED_STATUSES, TOO_MANY_REQUESTS):
            self._raise_refusal(answer, "the log-in is refused")
        if answer.status != OK:
            raise Unavailable(SYSTEM, f"log-in: status {answer.status}")
        session = parse_session(answer.json())
        return _SessionTokens(self._account_server(session.did_document), session.access_jwt, session.refresh_jwt)

    def _account_server(self, document: DidDocument) -> str:
        """The account's own server, if the session names a permitted one; else the service, which forwards requests."""
        endpoints = (one.endpoint.rstrip("/") for one in document.service if one.type == _PDS_SERVICE_TYPE)
        return next(filter(self._is_known_server, endpoints), self._service)

    def _is_known_server(self, endpoint: str) -> bool:
        try:
            there, here = urlsplit(endpoint), urlsplit(self._service)
            hosted = (
                there.scheme == "https"
                and (there.hostname or "").endswith(HOSTED_SERVER_SUFFIX)
                and there.port in (None, 443)
            )
        except ValueError:
            return False
        return hosted or (there.scheme, there.netloc) == (here.scheme, here.netloc)

    def _raise_refusal(self, answer: HttpResponse, what: str) -> NoReturn:
        """Log the refusal once and start the cooldown."""
        self._tokens = None
        why = f"{what} ({error_name(answer) or f'status {answer.status}'})"
        logger.warning("Bluesky: %s", why, action="bluesky_account_refused", status=answer.status)
        if answer.status == TOO_MANY_REQUESTS:
            wait = parse_rate_limit_wait(answer.headers, self._now())
            error: ExternalSystemError = RateLimited(SYSTEM, why, wait)
        else:
            wait = REFUSAL_COOLDOWN_SECONDS
            error = (Blocked if what == "the account may not search" else SessionExpired)(SYSTEM, why)
        self._cooldown.start(wait, error)
        raise error


def _bearer_header(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def _is_token_stale(answer: HttpResponse) -> bool:
    return answer.status in (BAD_REQUEST, *REFUSED_STATUSES) and error_name(answer) in _STALE_TOKEN_ERRORS
