"""The web application over a database and a bucket of the test's own."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import uuid4

import httpx
import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.web.app import create_app
from found_footy.web.deps import DependencyStatus, WebDeps
from found_footy.web.server import serve_app
from found_footy.web.settings import WebSettings
from tests.support.web import matchday
from tests.support.web.matchday import Document
from tests.support.web.page_videos import thumbnail, video


async def report_all_ok() -> Sequence[DependencyStatus]:
    return [DependencyStatus("MongoDB", ok=True), DependencyStatus("object store", ok=True)]


@dataclass(frozen=True)
class PageData:
    """Stores what a test shows: fixtures in collections, clips in the bucket."""

    database: Database
    objects: ObjectStore

    async def store_fixture(
        self, document: Document, collection: FixtureCollection = FixtureCollection.ACTIVE
    ) -> Document:
        await self.database[collection].replace_one({"_id": document["_id"]}, document, upsert=True)
        return document

    async def store_clip(self, clip: Document, content: bytes | None = None) -> Document:
        """Store the bytes of a clip and its thumbnail."""
        await self.objects.ensure_bucket()
        await self.objects.put_bytes(clip["_s3_key"], video() if content is None else content, content_type="video/mp4")
        await self.objects.put_bytes(clip["thumbnail_key"], thumbnail(), content_type="image/jpeg")
        return clip

    async def store_playable(self, fixture_id: int = 5000, *, content: bytes | None = None) -> Document:
        """A live match with one goal that has one clip."""
        goal = matchday.goal(fixture_id)
        goal["_s3_videos"] = [await self.store_clip(matchday.clip(goal["_event_id"]), content)]
        return await self.store_fixture(matchday.fixture(fixture_id, events=[goal]))


def failing_database(error: Exception) -> object:
    """A database every look into which fails with `error`."""

    class Unreadable:
        def __getitem__(self, name: str) -> object:
            raise error

    return Unreadable()


@pytest.fixture
async def objects(platform: PlatformEndpoints) -> AsyncIterator[ObjectStore]:
    """A store whose bucket is made when the first object is put: most pages need none."""
    store = ObjectStore(platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, f"test-{uuid4().hex}")
    yield store
    await store.aclose()


@pytest.fixture
def page_data(database: Database, objects: ObjectStore) -> PageData:
    return PageData(database, objects)


@pytest.fixture
def deps(database: Database, objects: ObjectStore) -> WebDeps:
    return WebDeps(
        database=database,
        objects=objects,
        probes=report_all_ok,
        version="1.2.3",
        commit="0123456789ab",
        clock=lambda: matchday.NOW,
        settings=WebSettings(
            port=0,
            heartbeat=timedelta(seconds=1),
            graceful_stop=timedelta(seconds=2),
            # What a test has just stored is on the page that it asks for next.
            page_reuse=timedelta(0),
            stats_reuse=timedelta(0),
        ),
    )


def open_client(deps: WebDeps, *, bugs_surface: bool = True) -> httpx.AsyncClient:
    """A client of the application itself, without a server and without the live stream."""
    transport = httpx.ASGITransport(create_app(deps), raise_app_exceptions=bugs_surface)
    return httpx.AsyncClient(transport=transport, base_url="http://footy.test")


@pytest.fixture
async def client(deps: WebDeps) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(deps) as client:
        yield client


@pytest.fixture
async def address(deps: WebDeps) -> AsyncIterator[str]:
    """A real server, following the database."""
    live = replace(deps)
    async with serve_app(create_app(live), live.settings) as address:
        yield address
