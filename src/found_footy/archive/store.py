"""Stage four's MongoDB operations. Each changes one document, and changes nothing when it is repeated."""

from datetime import datetime

from pymongo import UpdateOne

from found_footy.archive.expressions import Expression, completion, on_event, with_clips
from found_footy.archive.messages import EventData, Join, SaveClips, StoredClip
from found_footy.archive.records import clip_record
from found_footy.model.fixture import Room
from found_footy.model.handoff import ClipBatch, Goal
from found_footy.model.ids import source_key
from found_footy.model.outcome import ClipOutcome
from found_footy.platform.mongo import Database, Document, guarded

# What stage two writes into `_search_state` when no further attempt will come.
SEARCH_EXHAUSTED = "exhausted"
_ARCHIVED = (ClipOutcome.UPLOADED, ClipOutcome.REPLACED, ClipOutcome.DUPLICATE)


class ArchiveStore:
    """Only fixtures in play take clips; a goal that was struck out, or whose fixture is archived, is gone."""

    def __init__(self, database: Database, bucket: str) -> None:
        self._active = database[Room.ACTIVE]
        self._bucket = bucket

    async def event_data(self, goal: Goal) -> EventData:
        with guarded():
            row = await self._active.find_one(_of(goal), {"events.$": 1})
        if row is None:
            return EventData(exists=False)
        clips = row["events"][0].get("_s3_videos") or []
        return EventData(exists=True, clips=tuple(StoredClip(clip["clip_id"], clip["md5"]) for clip in clips))

    async def save(self, saved: SaveClips) -> bool:
        """Add clips and finds, popularity and ranks in one operation, then the outcomes. False if the goal is gone."""
        kept = [uploaded for uploaded in saved.uploaded if not uploaded.lost]
        records = [clip_record(saved.goal, uploaded, self._bucket) for uploaded in kept]
        finds = [*(Join(one.clip.md5, one.clip.source_url) for one in kept), *saved.join]
        clips = with_clips(records, [{"md5": find.md5, "source_url": find.source_url} for find in finds])
        if not await self._update(saved.goal, on_event(saved.goal.event_id, {"_s3_videos": clips})):
            return False
        if outcomes := _outcomes(saved):
            with guarded():
                await self._active.bulk_write(outcomes, ordered=False)
        return True

    async def conclude(self, batch: ClipBatch, now: datetime) -> bool:
        """Record the delivery, if the batch names one, and draw the conclusion. True if the goal is complete."""
        fields = completion(batch.pace.attempts_wanted, batch.download_id, SEARCH_EXHAUSTED, now)
        with guarded():
            row = await self._active.find_one_and_update(
                _of(batch.goal),
                on_event(batch.goal.event_id, fields),
                projection={"events._event_id": 1, "events._download_complete": 1},
                return_document=True,
            )
        events = row["events"] if row else []
        return any(e["_event_id"] == batch.goal.event_id and e["_download_complete"] for e in events)

    async def _update(self, goal: Goal, update: Document | list[Expression]) -> bool:
        with guarded():
            return (await self._active.update_one(_of(goal), update)).matched_count > 0


def _of(goal: Goal) -> Document:
    return {"_id": goal.fixture_id, "events._event_id": goal.event_id}


def _outcomes(saved: SaveClips) -> list[UpdateOne]:
    """What became of each video, next to what stage three wrote of it."""
    said = [(find.source_url, ClipOutcome.DUPLICATE, "") for find in saved.join]
    for one in saved.uploaded:
        outcome = ClipOutcome.DOWNLOAD_FAILED if one.lost else ClipOutcome.UPLOADED
        said.append((one.clip.source_url, outcome, one.lost))
    return [_say(saved, *words) for words in said]


def _say(saved: SaveClips, url: str, outcome: ClipOutcome, reason: str) -> UpdateOne:
    """Once archived stays archived: the same delivery again finds its own clip, and must not call it a duplicate."""
    place = f"_telemetry.attempts.{saved.download_id}.clips.{source_key(url)}"
    unsaid = {"_event_id": saved.goal.event_id, f"{place}.outcome": {"$nin": [word.value for word in _ARCHIVED]}}
    fields = {"url": url, "outcome": outcome.value, **({"reason": reason} if reason else {})}
    return UpdateOne(
        {"_id": saved.goal.fixture_id, "events": {"$elemMatch": unsaid}},
        {"$set": {f"events.$.{place}.{name}": value for name, value in fields.items()}},
    )
