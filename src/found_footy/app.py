"""The composition root: only this module and those named `*_factory` build adapters from settings."""

import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from temporalio.client import Client, Interceptor
from temporalio.runtime import Runtime

from found_footy.access.indexes import ACCESS_INDEXES
from found_footy.archive.moderation import audit_log, store
from found_footy.discovery import store as discovery_store
from found_footy.discovery.sources.reddit import store as reddit_store
from found_footy.fixtures import store as fixtures_store
from found_footy.fixtures.lifecycle import retention_store
from found_footy.keep.schema import ensure_schema
from found_footy.notify import store as notify_store
from found_footy.platform import mongo
from found_footy.platform.clock import utc_now
from found_footy.platform.disk import DiskFloorRule
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.settings.groups import ObjectStoreSettings
from found_footy.platform.temporal import client as temporal
from found_footy.settings import Settings
from found_footy.uploads import store as uploads_store
from found_footy.uploads.intake import dead_letter_store
from found_footy.uploads.organizations import store as organizations_store
from found_footy.views import browse_store, error_store
from found_footy.views import store as web_store
from found_footy.views import uploads_store as uploads_views

INDEXES = (
    *fixtures_store.INDEXES,
    *retention_store.INDEXES,
    *discovery_store.INDEXES,
    *reddit_store.INDEXES,
    *web_store.INDEXES,
    *browse_store.INDEXES,
    *store.INDEXES,
    *audit_log.INDEXES,
    *uploads_store.INDEXES,
    *dead_letter_store.INDEXES,
    *organizations_store.INDEXES,
    *uploads_views.INDEXES,
    *notify_store.INDEXES,
    *ACCESS_INDEXES,
    *error_store.INDEXES,
)


@dataclass(frozen=True)
class AppContext:
    """The connections of one process."""

    settings: Settings
    database: Database
    objects: ObjectStore
    temporal: Client


def build_object_store(settings: ObjectStoreSettings) -> ObjectStore:
    return ObjectStore(
        settings.endpoint,
        settings.access_key.get_secret_value(),
        settings.secret_key.get_secret_value(),
        settings.bucket,
        settings.region,
    )


@asynccontextmanager
async def open_app(
    settings: Settings, runtime: Runtime | None = None, interceptors: Sequence[Interceptor] = ()
) -> AsyncIterator[AppContext]:
    """Connect to MongoDB, Temporal and the object store; create the bucket and the indexes. `runtime` is the Temporal
    SDK's, `interceptors` are those of its client.
    """
    async with (
        mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database,
        temporal.connect(
            settings.temporal.address, settings.temporal.namespace, runtime, settings.temporal.access, interceptors
        ) as client,
    ):
        objects = build_object_store(settings.objects)
        await objects.ensure_bucket()
        await ensure_schema(database, f"{socket.gethostname()}:{os.getpid()}", utc_now)
        await mongo.ensure_indexes(database, INDEXES)
        yield AppContext(settings, database, objects, client)


def clip_cache_dir(settings: Settings) -> Path:
    return settings.clips.cache_dir or settings.data_dir / "clips"


def disk_paths(settings: Settings) -> list[Path]:
    """Paths that this machine writes to: the clip cache, and data and logs of the embedded servers."""
    cache = clip_cache_dir(settings)
    return [settings.data_dir, cache] if settings.data_dir.exists() else [cache]


def disk_floor_rule(settings: Settings) -> DiskFloorRule:
    return DiskFloorRule(settings.disk.floor_share, settings.disk.floor)
