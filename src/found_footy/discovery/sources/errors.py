"""Failures of a search other than being unreachable. A person must act, or time must pass."""

from found_footy.platform.errors import Denied, ExternalSystemError


class SessionExpired(Denied):
    """Somebody must log in again."""


class Blocked(Denied):
    """The site refuses this client."""


class AuthFailed(Denied):
    """The site refuses the key; its owner must replace it."""


class AccountLocked(Denied):
    """The account must be unlocked by its owner."""


class ProtocolDrift(ExternalSystemError):
    """The site has changed its format; the program needs an update."""
