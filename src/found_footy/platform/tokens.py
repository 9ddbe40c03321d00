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

LEAST_LENGTH = 16
WRONG_TOKENS = 10
WINDOW = timedelta(minutes=1)
# A caller more makes the guard forget the one that was refused longest ago.
_MOST_CALLERS = 4096
_IPV6_SITE = 64

log = ActionLogger(__name__)


def _long_enough(token: SecretStr) -> SecretStr:
    if len(token.get_secret_value()) < LEAST_LENGTH:
        raise ValueError(f"must have at least {LEAST_LENGTH} characters; `openssl rand -hex 16` prints a good one")
    return token


AccessToken = Annotated[SecretStr, AfterValidator(_long_enough)]


class Why(StrEnum):
    NOTHING_SET = "nothing_set"
    WRONG = "wrong"
    TOO_MANY_WRONG = "too_many_wrong"


@dataclass(frozen=True)
class Refusal:
    """`wait` is how many seconds the caller is refused for, whatever it sends."""

    why: Why
    wait: float = 0.0


def is_bearer(authorization: str, token: SecretStr) -> bool:
    """Whether an Authorization header, as its bytes read as Latin-1, carries the token. Compared in constant time."""
    scheme, _, given = authorization.partition(" ")
    right = hmac.compare_digest(given.strip().encode("latin-1", "replace"), token.get_secret_value().encode())
    return right and scheme.lower() == "bearer"


def caller_of(host: str) -> str:
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
    return str(ipaddress.ip_network((address, _IPV6_SITE), strict=False))


class TokenGuard:
    """Refuses everybody without the token, and everybody at all when none is set. A caller that was wrong
    `WRONG_TOKENS` times within `WINDOW` is refused unheard until the oldest of them is over, else guesses would cost
    nothing. A refusal is logged with its caller, never with what was sent.
    """

    def __init__(self, token: SecretStr | None, *, limit: int = WRONG_TOKENS, window: timedelta = WINDOW) -> None:
        self._token = token
        self._limit = limit
        self._window = window.total_seconds()
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def refusal(self, authorization: str, host: str, now: float, *, asked: str) -> Refusal | None:
        """None for whoever may. `now` is a monotonic clock's; `asked` says in the log what was wanted."""
        caller = caller_of(host)
        wait = self._wait(caller, now)
        if wait > 0:
            return Refusal(Why.TOO_MANY_WRONG, wait)
        if self._token is not None and is_bearer(authorization, self._token):
            return None
        refusal = Refusal(Why.NOTHING_SET if self._token is None else Why.WRONG)
        left = self._note(caller, now)
        log.warning(
            "%s refused to %s: %s", asked, caller, refusal.why, action="token_refused",
            caller=caller, why=refusal.why.value, tries_left=left,
        )  # fmt: skip
        return refusal

    def _wait(self, caller: str, now: float) -> float:
        tries = self._wrong.get(caller)
        if tries is None or len(tries) < self._limit:
            return 0.0
        return max(0.0, tries[0] + self._window - now)

    def _note(self, caller: str, now: float) -> int:
        """How many tries the caller has left."""
        tries = self._wrong.setdefault(caller, deque(maxlen=self._limit))
        while tries and tries[0] + self._window <= now:
            tries.popleft()
        tries.append(now)
        self._wrong.move_to_end(caller)
        if len(self._wrong) > _MOST_CALLERS:
            self._wrong.popitem(last=False)
        return self._limit - len(tries)
