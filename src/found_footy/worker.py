"""The worker: which workflows and activities it serves on which task queue, and the schedules it maintains."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from found_footy.activities_factory import build_activities
from found_footy.app import AppContext
from found_footy.archive.maintenance.sweep_workflow import SweepWorkflow
from found_footy.archive.upload_workflow import UploadWorkflow
from found_footy.clips.download_workflow import DownloadWorkflow
from found_footy.discovery.rag_workflow import RAGWorkflow
from found_footy.discovery.retry_workflow import RetryWorkflow
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.fixtures.ingest_workflow import IngestWorkflow
from found_footy.fixtures.monitor_workflow import MonitorWorkflow
from found_footy.notify.notify_workflow import NotifyWorkflow
from found_footy.platform.heartbeat import MAX_HEARTBEAT_THROTTLE
from found_footy.platform.logs import ActionLogger
from found_footy.platform.temporal.client import TypedErrorInterceptor
from found_footy.platform.temporal.versions import build_deployment
from found_footy.schedules import ScheduleReconciler, reconcile_schedules
from found_footy.uploads.organization_workflow import OrganizationWorkflow
from found_footy.uploads.reconcile_workflow import ReconcileUploadsWorkflow
from found_footy.uploads_factory import run_intake
from found_footy.worker_roles import WorkerRole, queue_limits

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


def find_activities(*owners: object) -> list[Callable[..., Any]]:
    """Find every activity method of the given objects by its decorator."""
    return [
        method
        for owner in owners
        for _, method in inspect.getmembers(owner, inspect.ismethod)
        if hasattr(method, "__temporal_activity_definition")
    ]


async def run_worker(app: AppContext, role: WorkerRole) -> None:
    """Serve until cancelled; then drain for at most the configured grace period."""
    async with build_activities(app) as served, AsyncExitStack() as stack:
        ending: asyncio.Task[None] | None = None
        serves_main = role in (WorkerRole.ALL, WorkerRole.MAIN)
        if serves_main:
            ending = await stack.enter_async_context(reconcile_schedules(ScheduleReconciler(app)))
        activities = find_activities(*served)
        workers = [
            _build_worker(app, queue, limit, activities) for queue, limit in queue_limits(role, app.settings).items()
        ]
        await stack.enter_async_context(serve_together(workers))
        if serves_main and app.settings.uploads.enabled:
            # Entered last, so that it is the first to end: a worker that drains takes no new events.
            await stack.enter_async_context(run_intake(app.settings, app.database, app.temporal))
        logger.info("serving as %s", role.value, action="worker_ready", role=role.value)
        await (ending or asyncio.Event().wait())


@asynccontextmanager
async def serve_together(workers: Sequence[Worker]) -> AsyncIterator[None]:
    """Serve with all workers during the block, then drain all of them at the same time.

    One after the other, each would have its own grace period, and the last would take new tasks until its turn.
    """
    async with AsyncExitStack() as stack:
        for worker in workers:
            await stack.enter_async_context(worker)
        try:
            yield
        finally:
            await asyncio.gather(*(worker.shutdown() for worker in workers))


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
        deployment_config=build_deployment(settings.worker.deployment, settings.worker.build),
        max_heartbeat_throttle_interval=MAX_HEARTBEAT_THROTTLE,
    )
