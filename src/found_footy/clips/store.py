"""Stage three's MongoDB operations. Each changes one document, and changes nothing when it is repeated."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

from found_footy.clips.messages import ClipNote
from found_footy.model.handoff import Goal
from found_footy.model.ids import source_key
from found_footy.model.outcome import ClipOutcome, Retry, retry_of
from found_footy.platform.goal_store import GoalStore
from found_footy.platform.mongo import Database, Document

# A link may be tried a hundred times while its fixture is kept, and each try is recorded in the fixture's document.
_LONGEST_REASON = 500
_DECIDED = {f"events.{name}": 1 for name in ("_event_id", "_s3_videos._md5s", "_telemetry.attempts")}


class ClipStore:
    def __init__(self, database: Database) -> None:
        self._goals = GoalStore(database)

    async def register(self, goal: Goal, download_id: str) -> bool:
        """Count this attempt by its name. False if the goal is gone."""
        change = {"$addToSet": {"events.$._download_workflows": download_id}}
        return await self._goals.update(_among("events", goal), change)

    async def is_settled(self, goal: Goal, md5: str) -> bool:
        """Whether nothing more is to be decided about these bytes: a clip of the goal has them, a verdict on them is
        final, or the goal is gone.
        """
        row = await self._goals.find(_among("events", goal), _DECIDED)
        events = [event for event in row["events"] if event["_event_id"] == goal.event_id] if row else []
        return not events or any(_has_settled(event, md5) for event in events)

    async def note(self, goal: Goal, download_id: str, notes: Iterable[ClipNote]) -> bool:
        """Keep what is known of each video, under its link, on the goal or on what is left of it when it was struck
        out. What the archive has said stays. A link with a verdict that no other try can change is no longer open.
        """
        notes = list(notes)
        if not notes:
            return True
        told: Document = {"$set": {f"events.$.{name}": value for name, value in _told(download_id, notes)}}
        if settled := [note.source_url for note in notes if _is_settled(note)]:
            told["$pull"] = {"events.$._open_links": {"$in": settled}}
        if await self._goals.update(_among("events", goal), told):
            return True
        # Handed on to an archive that will find the goal gone.
        gone = [note if note.outcome else replace(note, outcome=ClipOutcome.EVENT_REMOVED) for note in notes]
        left = {f"removed_events.$.{name}": value for name, value in _told(download_id, gone)}
        return await self._goals.update(_among("removed_events", goal), {"$set": left})


def _has_settled(event: Document, md5: str) -> bool:
    attempts = ((event.get("_telemetry") or {}).get("attempts") or {}).values()
    notes = (note for attempt in attempts for note in (attempt.get("clips") or {}).values())
    final = any(note.get("md5") == md5 and note.get("retry") == Retry.NEVER.value for note in notes)
    return final or any(md5 in (clip.get("_md5s") or ()) for clip in event.get("_s3_videos") or ())


def _among(part: str, goal: Goal) -> Document:
    return {"_id": goal.fixture_id, f"{part}._event_id": goal.event_id}


def _told(download_id: str, notes: Iterable[ClipNote]) -> Iterator[tuple[str, object]]:
    for note in notes:
        place = f"_telemetry.attempts.{download_id}.clips.{source_key(note.source_url)}"
        yield from ((f"{place}.{name}", value) for name, value in _fields(note).items())


def _is_settled(note: ClipNote) -> bool:
    return note.outcome is not None and retry_of(note.outcome, note.retry) is Retry.NEVER


def _fields(note: ClipNote) -> Document:
    known: Document = {"url": note.source_url, "md5": note.md5, "reason": note.reason[:_LONGEST_REASON]}
    if note.evidence:
        known["evidence"] = asdict(note.evidence)
    if note.outcome:
        known |= {"outcome": note.outcome.value, "retry": retry_of(note.outcome, note.retry).value}
    return known
