"""What failed, for the operator: one item per clip, workflow, message or source, with its cause and tries. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from found_footy.domain.documents import FeedErrorDocument
from found_footy.domain.ids import minute_label
from found_footy.domain.notify_documents import OutboxDocument
from found_footy.domain.outcomes import TRANSIENT_OUTCOMES, ClipOutcome, RetryAdvice
from found_footy.platform.temporal.failures import FailedWorkflow
from found_footy.views import goal_phrases
from found_footy.views.field_readers import get_nested, read_datetime, read_int, read_text
from found_footy.views.source_views import SourceState, SourceView

_MAX_CAUSE_LENGTH = 500
# A file that may itself be at fault is tried again at once only this often; after that, hours apart.
_QUICK_TRIES = 2
FAILURE_OUTCOMES = frozenset({*TRANSIENT_OUTCOMES, ClipOutcome.DOWNLOAD_FAILED})


class ErrorKind(StrEnum):
    CLIP = "clip"
    WORKFLOW = "workflow"
    MESSAGE = "message"
    SOURCE = "source"
    FEED = "feed"


ERROR_TITLES: Mapping[ErrorKind, tuple[str, str]] = {
    ErrorKind.FEED: ("Football feed", "Without it, no match and no goal is noticed"),
    ErrorKind.SOURCE: ("Sources", "Their last search failed; they are asked again with the next search"),
    ErrorKind.WORKFLOW: ("Workflows", "Runs that failed or ran out of time"),
    ErrorKind.MESSAGE: ("Notifications", "Messages that were not sent, or of which it is not known"),
    ErrorKind.CLIP: ("Clips", "Links whose video could not be fetched or checked, so that nothing is known of it"),
}


@dataclass(frozen=True)
class ErrorItem:
    """`key` names the item in all its tries. `subject` is what a retry is about: the goal and the link, the workflow
    and its run, or the message. `state` says what happens next by itself.
    """

    key: str
    kind: ErrorKind
    title: str
    cause: str
    attempts: int
    at: datetime | None
    state: str = ""
    url: str = ""
    subject: tuple[str, ...] = ()
    can_retry: bool = False


def build_clip_error(row: Mapping[str, Any]) -> ErrorItem | None:
    """`row` is the last note on a candidate, with the number of tries. None if it is a verdict, not a failure."""
    outcome, advice = read_text(row.get("outcome")), _read_advice(row)
    if outcome not in FAILURE_OUTCOMES or advice is RetryAdvice.NEVER:
        return None
    event_id, link, tries = read_text(row.get("event_id")), str(row.get("url") or ""), read_int(row.get("tries")) or 1
    minute = _read_minute(row.get("time"))
    scorer = f"{read_text(row.get('player'), 'Unknown')} {minute}".strip()
    match = f"{read_text(row.get('home'))} – {read_text(row.get('away'))}"
    label = goal_phrases.describe_outcome(outcome)
    reason = read_text(row.get("reason"), limit=_MAX_CAUSE_LENGTH)
    is_open = bool(row.get("open"))
    return ErrorItem(
        key=f"{ErrorKind.CLIP}:{event_id}:{read_text(row.get('link'))}",
        kind=ErrorKind.CLIP,
        title=f"{scorer}, {match}: {goal_phrases.name_of_host(link) or 'a link'}",
        cause=f"{label}: {reason}" if reason else label,
        attempts=tries,
        at=read_datetime(row.get("at")),
        state="is tried again by itself" if is_open else "is not tried again by itself",
        url=f"/goals/{event_id}",
        subject=(event_id, link),
        can_retry=advice is RetryAdvice.ALWAYS or tries < _QUICK_TRIES,
    )


def _read_advice(row: Mapping[str, Any]) -> RetryAdvice:
    given = row.get("retry")
    if given in list(RetryAdvice):
        return RetryAdvice(given)
    return RetryAdvice.ALWAYS if row.get("outcome") in TRANSIENT_OUTCOMES else RetryAdvice.NEVER


def _read_minute(time: Any) -> str:
    elapsed = read_int(get_nested(time, "elapsed"))
    if elapsed is None:
        return ""
    return minute_label(elapsed, read_int(get_nested(time, "extra"))).removesuffix("min") + "'"


def build_workflow_errors(runs: Iterable[FailedWorkflow]) -> list[ErrorItem]:
    """One item per workflow: its newest run that failed, and how many did."""
    by_id: dict[str, list[FailedWorkflow]] = {}
    for run in runs:
        by_id.setdefault(run.workflow_id, []).append(run)
    return [_build_workflow_error(found[0], len(found)) for found in by_id.values()]


def _build_workflow_error(run: FailedWorkflow, tries: int) -> ErrorItem:
    return ErrorItem(
        key=f"{ErrorKind.WORKFLOW}:{run.workflow_id}",
        kind=ErrorKind.WORKFLOW,
        title=f"{run.workflow_type} {run.workflow_id}",
        cause=run.cause,
        attempts=tries,
        at=run.closed_at,
        state=run.status,
        subject=(run.workflow_id, run.run_id),
        can_retry=True,
    )


def build_message_error(entry: OutboxDocument) -> ErrorItem | None:
    """None for a message that waits for its first try."""
    is_waiting, is_doubtful = bool(entry.get("open")), bool(entry.get("doubtful"))
    cause = read_text(entry.get("failure"), limit=_MAX_CAUSE_LENGTH)
    if not cause and not is_doubtful and not entry.get("failed"):
        return None
    facts = entry["facts"]
    said = "may have been sent" if is_doubtful else "was not sent"
    return ErrorItem(
        key=f"{ErrorKind.MESSAGE}:{entry['_id']}",
        kind=ErrorKind.MESSAGE,
        title=f"{entry['channel']}: {facts['home']} – {facts['away']}, {facts['minute']} {facts['player']}",
        cause=cause or said,
        attempts=max(1, len(entry.get("tries") or ())),
        at=read_datetime(entry.get("wanted_at") or entry["created_at"]),
        state="is tried again by itself" if is_waiting else said,
        url=f"/goals/{facts['event_id']}",
        subject=(entry["_id"],),
        can_retry=not is_waiting,
    )


def build_source_error(source: SourceView) -> ErrorItem | None:
    if source.state is not SourceState.FAILING:
        return None
    answered = source.last_answer_at
    return ErrorItem(
        key=f"{ErrorKind.SOURCE}:{source.name}",
        kind=ErrorKind.SOURCE,
        title=source.name,
        cause=source.last_error or "the last search failed",
        attempts=max(1, source.failures),
        at=source.last_search_at,
        state=f"last answered {answered:%Y-%m-%d %H:%M} UTC" if answered else "has not answered yet",
    )


def build_feed_error(error: FeedErrorDocument | None) -> ErrorItem | None:
    if not error:
        return None
    cause = read_text(error.get("text"), limit=_MAX_CAUSE_LENGTH)
    return ErrorItem(
        key=f"{ErrorKind.FEED}:{error.get('kind')}",
        kind=ErrorKind.FEED,
        title=read_text(error.get("kind"), "failure"),
        cause=cause,
        attempts=1,
        at=read_datetime(error.get("at")),
        state="is asked again with the next poll",
    )


def leave_out_dismissed(items: Iterable[ErrorItem], dismissed: Mapping[str, datetime]) -> list[ErrorItem]:
    """An item that failed again after it was dismissed is shown again."""
    return [one for one in items if one.key not in dismissed or (one.at is not None and one.at > dismissed[one.key])]
