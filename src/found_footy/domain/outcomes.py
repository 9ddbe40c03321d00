"""The possible outcomes of a clip, a search and a goal."""

from collections.abc import Collection
from enum import StrEnum


class ClipOutcome(StrEnum):
    UPLOADED = "uploaded"
    REPLACED = "replaced"
    DUPLICATE = "duplicate"
    FILTERED_DURATION = "filtered_duration"
    FILTERED_ASPECT = "filtered_aspect"
    FILTERED_SIZE = "filtered_size"
    UNSUPPORTED_CODEC = "unsupported_codec"
    NOT_SOCCER = "not_soccer"
    PHONE_SCREEN = "phone_screen"
    WRONG_MINUTE = "wrong_minute"
    WRONG_MATCH = "wrong_match"
    WRONG_GOAL = "wrong_goal"
    VISION_UNAVAILABLE = "vision_unavailable"
    DOWNLOAD_DELETED = "download_deleted"
    DOWNLOAD_GEO = "download_geo"
    DOWNLOAD_RATE_LIMITED = "download_rate_limited"
    DOWNLOAD_TIMEOUT = "download_timeout"
    DOWNLOAD_FAILED = "download_failed"
    BAD_URL = "bad_url"
    EVENT_REMOVED = "event_removed"
    BLOCKED = "blocked"


# The recording is in the archive, by this file or by another copy of it.
ARCHIVED_OUTCOMES = frozenset({ClipOutcome.UPLOADED, ClipOutcome.REPLACED, ClipOutcome.DUPLICATE})


class RetryAdvice(StrEnum):
    """Whether fetching the same candidate again can end differently; `few` if the file itself may be at fault."""

    NEVER = "never"
    FEW = "few"
    ALWAYS = "always"


# The clip has not been checked, because the host, the vision reader or this machine failed.
TRANSIENT_OUTCOMES = frozenset(
    {ClipOutcome.VISION_UNAVAILABLE, ClipOutcome.DOWNLOAD_RATE_LIMITED, ClipOutcome.DOWNLOAD_TIMEOUT}
)


def retry_advice(outcome: ClipOutcome, reported: RetryAdvice | None = None) -> RetryAdvice:
    """Return what the reporter of the failure advised, else ALWAYS for a transient outcome and NEVER for the others."""
    return reported or (RetryAdvice.ALWAYS if outcome in TRANSIENT_OUTCOMES else RetryAdvice.NEVER)


class TimestampStatus(StrEnum):
    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    REJECTED = "rejected"


class Finding(StrEnum):
    """What one field of the picture (minute, half, teams, score) says about the goal."""

    CONFIRMED = "confirmed"
    UNKNOWN = "unknown"
    CONTRADICTED = "contradicted"


class CompletionReason(StrEnum):
    """Why a goal's search ended."""

    DELIVERED = "delivered"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    DEADLINE = "deadline"
    UNIDENTIFIED = "unidentified"


class GoalStatus(StrEnum):
    """The state of a goal as shown to viewers."""

    VALIDATING = "validating"
    SEARCHING = "searching"
    WATCHABLE = "watchable"
    EMPTY = "empty"
    REMOVED = "removed"


def goal_status(
    *,
    removed: bool,
    monitor_complete: bool,
    download_complete: bool,
    clips: Collection[object],
    open_links: Collection[object] = (),
) -> GoalStatus:
    """Derive a goal's status for viewers; the only place that does. `empty` means that every candidate was checked:
    while `open_links` remain, the search continues.
    """
    if removed:
        return GoalStatus.REMOVED
    if clips:
        return GoalStatus.WATCHABLE
    if download_complete and not open_links:
        return GoalStatus.EMPTY
    return GoalStatus.SEARCHING if monitor_complete else GoalStatus.VALIDATING
