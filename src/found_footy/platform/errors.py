"""Errors by what failed and whether a retry can help.

FoundFootyError
├── ConfigError            a setting is missing or wrong; an operator must act
├── BadInput               the input breaks its contract; the same bytes will fail again
├── NotFound               the requested object does not exist
├── Conflict               another writer changed or holds the object
└── ExternalSystemError    another system failed; `system` names it
    ├── Unavailable        unreachable, slow or failing; retryable
    │   ├── Unreachable    no connection was made, so nothing was sent
    │   └── DiskFailed     this machine's own disk is full or broken, whatever was being fetched
    │       └── DiskLow    free space is below the floor, so no new work starts
    ├── RateLimited        it asked us to wait; `retry_after` seconds if it said how long
    ├── Denied             it rejects us (credentials, suspension); an operator must act
    │   └── StoreDenied    one of our own stores rejects us; retryable, since it may still be starting
    ├── Malformed          its answer breaks its contract; retryable
    └── Refused            we do not talk to it (address not allowed)
        └── TooLarge       its answer exceeds our size limit

Code branches on the class, never on the message text.
"""

from typing import ClassVar


class FoundFootyError(Exception):
    """The base class. The Temporal layer reads `retryable` to decide whether an activity is retried."""

    retryable: ClassVar[bool] = False


class ConfigError(FoundFootyError):
    pass


class BadInput(FoundFootyError):
    pass


class NotFound(FoundFootyError):
    pass


class Conflict(FoundFootyError):
    pass


class ExternalSystemError(FoundFootyError):
    def __init__(self, system: str, message: str) -> None:
        super().__init__(f"{system}: {message}")
        self.system = system
        self.message = message

    def __reduce__(self) -> tuple[type["ExternalSystemError"], tuple[str, str]]:
        return (type(self), (self.system, self.message))


class Unavailable(ExternalSystemError):
    retryable = True


class Unreachable(Unavailable):
    pass


class DiskFailed(Unavailable):
    pass


class DiskLow(DiskFailed):
    pass


class RateLimited(ExternalSystemError):
    retryable = True

    def __init__(self, system: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(system, message)
        self.retry_after = retry_after


class Denied(ExternalSystemError):
    pass


class StoreDenied(Denied):
    retryable = True


class Malformed(ExternalSystemError):
    retryable = True


class Refused(ExternalSystemError):
    pass


class TooLarge(Refused):
    pass
