"""The composition root: the only place that builds adapters from settings."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from temporalio.client import Client

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.store import ArchiveStore
from found_footy.clips.activities import ClipActivities
from found_footy.clips.cache import ClipCache
from found_footy.clips.fetch import ClipFetcher, FetchLimits
from found_footy.clips.reader import AcceptAll
from found_footy.clips.store import ClipStore
from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.search_pool import SearchPool
from found_footy.discovery.store import DiscoveryStore
from found_footy.fixtures import store as fixtures_store
from found_footy.fixtures.activities import FixtureActivities, FixtureTools
from found_footy.fixtures.api_football import ApiFootball, api_football
from found_footy.platform import mongo, probes, temporal
from found_footy.platform.http import SafeHttp
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.probes import ProbeResult
from found_footy.platform.settings import ObjectSettings
from found_footy.platform.version import build
from found_footy.settings import Settings
from found_footy.web import store as web_store
from found_footy.web.deps import Dependency, WebDeps, utc_now

INDEXES = (*fixtures_store.INDEXES, *web_store.INDEXES)


@dataclass(frozen=True)
class App:
    """The connections of one process."""

    settings: Settings
    database: Database
    objects: ObjectStore
    temporal: Client


@dataclass(frozen=True)
class Activities:
    """The activities of every stage, with all they need."""

    fixtures: FixtureActivities
    discovery: DiscoveryActivities
    clips: ClipActivities
    archive: ArchiveActivities

    def __iter__(self) -> Iterator[object]:
        return iter((self.fixtures, self.discovery, self.clips, self.archive))


def object_store(settings: ObjectSettings) -> ObjectStore:
    return ObjectStore(
        settings.endpoint,
        settings.access_key.get_secret_value(),
        settings.secret_key.get_secret_value(),
        settings.bucket,
        settings.region,
    )


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[App]:
    """Everything connected and prepared: the bucket is there, the indexes are there."""
    async with (
        mongo.connected(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database,
        temporal.connected(settings.temporal.address, settings.temporal.namespace) as client,
    ):
        objects = object_store(settings.objects)
        await objects.ensure_bucket()
        await mongo.ensure_indexes(database, INDEXES)
        yield App(settings, database, objects, client)


@asynccontextmanager
async def activities(app: App) -> AsyncIterator[Activities]:
    """What a worker serves; the connections behind it end with the block."""
    async with AsyncExitStack() as stack:
        feed, search, videos = _feed(app.settings), _search_client(app.settings), _video_client(app.settings)
        for client in (feed, search, videos):
            stack.push_async_callback(client.aclose)
        tools = FixtureTools(
            app.database, feed, app.temporal, app.objects, utc_now, app.settings.fixtures.feed_parallel
        )
        yield Activities(
            FixtureActivities(tools),
            DiscoveryActivities(
                DiscoveryStore(app.database), _search_pool(app.settings, search), app.settings.discovery
            ),
            ClipActivities(ClipStore(app.database), _fetcher(app, videos), AcceptAll(), app.temporal),
            ArchiveActivities(ArchiveStore(app.database, app.settings.objects.bucket), app.objects),
        )


def _feed(settings: Settings) -> ApiFootball:
    feed = settings.fixtures
    key = feed.feed_key.get_secret_value()
    return api_football(key, feed.feed_via, feed.feed_url, feed.feed_timeout, feed.feed_max_size)


def _search_client(settings: Settings) -> SafeHttp:
    return SafeHttp(
        system="search",
        allowed_hosts=[_host(url) for url in settings.discovery.search_urls],
        # Search services are ours, and therefore usually on this machine or this network.
        trusted_private=[_host(url) for url in settings.discovery.search_urls],
        timeout=settings.discovery.search_timeout,
        max_bytes=settings.discovery.answer_limit,
    )


def _search_pool(settings: Settings, http: SafeHttp) -> SearchPool:
    return SearchPool(http, settings.discovery.search_urls, rest=settings.discovery.search_rest)


def _video_client(settings: Settings) -> SafeHttp:
    return SafeHttp(
        system="video host",
        allowed_hosts=settings.clips.video_hosts,
        trusted_private=settings.trusted_hosts,
        timeout=settings.clips.download_deadline,
    )


def _fetcher(app: App, http: SafeHttp) -> ClipFetcher:
    clips = app.settings.clips
    folder = clips.cache_dir or app.settings.data_dir / "clips"
    limits = FetchLimits(clips.max_bytes, clips.download_deadline)
    return ClipFetcher(http, app.objects, ClipCache(folder, clips.cache_bytes), clips.rules, limits)


def _host(url: str) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


async def probe_everything(settings: Settings) -> Sequence[ProbeResult]:
    """Every dependency asked at once by a real operation."""
    return await asyncio.gather(
        probes.probe_mongo(settings.mongo),
        probes.probe_temporal(settings.temporal),
        probes.probe_objects(settings.objects),
        probes.probe_queue(settings.nats),
    )


def web_deps(app: App) -> WebDeps:
    settings = app.settings

    async def dependencies() -> Sequence[Dependency]:
        found = await probe_everything(settings)
        # The queue serves organization uploads; goals and clips do without it.
        return [Dependency(r.system, r.ok, r.detail, r.remedy, required=r.system != "NATS") for r in found]

    return WebDeps(
        database=app.database,
        objects=app.objects,
        probes=dependencies,
        version=build().version,
        commit=build().commit,
        simulated=settings.simulated,
        attempts_wanted=settings.pace.attempts,
        settings=settings.web,
    )
