"""The product's results of the day: its goals, clips and outcomes, read from its own documents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from found_footy.domain.goals import select_removed_goals
from found_footy.domain.ids import is_search_attempt
from found_footy.domain.outcomes import ClipOutcome, CompletionReason
from found_footy.views.field_readers import (
    Document,
    get_nested,
    read_datetime,
    read_documents,
    read_int,
    read_strings,
    read_text,
)
from found_footy.views.fixture_views import StoredFixture, pick_current_copies
from found_footy_sim.scorecard.ground_truth import read_tweet_id

ARCHIVED_OUTCOMES = frozenset({ClipOutcome.UPLOADED, ClipOutcome.REPLACED, ClipOutcome.DUPLICATE})
_MAX_URL_LENGTH = 500


@dataclass(frozen=True)
class PublishedClip:
    """A clip that is published on the page."""

    clip_id: str
    md5: str
    rank: int
    verified: bool
    sources: tuple[str, ...]
    added_at: datetime | None


@dataclass(frozen=True)
class PostOutcome:
    """The outcome of one post for one goal, after the last attempt that checked it."""

    url: str
    outcome: str
    attempt: int


@dataclass(frozen=True)
class ObservedGoal:
    event_id: str
    fixture: int
    team: int
    player: str
    player_id: int
    elapsed: int
    extra: int
    removed: bool
    ended: bool
    reason: str
    first_seen: datetime | None
    confirmed_at: datetime | None
    attempts: int
    clips: tuple[PublishedClip, ...] = ()
    post_outcomes: tuple[PostOutcome, ...] = ()

    @property
    def minute(self) -> int:
        return self.elapsed + self.extra

    @property
    def is_closed_by_deadline(self) -> bool:
        """Whether time ran out: something was left to do for it."""
        return not self.removed and self.reason == CompletionReason.DEADLINE

    @cached_property
    def outcome_by_tweet(self) -> Mapping[str, PostOutcome]:
        return {read_tweet_id(outcome.url): outcome for outcome in self.post_outcomes}


def observe_goals(stored: Iterable[StoredFixture]) -> tuple[ObservedGoal, ...]:
    """Every goal of every fixture, removed or not. A re-attributed goal is one goal, under its new id."""
    found: list[ObservedGoal] = []
    for one in pick_current_copies(stored):
        live = _read_events(one.document, "events")
        removed = select_removed_goals(live, _read_events(one.document, "removed_events"))
        found += [_observe_goal(one, event, removed=False) for event in live]
        found += [_observe_goal(one, event, removed=True) for event in removed]
    return tuple(found)


def _read_events(document: Document, name: str) -> list[Document]:
    return [event for event in read_documents(document.get(name)) if event.get("_event_id")]


def _observe_goal(stored: StoredFixture, event: Document, *, removed: bool) -> ObservedGoal:
    return ObservedGoal(
        event_id=read_text(event["_event_id"]),
        fixture=stored.document["_id"],
        team=read_int(get_nested(event, "team", "id")) or 0,
        player=read_text(get_nested(event, "player", "name")),
        player_id=read_int(get_nested(event, "player", "id")) or 0,
        elapsed=read_int(get_nested(event, "time", "elapsed")) or 0,
        extra=read_int(get_nested(event, "time", "extra")) or 0,
        removed=removed,
        ended=removed or bool(event.get("_download_complete")),
        reason=read_text(event.get("_completion_reason")),
        first_seen=read_datetime(event.get("_first_seen")),
        confirmed_at=read_datetime(event.get("_due_at")),
        attempts=sum(map(is_search_attempt, read_strings(event.get("_download_workflows")))),
        clips=() if removed else tuple(map(_observe_clip, _playable_clips(event))),
        post_outcomes=tuple(_latest_outcomes(event)),
    )


def _playable_clips(event: Document) -> list[Document]:
    return [clip for clip in read_documents(event.get("_s3_videos")) if clip.get("_s3_key")]


def _observe_clip(clip: Document) -> PublishedClip:
    own = read_text(clip.get("source_url"), limit=_MAX_URL_LENGTH)
    return PublishedClip(
        clip_id=read_text(clip.get("clip_id")) or read_text(clip.get("md5")),
        md5=read_text(clip.get("md5")),
        rank=read_int(clip.get("rank")) or 0,
        verified=bool(clip.get("timestamp_verified")),
        # The post whose bytes these are comes first; the others may have had other bytes.
        sources=tuple(dict.fromkeys([*([own] if own else []), *read_strings(clip.get("_sources"))])),
        added_at=read_datetime(clip.get("added_at")),
    )


def _latest_outcomes(event: Document) -> Iterable[PostOutcome]:
    attempts = get_nested(event, "_telemetry", "attempts")
    latest: dict[str, PostOutcome] = {}
    for attempt in attempts.values() if isinstance(attempts, Mapping) else ():
        turn = read_int(get_nested(attempt, "attempt")) or 0
        for verdict in _attempt_outcomes(attempt, turn):
            known = latest.get(verdict.url)
            if known is None or _outcome_priority(verdict) >= _outcome_priority(known):
                latest[verdict.url] = verdict
    return latest.values()


def _attempt_outcomes(attempt: Any, attempt_number: int) -> Iterable[PostOutcome]:
    clips = get_nested(attempt, "clips")
    for clip in clips.values() if isinstance(clips, Mapping) else ():
        url, outcome = read_text(get_nested(clip, "url"), limit=_MAX_URL_LENGTH), read_text(get_nested(clip, "outcome"))
        if url and outcome:
            yield PostOutcome(url, outcome, attempt_number)


def _outcome_priority(verdict: PostOutcome) -> tuple[bool, int]:
    """An archived post stays archived, whatever a later check says."""
    return (verdict.outcome in ARCHIVED_OUTCOMES, verdict.attempt)
