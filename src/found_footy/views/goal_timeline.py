"""The history of a goal in words: seen, confirmed, searched, kept, rejected, re-attributed, removed. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from found_footy.domain.outcomes import ARCHIVED_OUTCOMES, ClipOutcome
from found_footy.views import goal_phrases, phrases
from found_footy.views.clip_views import keep_https_url
from found_footy.views.field_readers import (
    Document,
    get_nested,
    read_datetime,
    read_documents,
    read_int,
    read_strings,
    read_text,
)
from found_footy.views.fixture_views import GoalView

_BEFORE_ALL = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_REASON_LENGTH = 240


@dataclass(frozen=True)
class RejectionView:
    """A candidate that is not shown, and why."""

    url: str | None
    host: str
    label: str
    reason: str


@dataclass(frozen=True)
class GoalTimelineEntry:
    """Something that happened to the goal; `at` is missing where only the order is known."""

    kind: str
    title: str
    at: datetime | None = None
    detail: str = ""
    rejections: tuple[RejectionView, ...] = ()


def build_timeline(goal: GoalView, event: Mapping[str, Any]) -> tuple[GoalTimelineEntry, ...]:
    """Everything that is known to have happened, oldest first."""
    dated = sorted(_iter_dated(goal, event), key=lambda entry: entry.at or _BEFORE_ALL)
    place = next((place for place, entry in enumerate(dated, start=1) if entry.kind == "seen"), 0)
    return (*dated[:place], *_describe_confirmation(event), *dated[place:])


def _iter_dated(goal: GoalView, event: Mapping[str, Any]) -> Iterator[GoalTimelineEntry]:
    yield from _iter_feed_entries(goal, event)
    for attempt in _list_attempts(event):
        yield _describe_attempt(attempt)
    yield from _iter_clip_entries(event)
    ended = read_datetime(event.get("_download_completed_at"))
    if ended:
        kept = goal_phrases.count_of(len(goal.clips), "clip is", "clips are")
        why = f"{kept} shown" if goal.clips else phrases.describe_empty_reason(goal.completion_reason, goal.attempts)
        yield GoalTimelineEntry("ended", "Search ended", ended, why)


def _iter_feed_entries(goal: GoalView, event: Mapping[str, Any]) -> Iterator[GoalTimelineEntry]:
    scored, seen = read_datetime(event.get("_fell_at")), goal.first_seen
    if scored and seen and scored < seen:
        yield GoalTimelineEntry("scored", "Scored", scored, "counted back from the clock of the match")
    if seen:
        yield GoalTimelineEntry("seen", "Seen in the feed", seen, f"{goal.player}, {goal.minute}, {goal.team.name}")
    if goal.moved_from:
        yield GoalTimelineEntry(
            "reattributed",
            "Given to another scorer",
            read_datetime(event.get("_stored_at")) or seen,
            f"the feed now names {goal.player}; clips and searches moved along, old links lead here",
        )
    missing = read_datetime(event.get("_missing_since"))
    if missing and goal.removed_at is None:
        yield GoalTimelineEntry("doubtful", "Missing from the feed", missing, "it is removed if it stays away")
    doubtful = read_datetime(event.get("_doubtful_since"))
    if doubtful and goal.removed_at is None:
        yield GoalTimelineEntry("doubtful", "Doubtful", doubtful, "the feed no longer lists it and does not say why")
    if goal.removed_at:
        yield GoalTimelineEntry(
            "removed",
            "No longer a goal",
            goal.removed_at,
            "the feed took it back, after a video review or as a correction; its clips are not shown",
        )


def _describe_confirmation(event: Mapping[str, Any]) -> tuple[GoalTimelineEntry, ...]:
    if not event.get("_monitor_complete"):
        return ()
    polls = goal_phrases.count_of(len(read_strings(event.get("_monitor_workflows"))), "poll", "polls")
    return (GoalTimelineEntry("confirmed", "Confirmed", None, f"the feed listed it in {polls}, so the search began"),)


def _list_attempts(event: Mapping[str, Any]) -> list[Document]:
    attempts = get_nested(event, "_telemetry", "attempts")
    found = [one for one in attempts.values() if isinstance(one, dict)] if isinstance(attempts, Mapping) else []
    return sorted(found, key=lambda one: read_datetime(one.get("searched_at")) or _BEFORE_ALL)


def iter_candidate_outcomes(event: Mapping[str, Any]) -> Iterator[Document]:
    """What became of each candidate, attempt by attempt."""
    for attempt in _list_attempts(event):
        yield from _list_outcomes(attempt)


def _list_outcomes(attempt: Document) -> list[Document]:
    clips = attempt.get("clips")
    return [one for one in clips.values() if isinstance(one, dict)] if isinstance(clips, Mapping) else []


def _describe_attempt(attempt: Document) -> GoalTimelineEntry:
    outcomes = _list_outcomes(attempt)
    counted = Counter(read_text(one.get("outcome")) for one in outcomes)
    kept = sum(counted[outcome] for outcome in goal_phrases.KEPT_OUTCOMES)
    known = counted[ClipOutcome.DUPLICATE]
    rejected = [one for one in outcomes if _is_rejected(one)]
    number = read_int(attempt.get("attempt"))
    said = [
        goal_phrases.count_of(read_int(attempt.get("found")) or 0, "video found", "videos found"),
        f"{kept} kept" if kept else "",
        f"{known} already known" if known else "",
        f"{len(rejected)} rejected" if rejected else "",
    ]
    return GoalTimelineEntry(
        kind="searched",
        title=f"Search {number}" if number else "Search",
        at=read_datetime(attempt.get("searched_at")),
        detail=", ".join(text for text in said if text),
        rejections=tuple(_build_rejection(one) for one in rejected),
    )


def _is_rejected(outcome: Document) -> bool:
    word = read_text(outcome.get("outcome"))
    return bool(word) and word not in {str(known) for known in ARCHIVED_OUTCOMES}


def _build_rejection(outcome: Document) -> RejectionView:
    link = read_text(outcome.get("url"), limit=500)
    return RejectionView(
        url=keep_https_url(link),
        host=goal_phrases.name_of_host(link) or "a link",
        label=goal_phrases.describe_outcome(read_text(outcome.get("outcome"))),
        reason=read_text(outcome.get("reason"), limit=_MAX_REASON_LENGTH),
    )


def _iter_clip_entries(event: Mapping[str, Any]) -> Iterator[GoalTimelineEntry]:
    if event.get("_removed"):
        return
    for clip in read_documents(event.get("_s3_videos")):
        size = phrases.format_resolution(read_int(clip.get("width")), read_int(clip.get("height")))
        minute = "minute verified" if clip.get("timestamp_verified") else "minute not verified"
        added, replaced = read_datetime(clip.get("added_at")), read_datetime(clip.get("replaced_at"))
        if added:
            yield GoalTimelineEntry("kept", "Clip kept", added, ", ".join(text for text in (size, minute) if text))
        if replaced:
            yield GoalTimelineEntry("kept", "A better copy took its place", replaced, size)
