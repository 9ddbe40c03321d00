"""Errors that say what failed and whether trying again can help.

FoundFootyError
├── ConfigError            a setting is missing or wrong; a person must act
├── BadInput               what came in breaks its contract; the same bytes will fail again
├── NotFound               the thing asked for does not exist
├── Conflict               somebody else changed or holds it
└── OutsideError           another system did not do its part; `system` names it
    ├── Unavailable        out of reach, slow or failing; worth another try
    │   └── DiskFailed     this machine's own disk is full or broken, whatever was being fetched
    │       └── DiskLow    it has less free space than its floor, so nothing new is begun on it
    ├── RateLimited        it asked us to wait; `retry_after` seconds if it said how long
    ├── Denied             it refuses us (credentials, suspension); a person must act
    │   └── StoreDenied    one of our own stores does; it may be starting, or a person acts while work waits
    ├── Malformed          it answered with something that is not its contract; worth another try
    └── Refused            we refuse to talk to it (address not allowed)
        └── TooLarge       its answer is larger than we take

Nobody branches on a message's text: the class is the meaning, the text is for people.
"""

from typing import ClassVar


class FoundFootyError(Exception):
    """The root. `retryable` is read by the Temporal layer to decide whether an activity is tried again."""

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
