"""The schedules of the product, and their reconciliation while workers run.

Every worker of the main queue reconciles: it creates a missing schedule (deleted, or lost with Temporal's database),
restores a changed one, and triggers an overdue ingest. Several workers may do so at once.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from temporalio.client import (
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
)

from found_footy.app import AppContext
from found_footy.archive.maintenance.messages import SWEEP_SCHEDULE, SWEEP_SCHEDULED
from found_footy.archive.maintenance.sweep_workflow import SweepWorkflow
from found_footy.archive.settings import build_sweep_request
from found_footy.discovery.messages import RetryRequest
from found_footy.discovery.retry_workflow import RetryWorkflow
from found_footy.domain import ids
from found_footy.fixtures.ingest_workflow import IngestWorkflow
from found_footy.fixtures.lifecycle.run_heartbeats import RunHeartbeatStore
from found_footy.fixtures.monitor_workflow import MonitorWorkflow
from found_footy.fixtures.settings import build_ingest_input, build_monitor_input
from found_footy.notify.messages import NOTIFY_SCHEDULE, NOTIFY_SCHEDULED
from found_footy.notify.notify_workflow import NotifyWorkflow
from found_footy.notify.settings import build_notify_request
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.logs import ActionLogger
from found_footy.platform.tasks import cancel_and_wait
from found_footy.platform.temporal.schedules import (
    ensure_namespace,
    ensure_schedule,
    fetch_schedule_digest,
    fetch_schedule_state,
    trigger_schedule,
)
from found_footy.settings import Settings, pipeline_pace
from found_footy.uploads.messages import RECONCILE_UPLOADS_SCHEDULE, RECONCILE_UPLOADS_SCHEDULED, ReconcileUploads
from found_footy.uploads.reconcile_workflow import ReconcileUploadsWorkflow

_INGEST_CRON = "5 0 * * *"
# After an outage the next poll suffices; missed polls have no value.
_CATCH_UP_WINDOW = timedelta(seconds=30)
# A missed daily run is still needed hours later: without it a day of fixtures would be missing.
_DAILY_CATCH_UP_WINDOW = timedelta(hours=12)

logger = ActionLogger(__name__)


def build_schedules(settings: Settings) -> dict[str, Schedule]:
    """Build the schedules. The execution timeout ends a run that is stuck, such as one whose workflow task fails on
    every worker: until then every later run is skipped.
    """
    return {
        ids.INGEST_SCHEDULE_ID: Schedule(
            action=ScheduleActionStartWorkflow(
                IngestWorkflow.run,
                build_ingest_input(settings.fixtures, pipeline_pace(settings)),
                id=ids.INGEST_SCHEDULED_WORKFLOW_ID,
                task_queue=settings.queues.main,
                execution_timeout=settings.fixtures.ingest_timeout,
            ),
            spec=ScheduleSpec(cron_expressions=[_INGEST_CRON]),
            policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_DAILY_CATCH_UP_WINDOW),
        ),
        ids.MONITOR_SCHEDULE_ID: Schedule(
            action=ScheduleActionStartWorkflow(
                MonitorWorkflow.run,
                build_monitor_input(settings.fixtures, pipeline_pace(settings)),
                id=ids.MONITOR_SCHEDULED_WORKFLOW_ID,
                task_queue=settings.queues.main,
                execution_timeout=settings.fixtures.monitor_timeout,
            ),
            spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=settings.fixtures.monitor_interval)]),
            policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP_WINDOW),
        ),
        ids.RETRY_SCHEDULE_ID: Schedule(
            action=ScheduleActionStartWorkflow(
                RetryWorkflow.run,
                RetryRequest(pipeline_pace(settings)),
                id=ids.RETRY_SCHEDULED_WORKFLOW_ID,
                task_queue=settings.queues.main,
                execution_timeout=settings.pace.retry_timeout,
            ),
            spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=settings.pace.retry_check)]),
            policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP_WINDOW),
        ),
        SWEEP_SCHEDULE: Schedule(
            action=ScheduleActionStartWorkflow(
                SweepWorkflow.run,
                build_sweep_request(settings.keeping),
                id=SWEEP_SCHEDULED,
                task_queue=settings.queues.main,
                execution_timeout=settings.keeping.sweep_timeout,
            ),
            spec=ScheduleSpec(cron_expressions=[settings.keeping.sweep_cron]),
            policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_DAILY_CATCH_UP_WINDOW),
        ),
        **({RECONCILE_UPLOADS_SCHEDULE: _build_uploads_schedule(settings)} if settings.uploads.enabled else {}),
        **({NOTIFY_SCHEDULE: _build_notify_schedule(settings)} if settings.notify.is_enabled else {}),
    }


def _build_uploads_schedule(settings: Settings) -> Schedule:
    return Schedule(
        action=ScheduleActionStartWorkflow(
            ReconcileUploadsWorkflow.run,
            ReconcileUploads(settings.uploads.open_for, settings.uploads.preview_grace),
            id=RECONCILE_UPLOADS_SCHEDULED,
            task_queue=settings.queues.main,
            execution_timeout=settings.uploads.reconcile_timeout,
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=settings.uploads.reconcile_interval)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP_WINDOW),
    )


def _build_notify_schedule(settings: Settings) -> Schedule:
    return Schedule(
        action=ScheduleActionStartWorkflow(
            NotifyWorkflow.run,
            build_notify_request(settings.notify),
            id=NOTIFY_SCHEDULED,
            task_queue=settings.queues.main,
            execution_timeout=settings.notify.run_timeout,
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=settings.notify.interval)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP_WINDOW),
    )


class ScheduleReconciler:
    def __init__(self, app: AppContext, clock: Clock = utc_now) -> None:
        self._app = app
        self._clock = clock
        self._schedules = build_schedules(app.settings)
        self._heartbeats = RunHeartbeatStore(app.database)
        self._digests: dict[str, bytes | None] = {}

    async def ensure_schedules(self) -> None:
        """Create or update every schedule by the settings; raises if Temporal does not answer."""
        if await ensure_namespace(self._app.temporal):
            logger.warning("the namespace did not exist; registered it", action="namespace_registered")
        for name in self._schedules:
            await self._ensure_schedule(name)
        await self._trigger_overdue_ingest()
        if RECONCILE_UPLOADS_SCHEDULE in self._schedules:
            # Notifications may have been lost while nothing ran.
            await trigger_schedule(self._app.temporal, RECONCILE_UPLOADS_SCHEDULE)

    async def reconcile(self) -> None:
        """Restore the namespace and every missing or changed schedule once."""
        if await ensure_namespace(self._app.temporal):
            logger.warning("the namespace no longer existed; registered it", action="namespace_registered")
        for name in self._schedules:
            found = await fetch_schedule_digest(self._app.temporal, name)
            if found is None or found != self._digests.get(name):
                change = "gone" if found is None else "changed"
                text = "schedule %s was %s; it is restored to the settings"
                logger.warning(text, name, change, action="schedule_restored", schedule=name, was=change)
                await self._ensure_schedule(name)
        await self._trigger_overdue_ingest()

    async def run_forever(self) -> None:
        """Reconcile periodically. A failure is logged; the next round repeats the work."""
        while True:
            await asyncio.sleep(self._app.settings.worker.reconcile_interval.total_seconds())
            try:
                await self.reconcile()
            except FoundFootyError as error:
                logger.warning("schedules not reconciled: %s", error, action="reconcile_failed")

    async def _ensure_schedule(self, name: str) -> None:
        await ensure_schedule(self._app.temporal, name, self._schedules[name])
        self._digests[name] = await fetch_schedule_digest(self._app.temporal, name)

    async def _trigger_overdue_ingest(self) -> None:
        """Trigger the ingest if it is overdue: the schedule alone would miss the first day, and a day on which nothing
        ran at its hour.
        """
        feed = self._app.settings.fixtures
        if feed.feed_url is None and not feed.feed_key.get_secret_value():
            return
        if (await fetch_schedule_state(self._app.temporal, ids.INGEST_SCHEDULE_ID)).paused:
            return
        if not await self._heartbeats.claim_ingest(self._clock()):
            return
        logger.info("the last ingest is more than a day old; starting one", action="ingest_overdue")
        try:
            await trigger_schedule(self._app.temporal, ids.INGEST_SCHEDULE_ID)
        except FoundFootyError:
            await self._heartbeats.release_ingest_claim()
            raise


@asynccontextmanager
async def reconcile_schedules(reconciler: ScheduleReconciler) -> AsyncIterator[asyncio.Task[None]]:
    """Ensure the schedules before the block and reconcile while it runs; the task ends only by a bug."""
    await reconciler.ensure_schedules()
    task = asyncio.create_task(reconciler.run_forever(), name="reconciler")
    try:
        yield task
    finally:
        await cancel_and_wait([task])
