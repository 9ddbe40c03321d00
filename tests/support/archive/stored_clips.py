"""Goals with clips as the archive leaves them: records in MongoDB, objects beside each other in the store."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from found_footy.archive.dedup.records import make_clip_id
from found_footy.archive.maintenance.services import MaintenanceServices
from found_footy.domain.clip_files import FINGERPRINT, PREVIEW, THUMBNAIL
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import clip_key, evidence_key
from found_footy.domain.messages import Goal
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.mongo import Database, Document
from found_footy.platform.objects import ObjectStore
from found_footy.settings import Settings, load_settings
from tests.support.pipeline.batches import content
from tests.support.pipeline.goals import event_document, make_goal

DAY = timedelta(days=1)


def md5_of(number: int) -> str:
    return hashlib.md5(content(number), usedforsecurity=False).hexdigest()


def make_record(goal: Goal, number: int, **changes: Any) -> Document:
    md5 = md5_of(number)
    sources = [f"https://x.com/fan/status/{number}"]
    return {
        "clip_id": make_clip_id(goal.event_id, md5),
        "_s3_key": clip_key(goal.fixture_id, goal.event_id, md5),
        "thumbnail_key": THUMBNAIL.key(goal.fixture_id, goal.event_id, md5),
        "preview_key": PREVIEW.key(goal.fixture_id, goal.event_id, md5),
        "fingerprint_key": FINGERPRINT.key(goal.fixture_id, goal.event_id, md5),
        "md5": md5,
        "hash_version": "motion:0.125",
        "file_size": len(content(number)),
        "duration": 12.0,
        "timestamp_verified": False,
        "source_url": sources[0],
        "_sources": sources,
        "popularity": 1,
    } | changes


@dataclass
class Clock:
    now: datetime

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True)
class StoredClips:
    database: Database
    objects: ObjectStore
    keeping: MaintenanceServices
    clock: Clock

    async def goal(
        self,
        *numbers: int,
        prints: Sequence[bytes] = (),
        goal: Goal | None = None,
        collection: FixtureCollection = FixtureCollection.ACTIVE,
        **fields: Any,
    ) -> Goal:
        """A goal with these clips, the largest best, each with everything that belongs beside it."""
        goal = goal or make_goal()
        best_first = sorted(numbers, reverse=True)
        records = [make_record(goal, number, rank=place) for place, number in enumerate(best_first, 1)]
        event = event_document(goal, _s3_videos=records, **fields)
        document = {"_id": goal.fixture_id, "kickoff": self.clock() - DAY, "events": [event], "removed_events": []}
        await self.database[collection].insert_one(document)
        for place, number in enumerate(numbers):
            await self.put(goal, number, prints[place] if prints else b"not a fingerprint")
        return goal

    async def put(self, goal: Goal, number: int, fingerprint: bytes) -> None:
        record = make_record(goal, number)
        await self.objects.put_bytes(record["_s3_key"], content(number), content_type="video/mp4")
        await self.objects.put_bytes(record["thumbnail_key"], b"jpeg", content_type="image/jpeg")
        await self.objects.put_bytes(record["preview_key"], b"preview", content_type="video/mp4")
        await self.objects.put_bytes(record["fingerprint_key"], fingerprint, content_type="application/octet-stream")
        evidence = evidence_key(goal.fixture_id, goal.event_id, record["md5"], 1)
        await self.objects.put_bytes(evidence, b"jpeg", content_type="image/jpeg")

    async def event(self, goal: Goal, collection: FixtureCollection = FixtureCollection.ACTIVE) -> Document:
        row = await self.database[collection].find_one({"_id": goal.fixture_id})
        assert row is not None
        [event] = [event for event in row["events"] if event["_event_id"] == goal.event_id]
        return dict(event)

    async def clips(self, goal: Goal, collection: FixtureCollection = FixtureCollection.ACTIVE) -> list[str]:
        """The goal's clip ids in the order of their ranks, which must have no gaps."""
        clips = (await self.event(goal, collection))["_s3_videos"]
        assert [clip["rank"] for clip in clips] == list(range(1, len(clips) + 1))
        return [clip["clip_id"] for clip in clips]

    async def change(
        self, goal: Goal, fields: Mapping[str, Any], collection: FixtureCollection = FixtureCollection.ACTIVE
    ) -> None:
        changes = {f"events.0.{name}": value for name, value in fields.items()}
        await self.database[collection].update_one({"_id": goal.fixture_id}, {"$set": changes})

    async def keys(self, prefix: str = "") -> set[str]:
        return {info.key async for info in self.objects.list(prefix)}

    async def audit(self) -> list[Document]:
        return await self.database["audit"].find().sort("at", 1).to_list()


def id_of(goal: Goal, number: int) -> str:
    return make_clip_id(goal.event_id, md5_of(number))


def open_stored_clips(database: Database, objects: ObjectStore) -> StoredClips:
    clock = Clock(datetime.now(UTC))
    return StoredClips(database, objects, MaintenanceServices(database, objects, clock), clock)


def settings_for(platform: PlatformEndpoints, stored_clips: StoredClips, **more: str) -> Settings:
    environ: Mapping[str, str] = {
        "FOOTY_DATA_DIR": "/nonexistent",
        "MONGODB_URI": platform.mongodb_uri,
        "MONGODB_DATABASE": stored_clips.database.name,
        "S3_ENDPOINT": platform.s3_endpoint,
        "S3_ACCESS_KEY": platform.s3_access_key,
        "S3_SECRET_KEY": platform.s3_secret_key,
        "S3_BUCKET": stored_clips.objects.bucket,
        **more,
    }
    return load_settings(environ).settings
