"""The composition root: the only place that builds adapters from settings."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client
from temporalio.runtime import Runtime

from found_footy.archive import audit, judgement_store
from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.judgement_store import JudgementStore
from found_footy.archive.keeping import Keeping
from found_footy.archive.store import ArchiveStore
from found_footy.archive.sweep_activities import SweepActivities
from found_footy.clips.activities import ClipActivities
from found_footy.clips.cache import ClipCache
from found_footy.clips.cache_keeper import CacheKeeper, kept
from found_footy.clips.fetch import ClipFetcher, FetchLimits
from found_footy.clips.fetch_source import Lookup
from found_footy.clips.gallery import Gallery
from found_footy.clips.prints import PrintMaker
from found_footy.clips.reader import AcceptAll, ClipReader, Reader
from found_footy.clips.store import ClipStore
from found_footy.clips.syndication import MAX_ANSWER, Syndication
from found_footy.clips.turns import Turns
from found_footy.clips.ytdlp import YtDlp, is_installed
from found_footy.discovery import bluesky
from found_footy.discovery import store as discovery_store
from found_footy.discovery.activities import Aliases, DiscoveryActivities
from found_footy.discovery.alias_picker import ModelPicker
from found_footy.discovery.bluesky import Bluesky
from found_footy.discovery.bluesky_session import SERVERS, Account, BlueskySession
from found_footy.discovery.known_teams import KnownTeams
from found_footy.discovery.manual import ManualClips
from found_footy.discovery.retry_activities import RetryActivities
from found_footy.discovery.search_pool import SearchPool
from found_footy.discovery.sources import Source
from found_footy.discovery.standing import PoolReport
from found_footy.discovery.store import DiscoveryStore
from found_footy.discovery.wikidata import Wikidata, user_agent
from found_footy.discovery.wikidata_aliases import WikidataAliases
from found_footy.embedded.endpoints import default_data_dir
from found_footy.fixtures import store as fixtures_store
from found_footy.fixtures import store_archive
from found_footy.fixtures.activities import FixtureActivities, FixtureTools
from found_footy.fixtures.api_football import ApiFootball, api_football
from found_footy.fixtures.settings import ingest_input, monitor_input
from found_footy.platform import mongo, temporal
from found_footy.platform.addresses import host_and_port
from found_footy.platform.disk import DiskFloor, FloorRule, Spare
from found_footy.platform.errors import ConfigError
from found_footy.platform.http import SafeHttp
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.settings import ObjectSettings
from found_footy.settings import Settings, pace
from found_footy.vision.building import build_reader, model_dir
from found_footy.vision.classifier.making import FILE as MODEL_FILE
from found_footy.vision.settings import VisionSettings
from found_footy.web import store as web_store
from found_footy.web.deps import utc_now

_MODEL_ANSWER = 256 * 1024

logger = logging.getLogger(__name__)

INDEXES = (
    *fixtures_store.INDEXES, *store_archive.INDEXES, *discovery_store.INDEXES, *web_store.INDEXES,
    *judgement_store.INDEXES, *audit.INDEXES,
)  # fmt: skip


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
    retries: RetryActivities
    clips: ClipActivities
    archive: ArchiveActivities
    sweep: SweepActivities

    def __iter__(self) -> Iterator[object]:
        return iter((self.fixtures, self.discovery, self.retries, self.clips, self.archive, self.sweep))


def object_store(settings: ObjectSettings) -> ObjectStore:
    return ObjectStore(
        settings.endpoint,
        settings.access_key.get_secret_value(),
        settings.secret_key.get_secret_value(),
        settings.bucket,
        settings.region,
    )


@asynccontextmanager
async def opened(settings: Settings, runtime: Runtime | None = None) -> AsyncIterator[App]:
    """Everything connected and prepared: the bucket and the indexes are there. `runtime` is the Temporal SDK's."""
    async with (
        mongo.connected(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database,
        temporal.connected(
            settings.temporal.address, settings.temporal.namespace, runtime, settings.temporal.access
        ) as client,
    ):
        objects = object_store(settings.objects)
        await objects.ensure_bucket()
        await mongo.ensure_indexes(database, INDEXES)
        yield App(settings, database, objects, client)


@asynccontextmanager
async def keeping(settings: Settings) -> AsyncIterator[Keeping]:
    """For people who look after what is stored; it works without Temporal, because a take-down cannot wait for it."""
    async with mongo.connected(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database:
        objects = object_store(settings.objects)
        try:
            yield Keeping(database, objects, utc_now)
        finally:
            await objects.aclose()


@asynccontextmanager
async def activities(app: App) -> AsyncIterator[Activities]:
    """What a worker serves; the connections behind it end with the block."""
    async with AsyncExitStack() as stack:
        feed, videos = _feed(app.settings), _video_client(app.settings)
        for client in (feed, videos):
            stack.push_async_callback(client.aclose)
        await stack.enter_async_context(kept(_cache_keeper(app)))
        main, *others = search_sources(app.settings, stack)
        fixtures, paced = app.settings.fixtures, pace(app.settings)
        tools = FixtureTools(
            app.database, feed, app.temporal, app.objects, utc_now, fixtures.feed_parallel,
            monitor_input(fixtures, paced), ingest_input(fixtures, paced),
        )  # fmt: skip
        yield Activities(
            FixtureActivities(tools),
            DiscoveryActivities(
                DiscoveryStore(app.database),
                main,
                app.settings.discovery,
                alias_sources(app.settings, stack),
                utc_now,
                others,
                app.settings.clips.rules,
            ),
            RetryActivities(DiscoveryStore(app.database), app.temporal, utc_now),
            ClipActivities(
                ClipStore(app.database),
                _fetcher(app, videos, stack),
                _reader(app, stack),
                app.temporal,
                PrintMaker(app.objects, app.settings.clips.prints_at_once),
            ),
            ArchiveActivities(
                ArchiveStore(app.database, app.settings.objects.bucket),
                app.objects,
                tolerance=app.settings.vision.tolerance,
            ),
            SweepActivities(Keeping(app.database, app.objects, utc_now).sweeper),
        )


def _feed(settings: Settings) -> ApiFootball:
    feed = settings.fixtures
    key = feed.feed_key.get_secret_value()
    return api_football(key, feed.feed_via, feed.feed_url, feed.feed_timeout, feed.feed_max_size, feed.feed_minute)


def search_sources(settings: Settings, stack: AsyncExitStack) -> list[Source]:
    """The sources that are switched on, the main one first; their connections end with the stack."""
    builders: Mapping[str, Callable[[Settings, AsyncExitStack], Source]] = {"x": _search_pool, "bluesky": _bluesky}
    return [builders[name](settings, stack) for name in dict.fromkeys(settings.discovery.sources)]


def alias_sources(settings: Settings, stack: AsyncExitStack) -> list[Aliases]:
    """Who knows what teams are called, best first. Wikidata is asked only by those who say who they are."""
    discovery = settings.discovery
    if not discovery.wikidata:
        return [KnownTeams()]
    if not discovery.wikidata_contact:
        logger.info("Wikidata is not asked: WIKIDATA_CONTACT is not set", extra={"action": "wikidata_off"})
        return [KnownTeams()]
    http = _client(
        settings, stack, "Wikidata", [discovery.wikidata_url, discovery.wikidata_query_url], discovery.wikidata_timeout,
        {"user-agent": user_agent(discovery.wikidata_contact)},
    )  # fmt: skip
    wikidata = Wikidata(http, discovery.wikidata_url, discovery.wikidata_query_url)
    return [WikidataAliases(wikidata, _picker(settings, stack)), KnownTeams()]


def _picker(settings: Settings, stack: AsyncExitStack) -> ModelPicker | None:
    discovery = settings.discovery
    if discovery.alias_model_url is None:
        return None
    http = SafeHttp(
        system="language model",
        allowed_hosts=[host_and_port(discovery.alias_model_url)],
        # A model is usually one's own, on this machine or this network.
        trusted_private=[host_and_port(discovery.alias_model_url)],
        timeout=discovery.alias_model_timeout,
        max_bytes=_MODEL_ANSWER,
    )
    stack.push_async_callback(http.aclose)
    return ModelPicker(http, discovery.alias_model_url, discovery.alias_model)


def _client(
    settings: Settings, stack: AsyncExitStack, system: str, urls: Sequence[str], timeout: timedelta,
    headers: Mapping[str, str] | None = None,
) -> SafeHttp:  # fmt: skip
    """A client for an outside system that is on a private network only if the settings say so."""
    http = SafeHttp(
        system=system,
        allowed_hosts=[host_and_port(url) for url in urls],
        trusted_private=settings.trusted_hosts,
        timeout=timeout,
        headers=headers,
    )
    stack.push_async_callback(http.aclose)
    return http


def _bluesky(settings: Settings, stack: AsyncExitStack) -> Bluesky:
    discovery = settings.discovery
    http = _client(settings, stack, "Bluesky", [discovery.bluesky_url], discovery.bluesky_timeout)
    session = _bluesky_session(settings, stack)
    return Bluesky(http, discovery.bluesky_url, discovery.bluesky_blob_url, session=session)


def _bluesky_session(settings: Settings, stack: AsyncExitStack) -> BlueskySession | None:
    """For those who have named an account. It has a client of its own: nobody else's requests carry its tokens."""
    discovery = settings.discovery
    account = Account(discovery.bluesky_handle.lstrip("@"), discovery.bluesky_app_password.get_secret_value())
    if not account.handle and not account.app_password:
        return None
    if not account.handle or not account.app_password:
        raise ConfigError("BLUESKY_HANDLE and BLUESKY_APP_PASSWORD belong together: one of them is not set")
    http = SafeHttp(
        system="Bluesky",
        allowed_hosts=[host_and_port(discovery.bluesky_service), f"*{SERVERS}"],
        trusted_private=settings.trusted_hosts,
        timeout=discovery.bluesky_timeout,
    )
    stack.push_async_callback(http.aclose)
    return BlueskySession(http, discovery.bluesky_service, account)


@asynccontextmanager
async def manual_clips(app: App) -> AsyncIterator[ManualClips]:
    """For commands and routes that add a clip by hand."""
    async with AsyncExitStack() as stack:
        switched_on = "bluesky" in app.settings.discovery.sources
        posts = _bluesky(app.settings, stack) if switched_on else None
        x = _syndication(app.settings, stack)
        yield ManualClips(DiscoveryStore(app.database), app.temporal, pace(app.settings), posts, x)


async def search_report(settings: Settings) -> PoolReport:
    """How the search services and their budgets stand, asked now; for status pages."""
    async with AsyncExitStack() as stack:
        return await _search_pool(settings, stack).survey()


def _search_client(settings: Settings) -> SafeHttp:
    token = settings.discovery.search_token
    return SafeHttp(
        system="search",
        allowed_hosts=[host_and_port(url) for url in settings.discovery.search_urls],
        # Search services are ours, and therefore usually on this machine or this network.
        trusted_private=[host_and_port(url) for url in settings.discovery.search_urls],
        timeout=settings.discovery.search_timeout,
        max_bytes=settings.discovery.answer_limit,
        headers={"authorization": f"Bearer {token.get_secret_value()}"} if token else None,
    )


def _search_pool(settings: Settings, stack: AsyncExitStack) -> SearchPool:
    discovery, http = settings.discovery, _search_client(settings)
    stack.push_async_callback(http.aclose)
    return SearchPool(
        http, discovery.search_urls, rest=discovery.search_rest, patience=discovery.search_patience,
        limit=discovery.search_timeout,
    )  # fmt: skip


def _video_client(settings: Settings) -> SafeHttp:
    return SafeHttp(
        system="video host",
        allowed_hosts=(*settings.clips.video_hosts, *_blob_hosts(settings)),
        trusted_private=settings.trusted_hosts,
        timeout=settings.clips.download_deadline,
    )


def _blob_hosts(settings: Settings) -> tuple[str, ...]:
    """Where the videos of the sources that are switched on lie, besides the hosts that the settings name."""
    if "bluesky" not in settings.discovery.sources:
        return ()
    return (host_and_port(settings.discovery.bluesky_blob_url), *bluesky.BLOB_HOSTS)


def _fetcher(app: App, http: SafeHttp, stack: AsyncExitStack) -> ClipFetcher:
    clips, lookups = app.settings.clips, _lookups(app.settings, stack)
    blocked = JudgementStore(app.database).blocked_among
    limits, cache = FetchLimits(clips.max_bytes, clips.download_deadline), _cache(app.settings)
    disk = DiskFloor(
        disk_paths(app.settings), floor_rule(app.settings), Spare(_cache_dir(app.settings), cache.give_way)
    )
    looking = asyncio.create_task(disk.keep_looking())
    stack.push_async_callback(_ended, looking)
    return ClipFetcher(http, app.objects, cache, clips.rules, limits, lookups, blocked, disk)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _cache_keeper(app: App) -> CacheKeeper:
    blocked = JudgementStore(app.database).blocked_among
    return CacheKeeper(_cache(app.settings), blocked, app.settings.clips.cache_check)


def _cache(settings: Settings) -> ClipCache:
    return ClipCache(_cache_dir(settings), settings.clips.cache_bytes, settings.clips.cache_for)


def _cache_dir(settings: Settings) -> Path:
    return settings.clips.cache_dir or settings.data_dir / "clips"


def disk_paths(settings: Settings) -> list[Path]:
    """Where this machine writes: the clips at hand, and the data of the servers that run here, with their logs."""
    cache = _cache_dir(settings)
    return [settings.data_dir, cache] if settings.data_dir.exists() else [cache]


def floor_rule(settings: Settings) -> FloorRule:
    return FloorRule(settings.disk.floor_share, settings.disk.floor)


def _reader(app: App, stack: AsyncExitStack) -> Reader:
    vision = app.settings.vision
    if vision.reader == "accept-all":
        logger.warning("clips are published without being looked at", extra={"action": "vision_off"})
        return AcceptAll()
    turns = Turns(app.database, vision.llm_at_once)
    reader = build_reader(vision_settings(app.settings), app.settings.data_dir, turns.taken)
    stack.push_async_callback(reader.aclose)
    return ClipReader(reader, Gallery(app.objects), _cache(app.settings).workspace, vision.tolerance)


def vision_settings(settings: Settings) -> VisionSettings:
    """With the folder of the picture model: the one that is named, else the data directory's, else the user's own if
    it was made there: a data directory for a day does not need a model of its own.
    """
    own, users = (model_dir(settings.vision, place) for place in (settings.data_dir, default_data_dir()))
    found = own if (own / MODEL_FILE).is_file() or not (users / MODEL_FILE).is_file() else users
    return settings.vision.model_copy(update={"model_dir": found})


def _syndication(settings: Settings, stack: AsyncExitStack) -> Syndication:
    clips = settings.clips
    http = SafeHttp(
        system="X embeds",
        allowed_hosts=[host_and_port(clips.syndication_url)],
        trusted_private=settings.trusted_hosts,
        timeout=clips.syndication_timeout,
        max_bytes=MAX_ANSWER,
    )
    stack.push_async_callback(http.aclose)
    return Syndication(http, clips.syndication_url)


def _lookups(settings: Settings, stack: AsyncExitStack) -> list[Lookup]:
    """Who tells the files of a post, in the order in which they are asked."""
    clips = settings.clips
    if not clips.ytdlp:
        return [_syndication(settings, stack)]
    if not is_installed():
        logger.warning("yt-dlp is switched on but not installed", extra={"action": "ytdlp_missing"})
    return [_syndication(settings, stack), YtDlp(clips.max_bytes, clips.longest)]
