"""Starts downloads, and plans retries of open candidates: finds the goals that are due and their running downloads."""

from collections.abc import Collection
from datetime import datetime

from temporalio import activity
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from found_footy.discovery.candidates.download_ids import retry_download_id
from found_footy.discovery.candidates.retries import DOWNLOAD_START_GRACE, RetryPlan, find_silent_downloads, plan_retry
from found_footy.discovery.candidates.selection import CandidateSelection
from found_footy.discovery.messages import (
    PlannedRetries,
    PostponeRetries,
    RetryDownload,
    RetryRequest,
    SaveCandidates,
    StartDownload,
)
from found_footy.discovery.metrics import CANDIDATES
from found_footy.discovery.sources.manual import goal_from_fixture
from found_footy.discovery.steps import DownloadStartSteps, RetrySteps
from found_footy.discovery.store import DiscoveryStore
from found_footy.domain.ids import upload_workflow_id
from found_footy.domain.messages import DOWNLOAD_WORKFLOW, DownloadClips, Goal, PipelinePace
from found_footy.platform.clock import Clock
from found_footy.platform.errors import FoundFootyError, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Document

SOURCE_NAME = "retry"
# Goals per run; the others stay due for the next one.
_MAX_GOALS_PER_RUN = 10

logger = ActionLogger(__name__)


class RetryActivities(RetrySteps, DownloadStartSteps):
    def __init__(self, store: DiscoveryStore, temporal: Client, now: Clock) -> None:
        self._store = store
        self._temporal = temporal
        self._now = now

    @activity.defn
    async def start_download_workflow(self, start: StartDownload) -> bool:
        """False if it was started before. Not a child of the workflow that asks for it, which would record three more
        events of it and be woken by two of them.
        """
        pace = start.work.pace
        try:
            await self._temporal.start_workflow(
                DOWNLOAD_WORKFLOW,
                start.work,
                id=start.download_id,
                task_queue=pace.queues.main,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
                execution_timeout=pace.longest_run,
            )
        except WorkflowAlreadyStartedError:
            logger.info("%s was started before", start.download_id, action="download_known")
            return False
        except RPCError as error:
            raise Unavailable("Temporal", f"{start.download_id} was not started: {error}") from error
        return True

    @activity.defn
    async def take_up_open_links(self, order: RetryRequest) -> PlannedRetries:
        """Plan each goal separately: a failing goal does not affect the others."""
        downloads: list[RetryDownload] = []
        settled = failed = 0
        for event_id in await self._store.find_goals_due_for_retry(self._now(), _MAX_GOALS_PER_RUN):
            try:
                download = await self._plan_goal_retry(event_id, order.pace)
            except (FoundFootyError, LookupError, TypeError, ValueError, AttributeError) as error:
                failed += 1
                kind = type(error).__name__
                logger.warning(
                    "open links of %s: %s", event_id, error, action="retry_failed", event_id=event_id, error=kind
                )
                await self._postpone_failed_goal(event_id, self._now() + order.pace.retry_first)
                continue
            downloads += [download] if download else []
            settled += download is None
        return PlannedRetries(tuple(downloads), settled, failed)

    @activity.defn
    async def postpone_open_links(self, looks: PostponeRetries) -> bool:
        """Set the next retry time of the goals whose downloads have started."""
        for look in looks.goals:
            await self._store.postpone_retry(look.event_id, look.retry_at)
        return True

    async def _postpone_failed_goal(self, event_id: str, until: datetime) -> None:
        """A goal that cannot be postponed stays due. Downloads that were recorded before are started all the same."""
        try:
            await self._store.postpone_retry(event_id, until)
        except FoundFootyError as error:
            logger.warning("%s stays due: %s", event_id, error, action="retry_not_postponed", event_id=event_id)

    async def _plan_goal_retry(self, event_id: str, pace: PipelinePace) -> RetryDownload | None:
        """The recorded download; None if nothing is to be retried now."""
        fixture, now = await self._store.find_fixture(event_id), self._now()
        if fixture is None:
            return None
        goal, event = goal_from_fixture(fixture), fixture["events"][0]
        new, silent = find_silent_downloads(event, now)
        plan = plan_retry(event, new | await self._find_running_downloads(goal, event, silent), now, pace)
        if plan.settled:
            await self._store.settle_candidates(goal, plan.settled)
        if plan.next_at is None:
            await self._store.end_retries(goal)
            return None
        if not plan.videos:
            await self._store.postpone_retry(event_id, plan.next_at)
            return None
        return await self._record_download(goal, event, plan, plan.next_at, now, pace)

    async def _record_download(
        self, goal: Goal, event: Document, plan: RetryPlan, next_at: datetime, now: datetime, pace: PipelinePace
    ) -> RetryDownload | None:
        download_id = retry_download_id(goal.slug, goal.event_id, plan.number)
        query, aliases = str(event.get("_twitter_search") or ""), tuple(event.get("_twitter_aliases") or ())
        # Due again soon if it does not start, so that a worker that dies now does not cost a pause of hours.
        soon = min(now + DOWNLOAD_START_GRACE, next_at)
        record = SaveCandidates(
            goal, 0, download_id, query, aliases, now, soon, plan.videos, {SOURCE_NAME: "taken up again"}
        )
        if not await self._store.save_candidates(record, CandidateSelection(retried=plan.videos)):
            return None
        CANDIDATES.labels(SOURCE_NAME).inc(len(plan.videos))
        logger.info(
            "%d clips are tried again",
            len(plan.videos),
            action="links_retried",
            event_id=goal.event_id,
            links=[video.url for video in plan.videos],
            round=plan.number,
        )
        # The lowest priority: clips of goals that are being searched for come first.
        return RetryDownload(download_id, DownloadClips(goal, pace, pace.attempts_limit, plan.videos), next_at)

    async def _find_running_downloads(self, goal: Goal, event: Document, downloads: Collection[str]) -> set[str]:
        """The downloads that run, or whose batch is pending in the goal's running UploadWorkflow."""
        running = {name for name in downloads if await self._is_running(name)}
        handed_on = set(downloads) - running - set(event.get("_delivered_workflows") or ())
        if handed_on and await self._is_running(upload_workflow_id(goal.event_id)):
            return set(downloads)
        return running

    async def _is_running(self, workflow_id: str) -> bool:
        try:
            described = await self._temporal.get_workflow_handle(workflow_id).describe()
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return False
            raise Unavailable("Temporal", f"{workflow_id}: {error}") from error
        return described.status is WorkflowExecutionStatus.RUNNING
