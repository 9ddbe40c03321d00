"""Errors of channels, beside those of the platform."""

from found_footy.platform.errors import ExternalSystemError, Unavailable


class UnknownOutcome(Unavailable):
    """The request was sent and its answer was lost: it may have been carried out."""


class MessageRejected(ExternalSystemError):
    """The channel answered that it will not take this message; the same message is rejected again."""


class SubscriptionEnded(MessageRejected):
    """The browser that was to be told no longer takes messages; nothing is ever sent to it again."""


class MessageGone(ExternalSystemError):
    """The message that is to be edited no longer exists."""
