"""Who a request comes from: a session, an API key, the admin token, or nobody in particular."""

import asyncio
import math
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request

from found_footy.access.levels import AccessLevel
from found_footy.access.session_store import UserSession
from found_footy.platform.http.access_tokens import TokenDenialReason, caller_key, read_bearer
from found_footy.platform.http.issued_keys import API_KEY_PREFIX, parse_key_id
from found_footy.platform.logs import ActionLogger
from found_footy.web.problems import ProblemError
from found_footy.web.session_cookies import USER_COOKIE, read_token_cookie
from found_footy.web.state import WebState, check_admin_token, peer_address

logger = ActionLogger(__name__)
_BEARER_HEADERS = {"WWW-Authenticate": "Bearer"}
# Feed readers and calendars send an address and nothing else.
_FEED_PATHS = "/feeds/"
FEED_KEY = "key"
_WRONG_KEY = "The API key or token is wrong, or no longer valid."


@dataclass(frozen=True)
class Principal:
    """`name` is who did it in the audit log. Only a browser that signed in has a `session`."""

    name: str
    level: AccessLevel
    session: UserSession | None = None

    @property
    def is_anonymous(self) -> bool:
        return self.level is AccessLevel.NOTHING


ANONYMOUS = Principal("", AccessLevel.NOTHING)


async def authenticate(web: WebState, request: Request) -> Principal:
    """Raises 401 for a wrong key or token, 429 after too many of them. A session that has ended is nobody's."""
    bearer = read_bearer(request.headers)
    if bearer is not None:
        return await _authenticate_bearer(web, request, bearer)
    if request.url.path.startswith(_FEED_PATHS) and (key := request.query_params.get(FEED_KEY)):
        return await _authenticate_feed_key(web, request, key)
    token = read_token_cookie(request, USER_COOKIE)
    session = await web.access.stores.sessions.find(token) if token else None
    return Principal(session.user.name, session.user.role.level, session) if session else ANONYMOUS


async def _authenticate_feed_key(web: WebState, request: Request, key: str) -> Principal:
    """An API key in the address of a feed opens what viewers see, whatever its scope: addresses are written down."""
    if parse_key_id(key, API_KEY_PREFIX) is None:
        raise _count_wrong_key(web, request)
    holder = await _authenticate_key(web, request, key)
    return Principal(holder.name, min(holder.level, AccessLevel.VIEW))


async def _authenticate_key(web: WebState, request: Request, key: str) -> Principal:
    holder = await web.access.stores.keys.authenticate(key)
    if holder is None:
        raise _count_wrong_key(web, request)
    return Principal(f"{holder.user.name}, by the key {holder.key.label}", holder.level)


async def _authenticate_bearer(web: WebState, request: Request, bearer: str) -> Principal:
    """A right API key is accepted however many wrong ones its address sent: keys cannot be guessed. The admin token is
    chosen by people, so wrong ones shut an address out for a minute.
    """
    if parse_key_id(bearer, API_KEY_PREFIX) is not None:
        return await _authenticate_key(web, request, bearer)
    denial = check_admin_token(web, request, "access")
    if denial is None:
        return Principal(f"token, from {peer_address(request)}", AccessLevel.ADMIN)
    if denial.reason is TokenDenialReason.TOO_MANY_WRONG:
        raise _build_wait_problem(denial.retry_after)
    raise ProblemError(HTTPStatus.UNAUTHORIZED, _WRONG_KEY, headers=_BEARER_HEADERS)


def _count_wrong_key(web: WebState, request: Request) -> ProblemError:
    caller, now = caller_key(peer_address(request)), asyncio.get_running_loop().time()
    wait = web.access.wrong_keys.seconds_until_retry(caller, now)
    if wait > 0:
        return _build_wait_problem(wait)
    left = web.access.wrong_keys.record_attempt(caller, now)
    logger.warning("wrong API key from %s", caller, action="api_key_refused", caller=caller, tries_left=left)
    return ProblemError(HTTPStatus.UNAUTHORIZED, _WRONG_KEY, headers=_BEARER_HEADERS)


def _build_wait_problem(seconds: float) -> ProblemError:
    headers = {"Retry-After": str(math.ceil(seconds))}
    return ProblemError(
        HTTPStatus.TOO_MANY_REQUESTS, "Too many wrong tokens or keys from this address.", headers=headers
    )


async def find_principal(web: WebState, request: Request) -> Principal:
    """Who asks, on a route that anybody may use; a wrong key or token is nobody's."""
    try:
        return await authenticate(web, request)
    except ProblemError:
        return ANONYMOUS


async def _provide_principal(request: Request) -> Principal:
    """The access middleware has put it there, on every route that needs more than viewing."""
    principal: Principal = request.state.principal
    return principal


async def _provide_session(request: Request) -> UserSession:
    principal: Principal = request.state.principal
    if principal.session is None:
        raise ProblemError(HTTPStatus.FORBIDDEN, "This is for people who are signed in, not for keys.")
    return principal.session


PrincipalDep = Annotated[Principal, Depends(_provide_principal)]
SessionDep = Annotated[UserSession, Depends(_provide_session)]
