"""What the product has to show for the day: its goals, clips and verdicts, read from its own documents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from found_footy.model.fixture import Room
from found_footy.model.ids import is_attempt
from found_footy.model.outcome import ClipOutcome
from found_footy.web.documents import Document, at, names, number, rows, text, when
from found_footy.web.views import Stored, settle

ARCHIVED = frozenset({ClipOutcome.UPLOADED, ClipOutcome.REPLACED, ClipOutcome.DUPLICATE})
_LONGEST_LINK = 500


@dataclass(frozen=True)
class SeenClip:
    """A clip that anybody can watch."""

    clip_id: str
    md5: str
    rank: int
    verified: bool
    sources: tuple[str, ...]
    added_at: datetime | None


@dataclass(frozen=True)
class Verdict:
    """What became of one post for one goal, after the last attempt that looked at it."""

    url: str
    outcome: str
    attempt: int


@dataclass(frozen=True)
class SeenGoal:
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
    clips: tuple[SeenClip, ...] = ()
    verdicts: tuple[Verdict, ...] = ()

    @property
    def minute(self) -> int:
        return self.elapsed + self.extra


def seen_goals(stored: Iterable[Stored]) -> tuple[SeenGoal, ...]:
    """Every goal of every fixture, struck out or not. A goal that changed hands is one goal, under its new name."""
    found: list[SeenGoal] = []
    for one in settle(stored):
        live = _events(one.document, "events")
        moved = {event.get("_matched_from") for event in live}
        gone = [event for event in _events(one.document, "removed_events") if not event.get("_moved_to")]
        found += [_goal(one, event, removed=False) for event in live]
        found += [_goal(one, event, removed=True) for event in gone if event["_event_id"] not in moved]
    return tuple(found)


def _events(document: Document, name: str) -> list[Document]:
    return [event for event in rows(document.get(name)) if event.get("_event_id")]


def _goal(stored: Stored, event: Document, *, removed: bool) -> SeenGoal:
    archived = stored.room is Room.COMPLETED
    return SeenGoal(
        event_id=text(event["_event_id"]),
        fixture=stored.document["_id"],
        team=number(at(event, "team", "id")) or 0,
        player=text(at(event, "player", "name")),
        player_id=number(at(event, "player", "id")) or 0,
        elapsed=number(at(event, "time", "elapsed")) or 0,
        extra=number(at(event, "time", "extra")) or 0,
        removed=removed,
        ended=removed or archived or bool(event.get("_download_complete")),
        reason=text(event.get("_completion_reason")),
        first_seen=when(event.get("_first_seen")),
        confirmed_at=when(event.get("_due_at")),
        attempts=sum(map(is_attempt, names(event.get("_download_workflows")))),
        clips=() if removed else tuple(map(_clip, _playable(event))),
        verdicts=tuple(_verdicts(event)),
    )


def _playable(event: Document) -> list[Document]:
    return [clip for clip in rows(event.get("_s3_videos")) if clip.get("_s3_key")]


def _clip(clip: Document) -> SeenClip:
    own = text(clip.get("source_url"), limit=_LONGEST_LINK)
    return SeenClip(
        clip_id=text(clip.get("clip_id")) or text(clip.get("md5")),
        md5=text(clip.get("md5")),
        rank=number(clip.get("rank")) or 0,
        verified=bool(clip.get("timestamp_verified")),
        # The post whose bytes these are comes first; the others may have had other bytes.
        sources=tuple(dict.fromkeys([*([own] if own else []), *names(clip.get("_sources"))])),
        added_at=when(clip.get("added_at")),
    )


def _verdicts(event: Document) -> Iterable[Verdict]:
    attempts = at(event, "_telemetry", "attempts")
    latest: dict[str, Verdict] = {}
    for attempt in attempts.values() if isinstance(attempts, Mapping) else ():
        turn = number(at(attempt, "attempt")) or 0
        for verdict in _of_attempt(attempt, turn):
            known = latest.get(verdict.url)
            if known is None or _weight(verdict) >= _weight(known):
                latest[verdict.url] = verdict
    return latest.values()


def _of_attempt(attempt: Any, turn: int) -> Iterable[Verdict]:
    clips = at(attempt, "clips")
    for clip in clips.values() if isinstance(clips, Mapping) else ():
        url, outcome = text(at(clip, "url"), limit=_LONGEST_LINK), text(at(clip, "outcome"))
        if url and outcome:
            yield Verdict(url, outcome, turn)


def _weight(verdict: Verdict) -> tuple[bool, int]:
    """Once archived stays archived, whatever a later look says."""
    return (verdict.outcome in ARCHIVED, verdict.attempt)
