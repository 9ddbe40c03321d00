"""A worker with the real activities of stages two to four, on real servers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.store import ArchiveStore
from found_footy.archive.upload_workflow import UploadWorkflow
from found_footy.clips.activities import ClipActivities
from found_footy.clips.check.checker import AcceptAllChecker, ClipChecker
from found_footy.clips.download_workflow import DownloadWorkflow
from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.fetcher import ClipFetcher, FetchLimits
from found_footy.clips.fingerprints.maker import FingerprintMaker
from found_footy.clips.settings import ClipSettings
from found_footy.clips.store import ClipStore
from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.rag_workflow import RAGWorkflow
from found_footy.discovery.retry_activities import RetryActivities
from found_footy.discovery.retry_workflow import RetryWorkflow
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.x_service import XSearchPool
from found_footy.discovery.store import DiscoveryStore
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.messages import TaskQueues, aliases_queue_name
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.client import TypedErrorInterceptor
from tests.support.patience import PATIENCE, PATIENCE_SECONDS
from tests.support.pipeline.outside import OutsideServices
from tests.support.steps import activities_of


def utc_now() -> datetime:
    return datetime.now(UTC)


WORKFLOWS = (RAGWorkflow, TwitterWorkflow, RetryWorkflow, DownloadWorkflow, UploadWorkflow)


@dataclass(frozen=True)
class PipelineServices:
    """The three stages with the servers they use."""

    database: Database
    objects: ObjectStore
    temporal: Client
    queues: TaskQueues
    discovery: DiscoveryActivities
    retries: RetryActivities
    clips: ClipActivities
    archive: ArchiveActivities

    @property
    def _stages(self) -> tuple[object, ...]:
        return (self.discovery, self.retries, self.clips, self.archive)

    def activities(self) -> list[Callable[..., Any]]:
        return [method for stage in self._stages for method in activities_of(stage)]


@asynccontextmanager
async def open_pipeline(
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    queues: TaskQueues,
    outside: OutsideServices,
    folder: Path,
    reader: ClipChecker | None = None,
) -> AsyncIterator[PipelineServices]:
    """The stages, talking to the test's outside world and to nothing else."""
    hosts = [outside.host]
    clips = ClipSettings()
    search = SafeHttpClient(system="X search", allowed_hosts=hosts, trusted_private=hosts)
    videos = SafeHttpClient(system="video host", allowed_hosts=hosts, trusted_private=hosts)
    limits = FetchLimits(max_bytes=5_000_000, deadline=PATIENCE)
    fetcher = ClipFetcher(videos, objects, ClipCache(folder, 50_000_000), clips.rules, limits)
    pool = XSearchPool(search, [outside.base], cooldown=timedelta(seconds=1))
    try:
        yield PipelineServices(
            database,
            objects,
            temporal,
            queues,
            DiscoveryActivities(DiscoveryStore(database), pool, DiscoverySettings()),
            RetryActivities(DiscoveryStore(database), temporal, utc_now),
            ClipActivities(
                ClipStore(database), fetcher, reader or AcceptAllChecker(), temporal, FingerprintMaker(objects)
            ),
            ArchiveActivities(ArchiveStore(database, objects.bucket), objects),
        )
    finally:
        await search.aclose()
        await videos.aclose()


@asynccontextmanager
async def running_worker(
    pipeline: PipelineServices,
    activities: Sequence[Callable[..., Any]] | None = None,
    workflows: Sequence[type] = WORKFLOWS,
) -> AsyncIterator[None]:
    """A worker on every queue, with the activities of `pipeline` unless others are given."""
    async with AsyncExitStack() as stack:
        for queue in (
            pipeline.queues.main,
            aliases_queue_name(pipeline.queues.main),
            pipeline.queues.media,
            pipeline.queues.vision,
        ):
            worker = Worker(
                pipeline.temporal,
                task_queue=queue,
                workflows=workflows if queue == pipeline.queues.main else (),
                activities=pipeline.activities() if activities is None else activities,
                interceptors=[TypedErrorInterceptor()],
                graceful_shutdown_timeout=timedelta(seconds=5),
            )
            await stack.enter_async_context(worker)
        yield


async def is_known(pipeline: PipelineServices, workflow_id: str) -> bool:
    """Whether Temporal has a run of this workflow."""
    try:
        await pipeline.temporal.get_workflow_handle(workflow_id).describe()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return False
        raise
    return True


async def until(condition: Callable[[], Awaitable[object]], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until it is so; an error if it never is."""
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110  what is waited for lies in another process
            await asyncio.sleep(0.05)
