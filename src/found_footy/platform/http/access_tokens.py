"""Tokens that callers of our own HTTP services send: how long one has to be, which one is right, how many wrong ones a
caller may send.
"""

import hmac
import ipaddress
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, SecretStr

from found_footy.platform.logs import ActionLogger

MIN_TOKEN_LENGTH = 16
MAX_WRONG_TOKENS = 10
WRONG_TOKEN_WINDOW = timedelta(minutes=1)
# A caller more makes the guard forget the one that was refused longest ago.
_MAX_TRACKED_CALLERS = 4096
_IPV6_PREFIX_LENGTH = 64

log = ActionLogger(__name__)


def _check_token_length(token: SecretStr) -> SecretStr:
    if len(token.get_secret_value()) < MIN_TOKEN_LENGTH:
        raise ValueError(f"must have at least {MIN_TOKEN_LENGTH} characters; `openssl rand -hex 16` prints a good one")
    return token


AccessToken = Annotated[SecretStr, AfterValidator(_check_token_length)]


class TokenDenialReason(StrEnum):
    NOTHING_SET = "nothing_set"
    WRONG = "wrong"
    TOO_MANY_WRONG = "too_many_wrong"


@dataclass(frozen=True)
class TokenDenial:
    """`wait` is how many seconds the caller is refused for, whatever it sends."""

    reason: TokenDenialReason
    retry_after: float = 0.0


def is_valid_bearer(authorization: str, token: SecretStr) -> bool:
    """Whether an Authorization header, as its bytes read as Latin-1, carries the token. Compared in constant time."""
    scheme, _, given = authorization.partition(" ")
    right = hmac.compare_digest(given.strip().encode("latin-1", "replace"), token.get_secret_value().encode())
    return right and scheme.lower() == "bearer"


def caller_key(host: str) -> str:
    """Under which name the wrong tokens of an address are counted: for IPv6 its network, of which one caller has
    2^64 addresses.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _IPV6_PREFIX_LENGTH), strict=False))


class _AttemptWindow:
    """How often each caller did something within the window, up to a limit."""

    def __init__(self, limit: int, window: float) -> None:
        self._limit = limit
        self._window = window
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._times)

    def seconds_until_retry(self, caller: str, now: float) -> float:
        """How many seconds it is until the caller has a try again; 0 if it has one."""
        times = self._times.get(caller)
        if times is None or len(times) < self._limit:
            return 0.0
        return max(0.0, times[0] + self._window - now)

    def record_attempt(self, caller: str, now: float) -> int:
        """How many tries the caller has left."""
        times = self._times.setdefault(caller, deque(maxlen=self._limit))
        while times and times[0] + self._window <= now:
            times.popleft()
        times.append(now)
        self._times.move_to_end(caller)
        if len(self._times) > _MAX_TRACKED_CALLERS:
            self._times.popitem(last=False)
        return self._limit - len(times)


class TokenGuard:
    """Refuses everybody without the token, and everybody at all when none is set. A caller that was wrong
    `MAX_WRONG_TOKENS` times within `WRONG_TOKEN_WINDOW` is refused unheard until the oldest of them is over, else
    guesses would cost nothing. Who sends no token guesses nothing: else a page of another site could have the browser
    of whoever has the token ask ten times, and shut it out. A refusal is logged with its caller, never with what was
    sent.
    """

    def __init__(
        self, token: SecretStr | None, *, limit: int = MAX_WRONG_TOKENS, window: timedelta = WRONG_TOKEN_WINDOW
    ) -> None:
        self._token = token
        self._wrong_attempts = _AttemptWindow(limit, window.total_seconds())
        self._tokenless_attempts = _AttemptWindow(limit, window.total_seconds())

    def check_token(self, authorization: str, host: str, now: float, *, operation: str) -> TokenDenial | None:
        """None for whoever may. `now` is a monotonic clock's; `operation` says in the log what was wanted."""
        caller = caller_key(host)
        wait = self._wrong_attempts.seconds_until_retry(caller, now)
        if wait > 0:
            return TokenDenial(TokenDenialReason.TOO_MANY_WRONG, wait)
        if self._token is not None and is_valid_bearer(authorization, self._token):
            return None
        refusal = TokenDenial(TokenDenialReason.NOTHING_SET if self._token is None else TokenDenialReason.WRONG)
        # Those without a token are counted for the log alone, which no caller may fill.
        kind = self._wrong_attempts if authorization else self._tokenless_attempts
        if kind.seconds_until_retry(caller, now) > 0:
            return refusal
        left = kind.record_attempt(caller, now)
        log.warning(
            "%s refused to %s: %s",
            operation,
            caller,
            refusal.reason,
            action="token_refused",
            caller=caller,
            why=refusal.reason.value,
            sent=bool(authorization),
            tries_left=left,
        )
        return refusal
