"""Stage three's MongoDB operations. Each changes one document and is idempotent."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from enum import Enum
from typing import Any

from found_footy.clips.messages import CandidateNote
from found_footy.domain.ids import link_field_name
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice, retry_advice
from found_footy.platform.mongo import Database, Document
from found_footy.platform.paired_collections import PairedCollections

# A candidate may be tried a hundred times while its fixture is kept, and each try is stored in the fixture's document.
_MAX_REASON_LENGTH = 500
_SETTLED_PROJECTION = {f"events.{name}": 1 for name in ("_event_id", "_s3_videos._md5s", "_telemetry.attempts")}


class ClipStore:
    def __init__(self, database: Database) -> None:
        self._goals = PairedCollections(database)

    async def register_download(self, goal: Goal, download_id: str) -> bool:
        """Register this attempt by its id. False if the goal was removed."""
        change = {"$addToSet": {"events.$._download_workflows": download_id}}
        return await self._goals.update_one(_goal_filter("events", goal), change)

    async def is_settled(self, goal: Goal, md5: str) -> bool:
        """Whether these bytes need no further verdict: a clip of the goal has them, a verdict on them is final, or the
        goal was removed.
        """
        row = await self._goals.find_one(_goal_filter("events", goal), _SETTLED_PROJECTION)
        events = [event for event in row["events"] if event["_event_id"] == goal.event_id] if row else []
        return not events or any(_has_settled(event, md5) for event in events)

    async def record_notes(self, goal: Goal, download_id: str, notes: Iterable[CandidateNote]) -> bool:
        """Store the note of each candidate, under its URL, on the goal or its tombstone. The archive's notes stay. A
        candidate with a final verdict is no longer open.
        """
        notes = list(notes)
        if not notes:
            return True
        update: Document = {"$set": {f"events.$.{name}": value for name, value in _note_fields(download_id, notes)}}
        if settled := [note.source_url for note in notes if _is_final(note)]:
            update["$pull"] = {"events.$._open_links": {"$in": settled}}
        if await self._goals.update_one(_goal_filter("events", goal), update):
            return True
        # These were delivered to an archive that will find the goal removed.
        gone = [note if note.outcome else replace(note, outcome=ClipOutcome.EVENT_REMOVED) for note in notes]
        left = {f"removed_events.$.{name}": value for name, value in _note_fields(download_id, gone)}
        return await self._goals.update_one(_goal_filter("removed_events", goal), {"$set": left})


def _has_settled(event: Document, md5: str) -> bool:
    attempts = ((event.get("_telemetry") or {}).get("attempts") or {}).values()
    notes = (note for attempt in attempts for note in (attempt.get("clips") or {}).values())
    final = any(note.get("md5") == md5 and note.get("retry") == RetryAdvice.NEVER.value for note in notes)
    return final or any(md5 in (clip.get("_md5s") or ()) for clip in event.get("_s3_videos") or ())


def _goal_filter(event_list: str, goal: Goal) -> Document:
    return {"_id": goal.fixture_id, f"{event_list}._event_id": goal.event_id}


def _note_fields(download_id: str, notes: Iterable[CandidateNote]) -> Iterator[tuple[str, object]]:
    for note in notes:
        place = f"_telemetry.attempts.{download_id}.clips.{link_field_name(note.source_url)}"
        yield from ((f"{place}.{name}", value) for name, value in _note_document(note).items())


def _is_final(note: CandidateNote) -> bool:
    return note.outcome is not None and retry_advice(note.outcome, note.retry) is RetryAdvice.NEVER


def _to_plain_values(fields: list[tuple[str, Any]]) -> Document:
    """MongoDB stores the values of enums, not enums."""
    return {name: value.value if isinstance(value, Enum) else value for name, value in fields}


def _note_document(note: CandidateNote) -> Document:
    known: Document = {"url": note.source_url, "md5": note.md5, "reason": note.reason[:_MAX_REASON_LENGTH]}
    if note.evidence:
        known["evidence"] = asdict(note.evidence, dict_factory=_to_plain_values)
    if note.outcome:
        known |= {"outcome": note.outcome.value, "retry": retry_advice(note.outcome, note.retry).value}
    return known
