"""The moments of a goal, derived from the stored fixture and the moments recorded before. Pure.

A moment has an id made of the goal and of what distinguishes it, so that noticing it again gives the same one. A goal
keeps its first id here, however often it is re-attributed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

from found_footy.domain.documents import ClipDocument, FixtureDocument, GoalDocument
from found_footy.domain.goals import MATCHED_FROM_FIELD, is_counted_goal, select_removed_goals
from found_footy.domain.notify_documents import MomentDocument
from found_footy.domain.ranking import stored_rank_key


class Moment(StrEnum):
    CONFIRMED = "confirmed"
    FIRST_CLIP = "first_clip"
    BETTER_CLIP = "better_clip"
    DISALLOWED = "disallowed"
    REATTRIBUTED = "reattributed"


_CLIP_MOMENTS = frozenset({Moment.FIRST_CLIP, Moment.BETTER_CLIP})
_UNDATED = "undated"


@dataclass(frozen=True)
class GoalMoment:
    """One moment. `goal_id` is the goal's first id, `event_id` the one it has at this moment."""

    id: str
    goal_id: str
    event_id: str
    moment: Moment
    first_seen: datetime
    clip_id: str | None = None
    verified: bool = False
    height: int = 0
    removed_at: datetime | None = None


@dataclass(frozen=True)
class _GoalHistory:
    """The recorded moments of one goal, in the order in which they were recorded."""

    records: tuple[MomentDocument, ...]

    @property
    def is_confirmed(self) -> bool:
        return any(record["moment"] == Moment.CONFIRMED for record in self.records)

    @property
    def last_standing(self) -> MomentDocument | None:
        """The last record that says whether the goal stands, and whose it is."""
        standing = [record for record in self.records if record["moment"] not in _CLIP_MOMENTS]
        return standing[-1] if standing else None

    @property
    def best_told_clip(self) -> tuple[bool, int] | None:
        told = [
            (bool(record.get("verified")), record.get("height") or 0)
            for record in self.records
            if record["moment"] in _CLIP_MOMENTS
        ]
        return max(told, default=None)


def derive_moments(fixture: FixtureDocument, recorded: Iterable[MomentDocument]) -> list[GoalMoment]:
    """Return the moments of a fixture's goals that `recorded`, the fixture's recorded moments, lacks.

    A goal that was confirmed and removed while nobody looked has no moment, and one that was re-attributed meanwhile
    only that it is confirmed.
    """
    events, tombstones = fixture.get("events") or [], fixture.get("removed_events") or []
    history = sorted(recorded, key=lambda record: (record["at"], record["_id"]))
    goals = _GoalChains([*events, *tombstones], history)
    standing = [event for event in events if not event.get("_removed")]
    removed = [event for event in events if event.get("_removed")]
    removed += cast(list[GoalDocument], select_removed_goals(events, tombstones))
    found = [moment for event in standing for moment in _derive_standing(event, goals)]
    found += [moment for event in removed for moment in _derive_removal(event, goals)]
    return [moment for moment in found if moment.id not in {record["_id"] for record in history}]


class _GoalChains:
    """Which id a goal had first, by the re-attributions that led to it."""

    def __init__(self, goals: Sequence[Mapping[str, Any]], history: Sequence[MomentDocument]) -> None:
        self._came_from = {goal["_event_id"]: goal.get(MATCHED_FROM_FIELD) for goal in goals}
        self._recorded_as = {record["event_id"]: record["goal"] for record in history}
        self._history = history

    def find_goal_id(self, event_id: str) -> str:
        """What was recorded decides: a goal may be given back to its first scorer."""
        chain = [event_id]
        while (source := self._came_from.get(chain[-1])) and source not in chain:
            chain.append(source)
        return next((self._recorded_as[each] for each in chain if each in self._recorded_as), chain[-1])

    def history_of(self, goal_id: str) -> _GoalHistory:
        return _GoalHistory(tuple(record for record in self._history if record["goal"] == goal_id))


def _derive_standing(event: GoalDocument, goals: _GoalChains) -> Iterator[GoalMoment]:
    event_id = event["_event_id"]
    goal_id = goals.find_goal_id(event_id)
    history = goals.history_of(goal_id)
    is_due = event.get("_due_at") is not None and is_counted_goal(event)
    last = history.last_standing
    if is_due and last is None:
        yield GoalMoment(f"{goal_id}:{Moment.CONFIRMED}", goal_id, event_id, Moment.CONFIRMED, event["_first_seen"])
    elif is_due and last is not None and last["moment"] == Moment.DISALLOWED:
        again = f"{goal_id}:{Moment.CONFIRMED}:{_date_text(last.get('removed_at'))}"
        yield GoalMoment(again, goal_id, event_id, Moment.CONFIRMED, event["_first_seen"])
    elif last is not None and last["moment"] != Moment.DISALLOWED and last["event_id"] != event_id:
        moved = f"{goal_id}:{Moment.REATTRIBUTED}:{last['event_id']}:{event_id}"
        yield GoalMoment(moved, goal_id, event_id, Moment.REATTRIBUTED, event["_first_seen"])
    if is_due or history.is_confirmed:
        yield from _derive_clip(event, goal_id, history.best_told_clip)


def _derive_clip(event: GoalDocument, goal_id: str, told: tuple[bool, int] | None) -> Iterator[GoalMoment]:
    """The best clip, if it is the first, or verified or larger where none that was told is. That others posted a clip
    more often changes the ranking, but is no news.
    """
    best = find_best_clip(event)
    if best is None:
        return
    quality = (bool(best.get("timestamp_verified")), clip_height(best))
    if told is not None and quality <= told:
        return
    kind = Moment.FIRST_CLIP if told is None else Moment.BETTER_CLIP
    detail = "" if told is None else f":{best['clip_id']}:{'v' if quality[0] else 'u'}{quality[1]}"
    yield GoalMoment(
        f"{goal_id}:{kind}{detail}", goal_id, event["_event_id"], kind, event["_first_seen"], best["clip_id"], *quality
    )


def _derive_removal(event: GoalDocument, goals: _GoalChains) -> Iterator[GoalMoment]:
    goal_id = goals.find_goal_id(event["_event_id"])
    last = goals.history_of(goal_id).last_standing
    if last is None or last["moment"] == Moment.DISALLOWED:
        return
    removed_at = event.get("_removed_at")
    yield GoalMoment(
        f"{goal_id}:{Moment.DISALLOWED}:{_date_text(removed_at)}",
        goal_id,
        event["_event_id"],
        Moment.DISALLOWED,
        event["_first_seen"],
        removed_at=removed_at,
    )


def find_best_clip(event: GoalDocument) -> ClipDocument | None:
    return min(event.get("_s3_videos") or (), key=stored_rank_key, default=None)


def clip_height(clip: ClipDocument) -> int:
    """The shorter side, as in 720p."""
    return min(clip.get("width") or 0, clip.get("height") or 0)


def _date_text(moment: datetime | None) -> str:
    return f"{moment:%Y%m%dT%H%M%S}" if moment else _UNDATED


def build_moment_document(moment: GoalMoment, fixture_id: int, at: datetime) -> MomentDocument:
    return {
        "_id": moment.id,
        "goal": moment.goal_id,
        "event_id": moment.event_id,
        "fixture_id": fixture_id,
        "moment": moment.moment.value,
        "at": at,
        "clip_id": moment.clip_id,
        "verified": moment.verified,
        "height": moment.height,
        "removed_at": moment.removed_at,
    }
