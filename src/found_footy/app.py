"""The composition root: only this module, `source_factory` and `uploads_factory` build adapters from settings."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from temporalio.client import Client
from temporalio.runtime import Runtime

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.maintenance.activities import SweepActivities
from found_footy.archive.maintenance.services import MaintenanceServices
from found_footy.archive.moderation import audit_log, store
from found_footy.archive.moderation.store import ModerationStore
from found_footy.archive.store import ArchiveStore
from found_footy.clips.activities import ClipActivities
from found_footy.clips.check.checker import AcceptAllChecker, ClipChecker, VisionClipChecker
from found_footy.clips.check.evidence import EvidenceStore
from found_footy.clips.check.lease import VisionLease
from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.cache_sweeper import CacheSweeper, run_cache_sweeper
from found_footy.clips.fetch.fetcher import ClipFetcher, FetchLimits
from found_footy.clips.fetch.hosts.lookup import MAX_PAGE_BYTES, ClipHostLookup
from found_footy.clips.fetch.hosts.table import HOST_RULES, HostRule, asked_hosts, file_hosts, generic_rules
from found_footy.clips.fetch.sources import VariantLookup
from found_footy.clips.fetch.syndication.client import MAX_ANSWER_BYTES, SyndicationClient
from found_footy.clips.fetch.ytdlp.lookup import YtDlpLookup, is_installed
from found_footy.clips.fingerprints.maker import FingerprintMaker
from found_footy.clips.store import ClipStore
from found_footy.discovery import store as discovery_store
from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.retry_activities import RetryActivities
from found_footy.discovery.sources.manual import ManualClipService
from found_footy.discovery.sources.reddit import store as reddit_store
from found_footy.discovery.store import DiscoveryStore
from found_footy.embedded.endpoints import default_data_dir
from found_footy.fixtures import store as fixtures_store
from found_footy.fixtures.activities import FixtureActivities, FixtureDependencies
from found_footy.fixtures.feed.client import ApiFootballClient, create_api_football_client
from found_footy.fixtures.lifecycle import retention_store
from found_footy.fixtures.settings import build_ingest_input, build_monitor_input
from found_footy.notify import store as notify_store
from found_footy.notify.activities import NotifyActivities
from found_footy.notify_factory import build_notify_activities
from found_footy.platform import mongo, temporal
from found_footy.platform.clock import utc_now
from found_footy.platform.disk import DiskFloorMonitor, DiskFloorRule, ReclaimableSpace
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.settings.addresses import host_and_port
from found_footy.platform.settings.groups import ObjectStoreSettings
from found_footy.platform.tasks import cancel_and_wait
from found_footy.settings import Settings, pipeline_pace
from found_footy.source_factory import blob_hosts, build_alias_sources, build_bluesky_source, build_search_sources
from found_footy.uploads import store as uploads_store
from found_footy.uploads.activities import UploadActivities
from found_footy.uploads.classifiers.factory import build_upload_classifier
from found_footy.uploads.intake import dead_letter_store
from found_footy.uploads.organizations import store as organizations_store
from found_footy.uploads_factory import build_upload_activities, build_uploads_store
from found_footy.views import browse_store
from found_footy.views import store as web_store
from found_footy.views import uploads_store as uploads_views
from found_footy.vision.classifier.builder import MODEL_FILE
from found_footy.vision.reader_factory import build_reader, resolve_model_dir
from found_footy.vision.settings import VisionSettings

logger = ActionLogger(__name__)

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
)


@dataclass(frozen=True)
class AppContext:
    """The connections of one process."""

    settings: Settings
    database: Database
    objects: ObjectStore
    temporal: Client


@dataclass(frozen=True)
class WorkerActivities:
    """The activities of every stage, with their dependencies."""

    fixtures: FixtureActivities
    discovery: DiscoveryActivities
    retries: RetryActivities
    clips: ClipActivities
    archive: ArchiveActivities
    sweep: SweepActivities
    uploads: UploadActivities
    notify: NotifyActivities

    def __iter__(self) -> Iterator[object]:
        stages = (self.fixtures, self.discovery, self.retries, self.clips, self.archive, self.sweep, self.uploads)
        return iter((*stages, self.notify))


def build_object_store(settings: ObjectStoreSettings) -> ObjectStore:
    return ObjectStore(
        settings.endpoint,
        settings.access_key.get_secret_value(),
        settings.secret_key.get_secret_value(),
        settings.bucket,
        settings.region,
    )


@asynccontextmanager
async def open_app(settings: Settings, runtime: Runtime | None = None) -> AsyncIterator[AppContext]:
    """Connect to MongoDB, Temporal and the object store; create the bucket and the indexes. `runtime` is the Temporal
    SDK's.
    """
    async with (
        mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database,
        temporal.connect(
            settings.temporal.address, settings.temporal.namespace, runtime, settings.temporal.access
        ) as client,
    ):
        objects = build_object_store(settings.objects)
        await objects.ensure_bucket()
        await mongo.ensure_indexes(database, INDEXES)
        yield AppContext(settings, database, objects, client)


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


@asynccontextmanager
async def build_activities(app: AppContext) -> AsyncIterator[WorkerActivities]:
    """Build the activities that a worker serves; their connections close with the block."""
    async with AsyncExitStack() as stack:
        feed, videos = _build_feed_client(app.settings), _build_video_client(app.settings)
        for client in (feed, videos):
            stack.push_async_callback(client.aclose)
        await stack.enter_async_context(run_cache_sweeper(_build_cache_cleaner(app)))
        main, *others = build_search_sources(app.settings, stack, app.database)
        fixtures, paced = app.settings.fixtures, pipeline_pace(app.settings)
        tools = FixtureDependencies(
            app.database,
            feed,
            app.temporal,
            app.objects,
            utc_now,
            fixtures.feed_parallel,
            build_monitor_input(fixtures, paced),
            build_ingest_input(fixtures, paced),
        )
        yield WorkerActivities(
            FixtureActivities(tools),
            DiscoveryActivities(
                DiscoveryStore(app.database),
                main,
                app.settings.discovery,
                build_alias_sources(app.settings, stack),
                utc_now,
                others,
                app.settings.clips.rules,
            ),
            RetryActivities(DiscoveryStore(app.database), app.temporal, utc_now),
            ClipActivities(
                ClipStore(app.database),
                _build_fetcher(app, videos, stack),
                _build_clip_reader(app, stack),
                app.temporal,
                FingerprintMaker(app.objects, app.settings.clips.prints_at_once),
            ),
            ArchiveActivities(
                ArchiveStore(app.database, app.settings.objects.bucket),
                app.objects,
                tolerance=app.settings.vision.tolerance,
            ),
            SweepActivities(MaintenanceServices(app.database, app.objects, utc_now).sweeper),
            _build_upload_activities(app, stack),
            build_notify_activities(app.settings, app.database, stack),
        )


def _build_upload_activities(app: AppContext, stack: AsyncExitStack) -> UploadActivities:
    settings, objects = app.settings, build_uploads_store(app.settings)
    vision = resolve_vision_settings(settings)
    classifier = build_upload_classifier(settings.uploads, resolve_model_dir(vision, settings.data_dir))
    stack.push_async_callback(objects.aclose)
    stack.push_async_callback(classifier.aclose)
    workspace = _build_cache(settings).workspace
    return build_upload_activities(settings, app.database, app.temporal, objects, classifier, workspace)


def _build_feed_client(settings: Settings) -> ApiFootballClient:
    feed = settings.fixtures
    key = feed.feed_key.get_secret_value()
    return create_api_football_client(
        key, feed.feed_via, feed.feed_url, feed.feed_timeout, feed.feed_max_size, feed.feed_minute
    )


@asynccontextmanager
async def open_manual_clips(app: AppContext) -> AsyncIterator[ManualClipService]:
    """For commands and routes that add a clip manually."""
    async with AsyncExitStack() as stack:
        switched_on = "bluesky" in app.settings.discovery.sources
        posts = build_bluesky_source(app.settings, stack) if switched_on else None
        x = _build_syndication(app.settings, stack)
        yield ManualClipService(DiscoveryStore(app.database), app.temporal, pipeline_pace(app.settings), posts, x)


def _build_video_client(settings: Settings) -> SafeHttpClient:
    return SafeHttpClient(
        system="video host",
        allowed_hosts=(*settings.clips.video_hosts, *blob_hosts(settings), *file_hosts(_host_rules(settings))),
        trusted_private=settings.trusted_hosts,
        timeout=settings.clips.download_deadline,
    )


def _build_fetcher(app: AppContext, http: SafeHttpClient, stack: AsyncExitStack) -> ClipFetcher:
    clips, lookups = app.settings.clips, _build_lookups(app.settings, stack)
    blocked = ModerationStore(app.database).find_blocked
    limits, cache = FetchLimits(clips.max_bytes, clips.download_deadline), _build_cache(app.settings)
    disk = DiskFloorMonitor(
        disk_paths(app.settings),
        disk_floor_rule(app.settings),
        ReclaimableSpace(_cache_dir(app.settings), cache.free_space),
    )
    watch_task = asyncio.create_task(disk.watch_levels())
    stack.push_async_callback(cancel_and_wait, [watch_task])
    hosts = _build_host_lookup(app.settings, stack)
    return ClipFetcher(http, app.objects, cache, clips.rules, limits, lookups, blocked, disk, hosts)


def _host_rules(settings: Settings) -> tuple[HostRule, ...]:
    """Clip hosts are contacted only if Reddit is searched, whose posts link to them."""
    if "reddit" not in settings.discovery.sources:
        return ()
    return (*HOST_RULES, *generic_rules(settings.clips.clip_hosts))


def _build_host_lookup(settings: Settings, stack: AsyncExitStack) -> ClipHostLookup | None:
    rules = _host_rules(settings)
    if not rules:
        return None
    http = SafeHttpClient(
        system="clip host",
        allowed_hosts=asked_hosts(rules),
        trusted_private=settings.trusted_hosts,
        timeout=settings.clips.syndication_timeout,
        max_bytes=MAX_PAGE_BYTES,
    )
    stack.push_async_callback(http.aclose)
    return ClipHostLookup(http, rules)


def _build_cache_cleaner(app: AppContext) -> CacheSweeper:
    blocked = ModerationStore(app.database).find_blocked
    return CacheSweeper(_build_cache(app.settings), blocked, app.settings.clips.cache_check)


def _build_cache(settings: Settings) -> ClipCache:
    return ClipCache(_cache_dir(settings), settings.clips.cache_bytes, settings.clips.cache_for)


def _cache_dir(settings: Settings) -> Path:
    return settings.clips.cache_dir or settings.data_dir / "clips"


def disk_paths(settings: Settings) -> list[Path]:
    """Paths that this machine writes to: the clip cache, and data and logs of the embedded servers."""
    cache = _cache_dir(settings)
    return [settings.data_dir, cache] if settings.data_dir.exists() else [cache]


def disk_floor_rule(settings: Settings) -> DiskFloorRule:
    return DiskFloorRule(settings.disk.floor_share, settings.disk.floor)


def _build_clip_reader(app: AppContext, stack: AsyncExitStack) -> ClipChecker:
    vision = app.settings.vision
    if vision.reader == "accept-all":
        logger.warning("clips are published unchecked: FOOTY_VISION__READER is accept-all", action="vision_off")
        return AcceptAllChecker()
    lease = VisionLease(app.database, vision.llm_at_once)
    reader = build_reader(resolve_vision_settings(app.settings), app.settings.data_dir, lease.acquire)
    stack.push_async_callback(reader.aclose)
    return VisionClipChecker(
        reader, EvidenceStore(app.objects), _build_cache(app.settings).workspace, vision.proof_rules
    )


def resolve_vision_settings(settings: Settings) -> VisionSettings:
    """Add the folder of the vision model: the configured one, else the data directory's, else the user's default one if
    the model is there, so that a temporary data directory needs no model of its own.
    """
    own, users = (resolve_model_dir(settings.vision, place) for place in (settings.data_dir, default_data_dir()))
    found = own if (own / MODEL_FILE).is_file() or not (users / MODEL_FILE).is_file() else users
    return settings.vision.model_copy(update={"model_dir": found})


def _build_syndication(settings: Settings, stack: AsyncExitStack) -> SyndicationClient:
    clips = settings.clips
    http = SafeHttpClient(
        system="X embeds",
        allowed_hosts=[host_and_port(clips.syndication_url)],
        trusted_private=settings.trusted_hosts,
        timeout=clips.syndication_timeout,
        max_bytes=MAX_ANSWER_BYTES,
    )
    stack.push_async_callback(http.aclose)
    return SyndicationClient(http, clips.syndication_url)


def _build_lookups(settings: Settings, stack: AsyncExitStack) -> list[VariantLookup]:
    """Build the lookups of a post's video variants, in the order in which they are tried."""
    clips = settings.clips
    if not clips.ytdlp:
        return [_build_syndication(settings, stack)]
    if not is_installed():
        logger.warning("yt-dlp is switched on but not installed", action="ytdlp_missing")
    return [_build_syndication(settings, stack), YtDlpLookup(clips.max_bytes, clips.longest)]
