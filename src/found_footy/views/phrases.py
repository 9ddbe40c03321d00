"""Texts for viewers: the state of a match, the progress of a goal, and why a goal has no clip."""

from datetime import UTC, datetime

from found_footy.domain.collections import KNOWN_STATUSES
from found_footy.domain.ids import minute_text
from found_footy.domain.outcomes import CompletionReason, GoalStatus

_STATUS_LABELS = {
    "TBD": "Time to be set",
    "NS": "Not started",
    "PST": "Postponed",
    "HT": "Half-time",
    "BT": "Break",
    "P": "Penalties",
    "SUSP": "Suspended",
    "INT": "Interrupted",
    "FT": "Full time",
    "AET": "After extra time",
    "PEN": "After penalties",
    "CANC": "Cancelled",
    "ABD": "Abandoned",
    "AWD": "Awarded",
    "WO": "Walkover",
}


def format_minute(elapsed: int | None, extra: int | None) -> str:
    """`23'`, `45+3'` in added time, nothing without a clock."""
    if elapsed is None:
        return ""
    return f"{minute_text(elapsed, extra)}'"


def describe_fixture_state(status: str, elapsed: int | None, extra: int | None) -> str:
    """`67'` while the clock runs, else the label of the status."""
    if status in _STATUS_LABELS:
        return _STATUS_LABELS[status]
    return format_minute(elapsed, extra) or ("Live" if status in KNOWN_STATUSES else status or "Unknown")


def format_resolution(width: int | None, height: int | None) -> str:
    if not width or not height:
        return ""
    return f"{min(width, height)}p"


def format_duration(seconds: float | None) -> str:
    """`0:09`, `1:02`; fractions of a second are dropped, as players do."""
    if seconds is None or seconds < 0:
        return ""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


_GOAL_STATUS_LABELS = {
    GoalStatus.VALIDATING: "Validating",
    GoalStatus.SEARCHING: "Searching",
    GoalStatus.WATCHABLE: "Watchable",
    GoalStatus.EMPTY: "No clip",
    GoalStatus.REMOVED: "Removed",
}


def goal_status_label(status: GoalStatus) -> str:
    return _GOAL_STATUS_LABELS[status]


def describe_post_count(posts: int) -> str:
    return "Found in 1 post" if posts == 1 else f"Found in {posts} posts"


_EMPTY_REASON_TEMPLATES = {
    CompletionReason.DELIVERED: "{attempts} searches, no usable clip found",
    CompletionReason.ATTEMPTS_EXHAUSTED: "searches kept failing, ended after {attempts}",
    CompletionReason.DEADLINE: "ran out of time after {attempts} searches",
    CompletionReason.UNIDENTIFIED: "the scorer was never named, so nothing could be searched",
}


def describe_empty_reason(reason: str | None, attempts: int) -> str:
    known = next(
        (phrase for known_reason, phrase in _EMPTY_REASON_TEMPLATES.items() if known_reason == reason),
        "no usable clip found",
    )
    sentence = known.format(attempts=attempts)
    return sentence.replace("1 searches", "1 search") if attempts == 1 else sentence


_PAUSE_REASONS = {
    "session_expired": "the X session has expired",
    "rate_limited": "X limits the rate",
    "blocked": "X refuses the search",
    "account_locked": "the X account is locked",
    "protocol_drift": "X answers in an unknown format",
    "unavailable": "the search service does not answer",
}


def describe_unchecked_clips(unchecked: int, retry_at: datetime | None) -> str:
    """Explain why a goal whose search attempts are over is not complete."""
    clips = "1 clip" if unchecked == 1 else f"{unchecked} clips"
    moment = f", next try at {retry_at.astimezone(UTC):%H:%M} UTC" if retry_at else ""
    return f"{clips} could not be checked yet{moment}"


def describe_progress(
    status: GoalStatus,
    *,
    polls_seen: int,
    attempts: int,
    attempts_wanted: int,
    is_searching: bool,
    reason: str | None,
    search_state: str,
    unchecked: int = 0,
    retry_at: datetime | None = None,
) -> str:
    """Return the text beside a goal's status; empty where the status alone suffices. `search_state` is the state that
    the search reports; `unchecked` candidates remain after the last attempt and are tried again at `retry_at`.
    """
    attempt = f"attempt {max(attempts, 1)} of {max(attempts_wanted, attempts)}"
    if search_state in _PAUSE_REASONS:
        attempt += f", paused: {_PAUSE_REASONS[search_state]}"
    if status is GoalStatus.VALIDATING:
        return f"seen in {polls_seen} {'poll' if polls_seen == 1 else 'polls'}, waiting for confirmation"
    if status is GoalStatus.SEARCHING:
        return attempt if is_searching else describe_unchecked_clips(unchecked, retry_at)
    if status is GoalStatus.EMPTY:
        return describe_empty_reason(reason, attempts)
    if status is GoalStatus.REMOVED:
        return "no longer a goal, its clips are not shown"
    return f"still searching, {attempt}" if is_searching else ""


def format_time_until(then: datetime, now: datetime) -> str:
    """`in 25 minutes`, `in 3 hours`, `in 2 days`; `any moment` when it is due."""
    minutes = int((then - now).total_seconds() // 60)
    if minutes < 1:
        return "any moment"
    for unit, size in (("day", 2 * 24 * 60), ("hour", 2 * 60)):
        if minutes >= size:
            amount = minutes // (size // 2)
            return f"in {amount} {unit}s"
    return f"in {minutes} minute{'' if minutes == 1 else 's'}"


def describe_witness(witness: str) -> str:
    """ "confirmed: teams, score and minute agree" as words for viewers."""
    _, _, agreeing = witness.partition(": ")
    return f"the title of a post confirms it: {agreeing}" if agreeing else ""
