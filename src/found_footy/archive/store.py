"""Stage four's MongoDB operations. Each changes one document, and changes nothing when it is repeated."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pymongo import UpdateOne

from found_footy.archive.expressions import completion, on_event
from found_footy.archive.goal_archive import GoalArchive, event_data, goal_archive
from found_footy.archive.integrity_store import IntegrityStore
from found_footy.archive.judgement import BLOCKLIST, JUDGEMENTS, Judgements
from found_footy.archive.messages import EventData, Refused, SaveClips
from found_footy.archive.switching import Said, Switch, switch
from found_footy.model.handoff import ClipBatch, Goal
from found_footy.model.ids import source_key
from found_footy.model.outcome import ClipOutcome, Retry, retry_of
from found_footy.platform.errors import Unavailable
from found_footy.platform.failpoints import failpoint
from found_footy.platform.goal_store import GoalStore
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import SYSTEM, Database, Document, guarded

CLIP_REDIRECTS = "clip_redirects"
# What stage two writes into `_search_state` when no further attempt will come.
SEARCH_EXHAUSTED = "exhausted"
_CONCLUSION = (
    "_event_id", "_download_complete", "_download_workflows", "_delivered_workflows", "_download_completed_at",
    "_completion_reason", "_open_links",
)  # fmt: skip
_ARCHIVED = (ClipOutcome.UPLOADED, ClipOutcome.REPLACED, ClipOutcome.DUPLICATE)
_DECISIVE = {f"events.{name}": 1 for name in ("_event_id", "_removed", "time", "_s3_videos", JUDGEMENTS)}
# A goal has one queue, so others (people, a scorer's correction) come in between once or twice; whoever loses the race
# this often is in a crowd that nobody foresaw, and waits.
_TRIES = 100

log = ActionLogger(__name__)


class ArchiveStore:
    """A goal takes clips for as long as its fixture is kept; one that was struck out is gone."""

    def __init__(self, database: Database, bucket: str) -> None:
        self._db = database
        self._goals = GoalStore(database)
        self._bucket = bucket
        self.records = IntegrityStore(database)

    async def archive(self, goal: Goal) -> GoalArchive | None:
        """What there is of the goal, and of the other goals of its fixture; None if the goal is gone."""
        row = await self._goals.find(_of(goal), _DECISIVE)
        with guarded():
            blocked = await self._db[BLOCKLIST].find({"lifted": {"$ne": True}}).to_list() if row else []
        return goal_archive(goal.event_id, row["events"], blocked) if row else None

    async def event_data(self, goal: Goal) -> EventData:
        return event_data(await self.archive(goal))

    async def judgements(self, goal: Goal) -> Judgements:
        archive = await self.archive(goal)
        return archive.judgements if archive else Judgements()

    async def save(self, saved: SaveClips) -> bool:
        """Switch the goal's clips to what a batch makes of them, in one operation, then write down the outcomes.

        The operation demands that the clips are as they were read; if somebody was faster, it is decided anew. Returns
        False if the goal is gone, and raises Conflict if the batch must be compared anew.
        """
        for _ in range(_TRIES):
            archive = await self.archive(saved.goal)
            if archive is None:
                return False
            change = switch(saved, archive, self._bucket)
            if await self._switch(saved.goal, archive, change):
                failpoint("archive.switched")
                await self._note(saved, change)
                await self._known_by_bytes(saved.refused)
                _log_outcomes(saved, change)
                return True
        raise Unavailable(SYSTEM, f"the clips of {saved.goal.event_id} changed {_TRIES} times while they were written")

    async def conclude(self, batch: ClipBatch, now: datetime) -> bool:
        """Record the delivery, if the batch names one, and draw the conclusion. True if the goal is complete and no
        download will want its files: one may be added by hand after the search is over, and open links are retried.
        """
        fields = completion(batch.pace.attempts_wanted, batch.download_id, SEARCH_EXHAUSTED, now)
        row = await self._goals.updated(
            _of(batch.goal),
            on_event(batch.goal.event_id, fields),
            {f"events.{field}": 1 for field in _CONCLUSION},
        )
        failpoint("archive.concluded")
        events = [e for e in row["events"] if e["_event_id"] == batch.goal.event_id] if row else []
        for event in events:
            _log_conclusion(event, now)
        return any(map(_is_at_rest, events))

    async def _switch(self, goal: Goal, archive: GoalArchive, change: Switch) -> bool:
        """False if the clips are no longer as they were read. Old addresses lead to the new clip before it is one."""
        if change.records == list(archive.records):
            return True
        for lost, winner in change.redirects.items():
            await self._redirect(lost, winner)
        state = {name: _exactly(archive.state, name) for name in ("_s3_videos", JUDGEMENTS)}
        same = {"_id": goal.fixture_id, "events": {"$elemMatch": {"_event_id": goal.event_id, **state}}}
        if not await self._goals.update(same, {"$set": {"events.$._s3_videos": change.records}}):
            return False
        await self._stands_alone({record["clip_id"] for record in change.records} - _ids(archive.records))
        return True

    async def _stands_alone(self, clip_ids: set[str]) -> None:
        """A clip that was one with another, and is stored again as one of its own, leads to that one no more."""
        if clip_ids:
            with guarded():
                await self._db[CLIP_REDIRECTS].delete_many({"_id": {"$in": sorted(clip_ids)}})

    async def _redirect(self, lost: str, winner: str) -> None:
        redirects = self._db[CLIP_REDIRECTS]
        with guarded():
            await redirects.update_one({"_id": lost}, {"$set": {"to": winner}}, upsert=True)
            await redirects.update_many({"to": lost, "_id": {"$ne": winner}}, {"$set": {"to": winner}})

    async def _known_by_bytes(self, refused: Iterable[Refused]) -> None:
        """A file that looks like one that was taken down is blocked by its bytes too: it is not fetched again, and the
        sweep and the workers' caches find what is left of it.
        """
        for one in refused:
            if one.outcome is ClipOutcome.BLOCKED and one.alike:
                with guarded():
                    await self._db[BLOCKLIST].update_one({"print_key": one.alike}, {"$addToSet": {"md5s": one.md5}})

    async def _note(self, saved: SaveClips, change: Switch) -> None:
        """The flags on the other goals' clips, and what became of each video, next to what stage three wrote of it."""
        notes = [*_flagged(saved, change), *(_say(saved, said) for said in change.said)]
        if notes:
            await self._goals.write(notes)


def _ids(records: Iterable[Document]) -> set[str]:
    return {record["clip_id"] for record in records}


def _is_at_rest(event: Document) -> bool:
    delivered, registered = event["_delivered_workflows"], event.get("_download_workflows") or ()
    at_rest = bool(event["_download_complete"]) and set(registered) <= set(delivered)
    return at_rest and not event.get("_open_links")


def _log_outcomes(saved: SaveClips, change: Switch) -> None:
    for said in change.said:
        log.info(
            "%s: %s", said.source_url, said.outcome.value, action=said.outcome.value,
            event_id=saved.goal.event_id, url=said.source_url, reason=said.reason, clips=len(change.records),
        )  # fmt: skip


def _log_conclusion(event: Document, now: datetime) -> None:
    """A goal is completed once; whoever asks later changes nothing. MongoDB keeps milliseconds."""
    completed_at = event.get("_download_completed_at")
    if completed_at is None or abs(completed_at - now) >= timedelta(milliseconds=1):
        return
    reason, downloads = event["_completion_reason"], len(event.get("_download_workflows") or ())
    told = {"event_id": event["_event_id"], "reason": reason, "downloads": downloads}
    log.info("the goal is complete: %s", reason, action="complete", **told)


def _of(goal: Goal) -> Document:
    return {"_id": goal.fixture_id, "events._event_id": goal.event_id}


def _exactly(state: Mapping[str, Any], name: str) -> Document:
    return {"$eq": state[name]} if name in state else {"$exists": False}


def _flagged(saved: SaveClips, change: Switch) -> list[UpdateOne]:
    """The same flag on the other goal's clip, pointing back."""
    holder = {md5: record["clip_id"] for record in change.records for md5 in record["_md5s"]}
    return [
        UpdateOne(
            {"_id": saved.goal.fixture_id},
            {
                "$addToSet": {
                    "events.$[event]._s3_videos.$[clip]._flags": {
                        "event_id": saved.goal.event_id,
                        "clip_id": holder[flag.md5],
                    }
                }
            },
            array_filters=[{"event._event_id": flag.event_id}, {"clip.clip_id": flag.clip_id}],
        )
        for flag in saved.flags
        if flag.md5 in holder
    ]


def _say(saved: SaveClips, said: Said) -> UpdateOne:
    """Once archived stays archived: the same delivery again finds its own clip, and must not call it a duplicate."""
    place = f"_telemetry.attempts.{saved.download_id}.clips.{source_key(said.source_url)}"
    unsaid = {"_event_id": saved.goal.event_id, f"{place}.outcome": {"$nin": [word.value for word in _ARCHIVED]}}
    retry = retry_of(said.outcome, said.retry)
    fields = {"url": said.source_url, "outcome": said.outcome.value, "retry": retry.value}
    fields |= {"reason": said.reason} if said.reason else {}
    change: Document = {"$set": {f"events.$.{place}.{name}": value for name, value in fields.items()}}
    if retry is Retry.NEVER:
        change["$pull"] = {"events.$._open_links": said.source_url}
    return UpdateOne({"_id": saved.goal.fixture_id, "events": {"$elemMatch": unsaid}}, change)
