"""What can be wrong with a search besides being out of reach. A person must act, or time must pass."""

from found_footy.platform.errors import Denied, ExternalSystemError


class SessionExpired(Denied):
    """Somebody must log in again."""


class Blocked(Denied):
    """The site refuses us."""


class AccountLocked(Denied):
    """The account must be unlocked by its owner."""


class ProtocolDrift(ExternalSystemError):
    """The site has changed its shape; the program needs an update."""
