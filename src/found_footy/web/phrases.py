"""What people are told: the words for a match's state, a goal's progress and why a goal has no clip."""

from datetime import UTC, datetime

from found_footy.model.fixture import CALLED_OFF, IN_PLAY, PLAYED, POSTPONED, STOPPED, UPCOMING
from found_footy.model.outcome import CompletionReason, GoalStatus

_STATUS_WORDS = {
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
_KNOWN = UPCOMING | POSTPONED | IN_PLAY | STOPPED | PLAYED | CALLED_OFF


def minute(elapsed: int | None, extra: int | None) -> str:
    """`23'`, `45+3'` in added time, nothing without a clock."""
    if elapsed is None:
        return ""
    return f"{elapsed}+{extra}'" if extra else f"{elapsed}'"


def match_state(status: str, elapsed: int | None, extra: int | None) -> str:
    """`67'` while the clock runs, else what the status means."""
    if status in _STATUS_WORDS:
        return _STATUS_WORDS[status]
    return minute(elapsed, extra) or ("Live" if status in _KNOWN else status or "Unknown")


def resolution(width: int | None, height: int | None) -> str:
    if not width or not height:
        return ""
    return f"{min(width, height)}p"


def length(seconds: float | None) -> str:
    """`0:09`, `1:02`; seconds are dropped to whole ones, as a player shows them."""
    if seconds is None or seconds < 0:
        return ""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


_CHIPS = {
    GoalStatus.VALIDATING: "Validating",
    GoalStatus.SEARCHING: "Searching",
    GoalStatus.WATCHABLE: "Watchable",
    GoalStatus.EMPTY: "No clip",
    GoalStatus.REMOVED: "Removed",
}


def chip(status: GoalStatus) -> str:
    return _CHIPS[status]


def found_by(posts: int) -> str:
    return "Found in 1 post" if posts == 1 else f"Found in {posts} posts"


_EMPTY = {
    CompletionReason.DELIVERED: "{attempts} searches, no usable clip turned up",
    CompletionReason.ATTEMPTS_EXHAUSTED: "searches kept failing, given up after {attempts}",
    CompletionReason.DEADLINE: "ran out of time after {attempts} searches",
    CompletionReason.UNIDENTIFIED: "the scorer was never named, so nothing could be searched",
}


def empty_reason(reason: str | None, attempts: int) -> str:
    known = next((phrase for word, phrase in _EMPTY.items() if word == reason), "no usable clip turned up")
    sentence = known.format(attempts=attempts)
    return sentence.replace("1 searches", "1 search") if attempts == 1 else sentence


_PAUSES = {
    "session_expired": "the X session has expired",
    "rate_limited": "X asked for patience",
    "blocked": "X refuses the search",
    "account_locked": "the X account is locked",
    "protocol_drift": "X answers in a shape not known here",
    "unavailable": "the search service does not answer",
}


def unseen_clips(unseen: int, retry_at: datetime | None) -> str:
    """Why a goal whose attempts are over is not settled."""
    clips = "1 clip" if unseen == 1 else f"{unseen} clips"
    moment = f", next try at {retry_at.astimezone(UTC):%H:%M} UTC" if retry_at else ""
    return f"{clips} could not be looked at yet{moment}"


def progress(
    status: GoalStatus,
    *,
    sightings: int,
    attempts: int,
    wanted: int,
    searching: bool,
    reason: str | None,
    state: str,
    unseen: int = 0,
    retry_at: datetime | None = None,
) -> str:
    """The line beside a goal's status; nothing where the status alone says it all. `state` is the search's own word;
    when its attempts are over, `unseen` links are left that are tried again at `retry_at`.
    """
    attempt = f"attempt {max(attempts, 1)} of {max(wanted, attempts)}"
    if state in _PAUSES:
        attempt += f", paused: {_PAUSES[state]}"
    if status is GoalStatus.VALIDATING:
        return f"seen in {sightings} {'poll' if sightings == 1 else 'polls'}, waiting until it is certain"
    if status is GoalStatus.SEARCHING:
        return attempt if searching else unseen_clips(unseen, retry_at)
    if status is GoalStatus.EMPTY:
        return empty_reason(reason, attempts)
    if status is GoalStatus.REMOVED:
        return "struck out, its clips are withdrawn"
    return f"still searching, {attempt}" if searching else ""


def until(then: datetime, now: datetime) -> str:
    """`in 25 minutes`, `in 3 hours`, `in 2 days`; `any moment` when it is due."""
    minutes = int((then - now).total_seconds() // 60)
    if minutes < 1:
        return "any moment"
    for unit, size in (("day", 2 * 24 * 60), ("hour", 2 * 60)):
        if minutes >= size:
            amount = minutes // (size // 2)
            return f"in {amount} {unit}s"
    return f"in {minutes} minute{'' if minutes == 1 else 's'}"
