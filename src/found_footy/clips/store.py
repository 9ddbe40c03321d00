"""Stage three's MongoDB operations. Each changes one document, and changes nothing when it is repeated."""

from collections.abc import Iterable
from dataclasses import asdict

from found_footy.clips.messages import ClipNote
from found_footy.model.fixture import Room
from found_footy.model.handoff import Goal
from found_footy.model.ids import source_key
from found_footy.platform.mongo import Database, Document, guarded


class ClipStore:
    def __init__(self, database: Database) -> None:
        self._active = database[Room.ACTIVE]

    async def register(self, goal: Goal, download_id: str) -> bool:
        """Count this attempt by its name. False if the goal is gone."""
        return await self._update(goal, {"$addToSet": {"events.$._download_workflows": download_id}})

    async def note(self, goal: Goal, download_id: str, notes: Iterable[ClipNote]) -> bool:
        """Keep what is known of each video, under its link. What the archive has said of it stays."""
        fields = {
            f"events.$._telemetry.attempts.{download_id}.clips.{source_key(note.source_url)}.{name}": value
            for note in notes
            for name, value in _fields(note).items()
        }
        return await self._update(goal, {"$set": fields}) if fields else True

    async def _update(self, goal: Goal, update: Document) -> bool:
        event = {"_id": goal.fixture_id, "events._event_id": goal.event_id}
        with guarded():
            return (await self._active.update_one(event, update)).matched_count > 0


def _fields(note: ClipNote) -> Document:
    known: Document = {"url": note.source_url, "md5": note.md5, "reason": note.reason}
    if note.evidence:
        known["evidence"] = asdict(note.evidence)
    return {**known, "outcome": note.outcome.value} if note.outcome else known
