"""Builds the activities that a worker serves, from settings. Only the worker imports it: everything else starts without
the libraries that decode, read and compare clips.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from found_footy.app import AppContext, clip_cache_dir, disk_floor_rule, disk_paths
from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.maintenance.activities import SweepActivities
from found_footy.archive.maintenance.services import MaintenanceServices
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
from found_footy.clips.fetch.ytdlp.lookup import YtDlpLookup, is_installed
from found_footy.clips.fingerprints.maker import FingerprintMaker
from found_footy.clips.store import ClipStore
from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.retry_activities import RetryActivities
from found_footy.discovery.store import DiscoveryStore
from found_footy.fixtures.activities import FixtureActivities, FixtureDependencies
from found_footy.fixtures.feed.client import ApiFootballClient, create_api_football_client
from found_footy.fixtures.settings import build_ingest_input, build_monitor_input
from found_footy.manual_clips_factory import build_syndication_client
from found_footy.notify.activities import NotifyActivities
from found_footy.notify_factory import build_notify_activities
from found_footy.platform.clock import utc_now
from found_footy.platform.disk import DiskFloorMonitor, ReclaimableSpace
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.logs import ActionLogger
from found_footy.platform.tasks import cancel_and_wait
from found_footy.settings import Settings, pipeline_pace
from found_footy.source_factory import blob_hosts, build_alias_sources, build_search_sources
from found_footy.uploads.activities import UploadActivities
from found_footy.uploads.classifiers.factory import build_upload_classifier
from found_footy.uploads_factory import build_upload_activities, build_uploads_store
from found_footy.vision.reader_factory import build_reader, resolve_model_dir
from found_footy.vision_factory import resolve_vision_settings

logger = ActionLogger(__name__)


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
                rules=app.settings.vision.proof_rules,
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
        ReclaimableSpace(clip_cache_dir(app.settings), cache.free_space),
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
    return ClipCache(clip_cache_dir(settings), settings.clips.cache_bytes, settings.clips.cache_for)


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


def _build_lookups(settings: Settings, stack: AsyncExitStack) -> list[VariantLookup]:
    """Build the lookups of a post's video variants, in the order in which they are tried."""
    clips = settings.clips
    if not clips.ytdlp:
        return [build_syndication_client(settings, stack)]
    if not is_installed():
        logger.warning("yt-dlp is switched on but not installed", action="ytdlp_missing")
    return [build_syndication_client(settings, stack), YtDlpLookup(clips.max_bytes, clips.longest)]
