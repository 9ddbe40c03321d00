"""Failures of a search. None of them is ever reported as "nothing found".

ExternalSystemError
└── SearchFailed              `code` is its name on the wire, `status` the HTTP status, `until` when it may be over
    ├── XSessionExpired       the site asks for a log-in; a person must act
    ├── XAccountLocked        the site asks the account's owner to verify; a person must act
    ├── XRateLimited          the site's quota or our own stricter budget is spent
    ├── XProtocolDrift        this version does not understand the site's answer; the software must be fixed
    ├── XBlocked              the site blocks this browser or address
    └── TransientFailure      the site, the network or the browser failed; retryable
        └── UnconfirmedEmptyAnswer
"""

from datetime import datetime
from typing import ClassVar

from found_footy.platform.errors import ExternalSystemError

SYSTEM = "X"


class SearchFailed(ExternalSystemError):
    code: ClassVar[str] = "transient"
    status: ClassVar[int] = 503

    def __init__(self, message: str, until: datetime | None = None) -> None:
        super().__init__(SYSTEM, message)
        self.until = until

    def __reduce__(self) -> tuple[type["SearchFailed"], tuple[str, datetime | None]]:  # type: ignore[override]
        return (type(self), (self.message, self.until))


class XSessionExpired(SearchFailed):
    code = "session_expired"


class XAccountLocked(SearchFailed):
    code = "account_locked"


class XRateLimited(SearchFailed):
    code = "rate_limited"
    status = 429
    retryable = True


class XProtocolDrift(SearchFailed):
    code = "protocol_drift"


class XBlocked(SearchFailed):
    code = "blocked"


class TransientFailure(SearchFailed):
    code = "transient"
    retryable = True


class UnconfirmedEmptyAnswer(TransientFailure):
    """Nothing was found by an account to which X may show nothing; the canary search follows."""
