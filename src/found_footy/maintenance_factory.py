"""Builds the services of moderation and maintenance, from settings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from found_footy.app import build_object_store
from found_footy.archive.maintenance.services import MaintenanceServices
from found_footy.platform import mongo
from found_footy.platform.clock import utc_now
from found_footy.settings import Settings


@asynccontextmanager
async def open_maintenance(settings: Settings) -> AsyncIterator[MaintenanceServices]:
    """Open the services of moderation and maintenance. They work without Temporal, because a takedown cannot wait for
    it.
    """
    async with mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database:
        objects = build_object_store(settings.objects)
        try:
            yield MaintenanceServices(database, objects, utc_now)
        finally:
            await objects.aclose()
