"""The worker as it is started: it consumes events, classifies, reconciles, and health says how the intake does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from temporalio.client import Client

from found_footy import activities_factory, health, worker
from found_footy.app import INDEXES, AppContext
from found_footy.domain.uploads import object_key
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import NotFound
from found_footy.platform.mongo import Database, ensure_indexes
from found_footy.platform.objects import ObjectStore
from found_footy.platform.queue import connect
from found_footy.settings import Settings, load_settings
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore, LetterKind
from found_footy.uploads.intake.object_event import ObjectAction, ObjectEvent
from found_footy.uploads.store import UploadStore
from found_footy.uploads_factory import open_uploads
from found_footy.worker import run_worker
from found_footy.worker_roles import WorkerRole
from tests.support.pipeline.services import until
from tests.support.uploads.agent_services import ColorClassifier, paint


@pytest.fixture
async def app(
    platform: PlatformEndpoints, database: Database, objects: ObjectStore, temporal: Client, tmp_path: Path
) -> AsyncIterator[AppContext]:
    unique = uuid4().hex
    stream = f"T{unique}"
    environ = {
        "FOOTY_DATA_DIR": str(tmp_path),
        "S3_ENDPOINT": platform.s3_endpoint,
        "S3_ACCESS_KEY": platform.s3_access_key,
        "S3_SECRET_KEY": platform.s3_secret_key,
        "NATS_URL": platform.nats_url,
        "FOOTY_UPLOADS__BUCKET": f"test-{unique}",
        "FOOTY_UPLOADS__STREAM": stream,
        **{f"FOOTY_QUEUES__{name}": f"{name.lower()}-{unique}" for name in ("MAIN", "MEDIA", "VISION")},
    }
    await ensure_indexes(database, INDEXES)
    yield AppContext(load_settings(environ).settings, database, objects, temporal)
    async with connect(platform.nats_url) as queue:
        names = [one.config.name for one in await queue.stream.streams_info()]
        if stream in names:
            await queue.stream.delete_stream(stream)


@asynccontextmanager
async def working(app: AppContext, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """The worker of all roles; schedules have fixed names, which other tests use too, so they are left out."""

    def build_color_classifier(*_: object) -> ColorClassifier:
        return ColorClassifier()

    @asynccontextmanager
    async def without_schedules(_: object) -> AsyncIterator[None]:
        yield

    class NoReconciler:
        def __init__(self, _: object) -> None: ...

    monkeypatch.setattr(activities_factory, "build_upload_classifier", build_color_classifier)
    monkeypatch.setattr(worker, "reconcile_schedules", without_schedules)
    monkeypatch.setattr(worker, "ScheduleReconciler", NoReconciler)
    task = asyncio.create_task(run_worker(app, WorkerRole.ALL))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_worker_classifies_what_an_event_in_the_queue_tells_of(
    app: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    organization_id = f"org-{uuid4().hex}"
    key = object_key(organization_id, "hero.png")
    async with working(app, monkeypatch), open_uploads(app.settings, app.database, app.temporal) as uploads:
        await until(lambda: has_bucket(uploads.objects))
        stored = await uploads.objects.put_bytes(key, paint("green"), content_type="image/png")
        event = ObjectEvent(
            app.settings.uploads.bucket, key, ObjectAction.CREATED, stored.etag, None, None, None, None, "aws"
        )
        await until(lambda: is_ready(uploads))
        await uploads.publisher.publish(event)
        await until(lambda: is_classified(app.database, organization_id))
        assert (await health.check_uploads(app)).ok
    row = await UploadStore(app.database).find(organization_id, "hero.png")
    assert row is not None
    assert row["classificationLabel"] == "green"


async def test_health_tells_backlog_and_dead_letters_and_names_a_missing_queue(
    app: AppContext, platform: PlatformEndpoints
) -> None:
    async with open_uploads(app.settings, app.database, app.temporal) as uploads:
        await until(lambda: is_ready(uploads))
        found = await health.check_uploads(app)
        assert (found.ok, found.detail, found.state) == (True, "0 events in the queue", "ok")
        await uploads.letters.park(LetterKind.NOTIFICATION, b"?", "unreadable")
    found = await health.check_uploads(app)
    assert (found.ok, found.detail) == (True, "0 events in the queue; 1 dead letters")
    assert "dead-letters" in found.remedy
    away = load_settings({"FOOTY_DATA_DIR": "nowhere", "NATS_URL": "nats://127.0.0.1:1"}).settings
    found = await health.check_uploads(_with(app, away))
    assert not found.ok
    assert found.state == "degraded"  # clips do not need it
    assert "NATS_URL" in found.remedy
    off = load_settings({"FOOTY_DATA_DIR": "nowhere", "FOOTY_UPLOADS__ENABLED": "false"}).settings
    assert (await health.check_uploads(_with(app, off))).detail == "off"
    assert await DeadLetterStore(app.database).count() == 1


def _with(app: AppContext, settings: Settings) -> AppContext:
    return AppContext(settings, app.database, app.objects, app.temporal)


async def has_bucket(objects: ObjectStore) -> bool:
    try:
        return [found async for found in objects.list()] == []
    except NotFound:
        return False


async def is_ready(uploads: Any) -> bool:
    return bool(uploads.connection.is_ready)


async def is_classified(database: Database, organization_id: str) -> bool:
    row = await UploadStore(database).find(organization_id, "hero.png")
    return row is not None and row["status"] == "classified"
