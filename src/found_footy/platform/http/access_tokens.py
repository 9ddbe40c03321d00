"""Bearer tokens of our own HTTP services: minimum length, comparison, and a limit on wrong tokens per caller."""

import hmac
import ipaddress
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, SecretStr

from found_footy.platform.logs import ActionLogger

MIN_TOKEN_LENGTH = 16
MAX_WRONG_TOKENS = 10
WRONG_TOKEN_WINDOW = timedelta(minutes=1)
# Beyond this number the guard forgets the caller that was rejected longest ago.
_MAX_TRACKED_CALLERS = 4096
_IPV6_PREFIX_LENGTH = 64

logger = ActionLogger(__name__)


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
    """`retry_after` is the number of seconds for which every request of the caller is rejected."""

    reason: TokenDenialReason
    retry_after: float = 0.0


def is_valid_bearer(authorization: str, token: SecretStr) -> bool:
    """Whether an Authorization header, decoded as Latin-1, carries the token. Compared in constant time."""
    scheme, _, given = authorization.partition(" ")
    right = hmac.compare_digest(given.strip().encode("latin-1", "replace"), token.get_secret_value().encode())
    return right and scheme.lower() == "bearer"


def read_bearer(headers: Mapping[str, str]) -> str | None:
    """Return the key or token that was sent; None without one. Credentials of another scheme are for a proxy in front
    of us.
    """
    scheme, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else None


def caller_key(host: str) -> str:
    """Return the key under which wrong tokens of an address are counted: for IPv6 its /64 network, because one caller
    has 2^64 addresses.
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


class AttemptWindow:
    """Counts the attempts of each caller within a sliding window, up to a limit."""

    def __init__(self, limit: int, window: float) -> None:
        self._limit = limit
        self._window = window
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._times)

    def seconds_until_retry(self, caller: str, now: float) -> float:
        """Seconds until the caller may try again; 0 if it may now."""
        times = self._times.get(caller)
        if times is None or len(times) < self._limit:
            return 0.0
        return max(0.0, times[0] + self._window - now)

    def record_attempt(self, caller: str, now: float) -> int:
        """Record an attempt; returns how many the caller has left."""
        times = self._times.setdefault(caller, deque(maxlen=self._limit))
        while times and times[0] + self._window <= now:
            times.popleft()
        times.append(now)
        self._times.move_to_end(caller)
        if len(self._times) > _MAX_TRACKED_CALLERS:
            self._times.popitem(last=False)
        return self._limit - len(times)

    def forget_latest(self, caller: str) -> None:
        """Take the caller's latest attempt back."""
        times = self._times.get(caller)
        if times:
            times.pop()


class TokenGuard:
    """Rejects requests without the right token, and all requests if no token is set. A caller that sent
    `MAX_WRONG_TOKENS` wrong tokens within `WRONG_TOKEN_WINDOW` is rejected unread until the oldest of them leaves the
    window, otherwise guessing would cost nothing. Requests without a token do not count: otherwise a page of another
    site could make the token holder's browser send ten of them and lock it out. A rejection is logged with its caller,
    never with what was sent.
    """

    def __init__(
        self, token: SecretStr | None, *, limit: int = MAX_WRONG_TOKENS, window: timedelta = WRONG_TOKEN_WINDOW
    ) -> None:
        self._token = token
        self._wrong_attempts = AttemptWindow(limit, window.total_seconds())
        self._tokenless_attempts = AttemptWindow(limit, window.total_seconds())

    def check_token(self, authorization: str, host: str, now: float, *, operation: str) -> TokenDenial | None:
        """Return None if the request is allowed. `now` is monotonic; `operation` names the requested operation in the
        log.
        """
        caller = caller_key(host)
        wait = self._wrong_attempts.seconds_until_retry(caller, now)
        if wait > 0:
            return TokenDenial(TokenDenialReason.TOO_MANY_WRONG, wait)
        if self._token is not None and is_valid_bearer(authorization, self._token):
            return None
        refusal = TokenDenial(TokenDenialReason.NOTHING_SET if self._token is None else TokenDenialReason.WRONG)
        # Requests without a token are counted only to limit log lines per caller.
        kind = self._wrong_attempts if authorization else self._tokenless_attempts
        if kind.seconds_until_retry(caller, now) > 0:
            return refusal
        left = kind.record_attempt(caller, now)
        logger.warning(
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
