"""Stage four's MongoDB operations. Each changes one document and is idempotent."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pymongo import UpdateOne

from found_footy.archive.dedup.apply import ClipListUpdate, UploadOutcome, compute_clip_list_update
from found_footy.archive.dedup.goal_archive import GoalArchive, parse_goal_archive, summarize_archive
from found_footy.archive.maintenance.store import IntegrityStore
from found_footy.archive.messages import GoalArchiveSummary, RejectedClip, SaveClips
from found_footy.archive.moderation.model import BLOCKLIST, MODERATION_FIELD, GoalModeration
from found_footy.archive.mongo_updates import build_event_update, completion_fields
from found_footy.archive.proof_store import ProofStore
from found_footy.domain.collections import CLIP_REDIRECTS
from found_footy.domain.completion import needs_scratch_files
from found_footy.domain.goals import goal_filter
from found_footy.domain.ids import link_field_name
from found_footy.domain.messages import ClipBatch, Goal
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice, retry_advice
from found_footy.platform.errors import Unavailable
from found_footy.platform.failpoints import failpoint
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import SYSTEM, Database, Document, translate_mongo_errors
from found_footy.platform.paired_collections import PairedCollections
from found_footy.vision.expectation import ProofRules

_COMPLETION_FIELDS = (
    "_event_id",
    "_download_complete",
    "_download_workflows",
    "_delivered_workflows",
    "_download_completed_at",
    "_completion_reason",
    "_open_links",
)
_ARCHIVED_OUTCOMES = (ClipOutcome.UPLOADED, ClipOutcome.REPLACED, ClipOutcome.DUPLICATE)
_ARCHIVE_PROJECTION = {
    f"events.{name}": 1
    for name in (
        "_event_id",
        "_removed",
        "time",
        "_s3_videos",
        MODERATION_FIELD,
        "_discovered_videos.url",
        "_discovered_videos.witness",
    )
}
# A goal has one upload queue, so other writers (moderation, a re-attribution) interfere once or twice; with this many
# conflicts something unexpected is writing, and the activity is retried later.
_MAX_WRITE_ATTEMPTS = 100

logger = ActionLogger(__name__)


class ArchiveStore:
    """A goal accepts clips for as long as its fixture is kept; a removed goal counts as missing."""

    def __init__(self, database: Database, bucket: str) -> None:
        self._db = database
        self._goals = PairedCollections(database)
        self._bucket = bucket
        self.integrity_store = IntegrityStore(database)

    def open_proof_store(self, rules: ProofRules) -> ProofStore:
        """The store of the same database that judges clips again by these rules."""
        return ProofStore(self._db, rules)

    async def load_archive(self, goal: Goal) -> GoalArchive | None:
        """The stored clips of the goal and of the other goals of its fixture; None if the goal was removed."""
        row = await self._goals.find_one(goal_filter(goal.fixture_id, goal.event_id), _ARCHIVE_PROJECTION)
        with translate_mongo_errors():
            blocked = await self._db[BLOCKLIST].find({"lifted": {"$ne": True}}).to_list() if row else []
        return parse_goal_archive(goal.event_id, row["events"], blocked) if row else None

    async def load_summary(self, goal: Goal) -> GoalArchiveSummary:
        return summarize_archive(await self.load_archive(goal))

    async def load_moderation(self, goal: Goal) -> GoalModeration:
        archive = await self.load_archive(goal)
        return archive.moderation if archive else GoalModeration()

    async def save_clips(self, saved: SaveClips) -> bool:
        """Replace the goal's clip list with the result of the batch in one operation, then store the outcomes.

        The operation requires that the clips are as they were read; after a concurrent write it is computed again.
        Returns False if the goal was removed, and raises Conflict if the batch must be compared again.
        """
        for _ in range(_MAX_WRITE_ATTEMPTS):
            archive = await self.load_archive(saved.goal)
            if archive is None:
                return False
            update = compute_clip_list_update(saved, archive, self._bucket)
            if await self._replace_clips(saved.goal, archive, update):
                failpoint("archive.switched")
                await self._record_outcomes(saved, update)
                await self._block_md5s(saved.rejected)
                _log_outcomes(saved, update)
                return True
        raise Unavailable(
            SYSTEM, f"the clips of {saved.goal.event_id} changed {_MAX_WRITE_ATTEMPTS} times while they were written"
        )

    async def record_delivery(self, batch: ClipBatch, now: datetime) -> bool:
        """Record the delivery, if the batch names one, and update the completion. True if the goal is complete and no
        download needs its files: one may be added by hand after the search is over, and open candidates are retried.
        """
        fields = completion_fields(batch.pace.attempts_wanted, batch.download_id, now)
        row = await self._goals.find_one_and_update(
            goal_filter(batch.goal.fixture_id, batch.goal.event_id),
            build_event_update(batch.goal.event_id, fields),
            {f"events.{field}": 1 for field in _COMPLETION_FIELDS},
        )
        failpoint("archive.concluded")
        events = [e for e in row["events"] if e["_event_id"] == batch.goal.event_id] if row else []
        for event in events:
            _log_completion(event, now)
        return any(not needs_scratch_files(event) for event in events)

    async def _replace_clips(self, goal: Goal, archive: GoalArchive, update: ClipListUpdate) -> bool:
        """False if the clips are no longer as they were read. Redirects are written before the merged clip."""
        if update.records == list(archive.records):
            return True
        for absorbed_id, winner in update.redirects.items():
            await self._add_redirect(absorbed_id, winner)
        state = {name: _match_exactly(archive.expected_state, name) for name in ("_s3_videos", MODERATION_FIELD)}
        same = {"_id": goal.fixture_id, "events": {"$elemMatch": {"_event_id": goal.event_id, **state}}}
        if not await self._goals.update_one(same, {"$set": {"events.$._s3_videos": update.records}}):
            return False
        await self._delete_redirects({record["clip_id"] for record in update.records} - _clip_ids(archive.records))
        return True

    async def _delete_redirects(self, clip_ids: set[str]) -> None:
        """Delete the redirects of clips that are stored as clips of their own again."""
        if clip_ids:
            with translate_mongo_errors():
                await self._db[CLIP_REDIRECTS].delete_many({"_id": {"$in": sorted(clip_ids)}})

    async def _add_redirect(self, absorbed_id: str, winner_id: str) -> None:
        redirects = self._db[CLIP_REDIRECTS]
        with translate_mongo_errors():
            await redirects.update_one({"_id": absorbed_id}, {"$set": {"to": winner_id}}, upsert=True)
            await redirects.update_many({"to": absorbed_id, "_id": {"$ne": winner_id}}, {"$set": {"to": winner_id}})

    async def _block_md5s(self, rejected: Iterable[RejectedClip]) -> None:
        """Block a file that matches a taken-down one by MD5 too: it is not fetched again, and the sweep and the
        workers' caches find what is left of it.
        """
        for one in rejected:
            if one.outcome is ClipOutcome.BLOCKED and one.matched_block_key:
                with translate_mongo_errors():
                    await self._db[BLOCKLIST].update_one(
                        {"print_key": one.matched_block_key}, {"$addToSet": {"md5s": one.md5}}
                    )

    async def _record_outcomes(self, saved: SaveClips, update: ClipListUpdate) -> None:
        """Store the flags on the other goals' clips, and each candidate's outcome next to what stage three wrote about
        it.
        """
        notes = [
            *_build_flag_updates(saved, update),
            *(_build_outcome_update(saved, outcome) for outcome in update.outcomes),
        ]
        if notes:
            await self._goals.bulk_write(notes)


def _clip_ids(records: Iterable[Document]) -> set[str]:
    return {record["clip_id"] for record in records}


def _log_outcomes(saved: SaveClips, update: ClipListUpdate) -> None:
    for outcome in update.outcomes:
        logger.info(
            "%s: %s",
            outcome.source_url,
            outcome.outcome.value,
            action=outcome.outcome.value,
            event_id=saved.goal.event_id,
            url=outcome.source_url,
            reason=outcome.reason,
            clips=len(update.records),
        )


def _log_completion(event: Document, now: datetime) -> None:
    """Log the completion only in the call that completed the goal. MongoDB stores milliseconds."""
    completed_at = event.get("_download_completed_at")
    if completed_at is None or abs(completed_at - now) >= timedelta(milliseconds=1):
        return
    reason, downloads = event["_completion_reason"], len(event.get("_download_workflows") or ())
    fields = {"event_id": event["_event_id"], "reason": reason, "downloads": downloads}
    logger.info("the goal is complete: %s", reason, action="complete", **fields)


def _match_exactly(state: Mapping[str, Any], name: str) -> Document:
    return {"$eq": state[name]} if name in state else {"$exists": False}


def _build_flag_updates(saved: SaveClips, update: ClipListUpdate) -> list[UpdateOne]:
    """The same flag on the other goal's clip, pointing back."""
    holder = {md5: record["clip_id"] for record in update.records for md5 in record["_md5s"]}
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


def _build_outcome_update(saved: SaveClips, outcome: UploadOutcome) -> UpdateOne:
    """An archived outcome stays: a repeated delivery finds its own clip, and must not be recorded as a duplicate."""
    place = f"_telemetry.attempts.{saved.download_id}.clips.{link_field_name(outcome.source_url)}"
    unsaid = {
        "_event_id": saved.goal.event_id,
        f"{place}.outcome": {"$nin": [word.value for word in _ARCHIVED_OUTCOMES]},
    }
    retry = retry_advice(outcome.outcome, outcome.retry)
    fields = {"url": outcome.source_url, "outcome": outcome.outcome.value, "retry": retry.value}
    fields |= {"reason": outcome.reason} if outcome.reason else {}
    update: Document = {"$set": {f"events.$.{place}.{name}": value for name, value in fields.items()}}
    if retry is RetryAdvice.NEVER:
        update["$pull"] = {"events.$._open_links": outcome.source_url}
    return UpdateOne({"_id": saved.goal.fixture_id, "events": {"$elemMatch": unsaid}}, update)
