"""Outcomes: the closed lists of what can become of a clip, a search and a goal."""

from collections.abc import Collection
from enum import StrEnum


class ClipOutcome(StrEnum):
    UPLOADED = "uploaded"
    REPLACED = "replaced"
    DUPLICATE = "duplicate"
    FILTERED_DURATION = "filtered_duration"
    FILTERED_ASPECT = "filtered_aspect"
    FILTERED_SIZE = "filtered_size"
    NOT_SOCCER = "not_soccer"
    PHONE_SCREEN = "phone_screen"
    WRONG_MINUTE = "wrong_minute"
    VISION_UNAVAILABLE = "vision_unavailable"
    DOWNLOAD_DELETED = "download_deleted"
    DOWNLOAD_GEO = "download_geo"
    DOWNLOAD_RATE_LIMITED = "download_rate_limited"
    DOWNLOAD_TIMEOUT = "download_timeout"
    DOWNLOAD_FAILED = "download_failed"
    BAD_URL = "bad_url"
    EVENT_REMOVED = "event_removed"
    BLOCKED = "blocked"


class TimestampStatus(StrEnum):
    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    REJECTED = "rejected"


class CompletionReason(StrEnum):
    """Why a goal's search ended."""

    DELIVERED = "delivered"
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    DEADLINE = "deadline"
    UNIDENTIFIED = "unidentified"


class GoalStatus(StrEnum):
    """What a person is told about a goal."""

    VALIDATING = "validating"
    SEARCHING = "searching"
    WATCHABLE = "watchable"
    EMPTY = "empty"
    REMOVED = "removed"


def goal_status(
    *, removed: bool, monitor_complete: bool, download_complete: bool, clips: Collection[object]
) -> GoalStatus:
    """The one place where a goal's status for people is derived."""
    if removed:
        return GoalStatus.REMOVED
    if clips:
        return GoalStatus.WATCHABLE
    if download_complete:
        return GoalStatus.EMPTY
    return GoalStatus.SEARCHING if monitor_complete else GoalStatus.VALIDATING
