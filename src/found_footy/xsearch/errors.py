"""Ways a search can fail. None of them is ever reported as "nothing found".

OutsideError
└── SearchFailed          `code` is its name on the wire, `status` the HTTP status, `until` when it may be over
    ├── SessionExpired    the site asks for a log-in; a person must act
    ├── AccountLocked     the site wants to see the account's owner; a person must act
    ├── RateLimited       the allowance is used up, the site's or our own stricter one
    ├── ProtocolDrift     the site answers in a way this version does not understand; the software must be mended
    ├── Blocked           the site keeps this browser or address out
    └── Transient         the site, the network or the browser stumbled; worth another try
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
    """Nothing was found, by an account that X may show nothing; a search that must find something follows."""
