"""The worker: which workflows and activities it serves on which task queue, and the schedules it maintains."""

import asyncio
import inspect
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from enum import StrEnum
from typing import Any

from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.app import AppContext, build_activities
from found_footy.archive.maintenance.sweep_workflow import SweepWorkflow
from found_footy.archive.upload_workflow import UploadWorkflow
from found_footy.clips.download_workflow import DownloadWorkflow
from found_footy.discovery.rag_workflow import RAGWorkflow
from found_footy.discovery.retry_workflow import RetryWorkflow
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.messages import aliases_queue_name, images_queue_name
from found_footy.fixtures.ingest_workflow import IngestWorkflow
from found_footy.fixtures.monitor_workflow import MonitorWorkflow
from found_footy.notify.notify_workflow import NotifyWorkflow
from found_footy.platform.heartbeat import MAX_HEARTBEAT_THROTTLE
from found_footy.platform.logs import ActionLogger
from found_footy.platform.temporal import TypedErrorInterceptor
from found_footy.schedules import ScheduleReconciler, reconcile_schedules
from found_footy.settings import Settings
from found_footy.uploads.organization_workflow import OrganizationWorkflow
from found_footy.uploads.reconcile_workflow import ReconcileUploadsWorkflow
from found_footy.uploads_factory import run_intake

WORKFLOWS = (
    IngestWorkflow,
    MonitorWorkflow,
    RAGWorkflow,
    TwitterWorkflow,
    RetryWorkflow,
    DownloadWorkflow,
    UploadWorkflow,
    SweepWorkflow,
    OrganizationWorkflow,
    ReconcileUploadsWorkflow,
    NotifyWorkflow,
)

logger = ActionLogger(__name__)


class WorkerRole(StrEnum):
    """Which task queues a worker process serves. One process serves all by default."""

    ALL = "all"
    MAIN = "main"
    MEDIA = "media"
    VISION = "vision"


def find_activities(*owners: object) -> list[Callable[..., Any]]:
    """Find every activity method of the given objects by its decorator."""
    return [
        method
        for owner in owners
        for _, method in inspect.getmembers(owner, inspect.ismethod)
        if hasattr(method, "__temporal_activity_definition")
    ]


def queue_limits(role: WorkerRole, settings: Settings) -> dict[str, int]:
    """Map each task queue of a role to its number of concurrent activities."""
    limits = settings.worker
    every = {
        WorkerRole.MAIN: {
            settings.queues.main: limits.activities,
            aliases_queue_name(settings.queues.main): limits.aliases,
        },
        WorkerRole.MEDIA: {
            settings.queues.media: limits.media,
            images_queue_name(settings.queues.media): limits.images,
        },
        WorkerRole.VISION: {settings.queues.vision: limits.vision},
    }
    served = every.values() if role is WorkerRole.ALL else [every[role]]
    return {queue: limit for queues in served for queue, limit in queues.items()}


async def run_worker(app: AppContext, role: WorkerRole) -> None:
    """Serve until cancelled; then drain for at most the configured grace period."""
    async with build_activities(app) as served, AsyncExitStack() as stack:
        ending: asyncio.Task[None] | None = None
        serves_main = role in (WorkerRole.ALL, WorkerRole.MAIN)
        if serves_main:
            ending = await stack.enter_async_context(reconcile_schedules(ScheduleReconciler(app)))
        for queue, limit in queue_limits(role, app.settings).items():
            await stack.enter_async_context(_build_worker(app, queue, limit, find_activities(*served)))
        if serves_main and app.settings.uploads.enabled:
            # Entered last, so that it is the first to end: a worker that drains takes no new events.
            await stack.enter_async_context(run_intake(app.settings, app.database, app.temporal))
        logger.info("serving as %s", role.value, action="worker_ready", role=role.value)
        await (ending or asyncio.Event().wait())


def _build_worker(app: AppContext, queue: str, limit: int, served: Iterable[Callable[..., Any]]) -> Worker:
    settings = app.settings
    orchestrates = queue == settings.queues.main
    return Worker(
        app.temporal,
        task_queue=queue,
        workflows=WORKFLOWS if orchestrates else (),
        # The workflow sandbox detects non-deterministic calls and doubles the cost of a workflow; only tests run in it.
        workflow_runner=UnsandboxedWorkflowRunner(),
        activities=list(served),
        interceptors=[TypedErrorInterceptor()],
        max_concurrent_activities=limit,
        max_concurrent_workflow_tasks=settings.worker.workflow_tasks if orchestrates else None,
        graceful_shutdown_timeout=settings.worker.grace,
        max_heartbeat_throttle_interval=MAX_HEARTBEAT_THROTTLE,
    )
