"""Open links: which goals are due, which of their downloads still run, and what is tried again."""

from collections.abc import Callable, Collection
from datetime import datetime

from temporalio import activity
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError, RPCStatusCode

from found_footy.discovery.extras import retry_download_id
from found_footy.discovery.links import Selection
from found_footy.discovery.manual import goal_of
from found_footy.discovery.messages import NextLooks, RetryDownload, RetryOrder, SaveDiscovered, TakenUp
from found_footy.discovery.metrics import LINKS
from found_footy.discovery.retries import STARTS_WITHIN, RetryPlan, plan_retry, silent_downloads
from found_footy.discovery.store import DiscoveryStore
from found_footy.model.handoff import DownloadClips, Goal, Pace
from found_footy.model.ids import upload_workflow_id
from found_footy.platform.errors import FoundFootyError, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Document

NAME = "retry"
# Goals in one look; what is beyond is due at the next one.
_MOST_GOALS = 10

log = ActionLogger(__name__)


class RetryActivities:
    def __init__(self, store: DiscoveryStore, temporal: Client, now: Callable[[], datetime]) -> None:
        self._store = store
        self._temporal = temporal
        self._now = now

    @activity.defn(name="take_up_open_links")
    async def take_up_open_links(self, order: RetryOrder) -> TakenUp:
        """Each goal by itself: one that cannot be looked through does not keep the others from it."""
        downloads: list[RetryDownload] = []
        settled = failed = 0
        for event_id in await self._store.due_for_retry(self._now(), _MOST_GOALS):
            try:
                download = await self._taken_up(event_id, order.pace)
            except (FoundFootyError, LookupError, TypeError, ValueError, AttributeError) as error:
                failed += 1
                kind = type(error).__name__
                log.warning(
                    "open links of %s: %s", event_id, error, action="retry_failed", event_id=event_id, error=kind
                )
                await self._set_aside(event_id, self._now() + order.pace.retry_first)
                continue
            downloads += [download] if download else []
            settled += download is None
        return TakenUp(tuple(downloads), settled, failed)

    @activity.defn(name="postpone_open_links")
    async def postpone_open_links(self, looks: NextLooks) -> bool:
        """When the goals whose downloads have started are looked through again."""
        for look in looks.goals:
            await self._store.postpone_retry(look.event_id, look.at)
        return True

    async def _set_aside(self, event_id: str, until: datetime) -> None:
        """A goal that cannot be postponed stays due. Downloads that were recorded before are started all the same."""
        try:
            await self._store.postpone_retry(event_id, until)
        except FoundFootyError as error:
            log.warning("%s stays due: %s", event_id, error, action="retry_not_postponed", event_id=event_id)

    async def _taken_up(self, event_id: str, pace: Pace) -> RetryDownload | None:
        """The download that was recorded; None if nothing is to be tried now."""
        fixture, now = await self._store.fixture_of(event_id), self._now()
        if fixture is None:
            return None
        goal, event = goal_of(fixture), fixture["events"][0]
        new, silent = silent_downloads(event, now)
        plan = plan_retry(event, new | await self._running(goal, event, silent), now, pace)
        if plan.settled:
            await self._store.settle_links(goal, plan.settled)
        if plan.next_at is None:
            await self._store.end_retries(goal)
            return None
        if not plan.videos:
            await self._store.postpone_retry(event_id, plan.next_at)
            return None
        return await self._recorded(goal, event, plan, plan.next_at, now, pace)

    async def _recorded(
        self, goal: Goal, event: Document, plan: RetryPlan, next_at: datetime, now: datetime, pace: Pace
    ) -> RetryDownload | None:
        download_id = retry_download_id(goal.slug, goal.event_id, plan.number)
        query, aliases = str(event.get("_twitter_search") or ""), tuple(event.get("_twitter_aliases") or ())
        # Due again at once if it does not start, so that a worker that dies now does not cost a pause of hours.
        soon = min(now + STARTS_WITHIN, next_at)
        record = SaveDiscovered(goal, 0, download_id, query, aliases, now, soon, plan.videos, {NAME: "taken up again"})
        if not await self._store.save_discovered(record, Selection(again=plan.videos)):
            return None
        LINKS.labels(NAME).inc(len(plan.videos))
        log.info(
            "%d clips are tried again", len(plan.videos), action="links_retried", event_id=goal.event_id,
            links=[video.url for video in plan.videos], round=plan.number,
        )  # fmt: skip
        # Clips of goals that are being searched for come before these.
        return RetryDownload(download_id, DownloadClips(goal, pace, pace.attempts_limit, plan.videos), next_at)

    async def _running(self, goal: Goal, event: Document, downloads: Collection[str]) -> set[str]:
        """Those that run, or whose batch waits in the goal's running archive."""
        running = {name for name in downloads if await self._runs(name)}
        handed_on = set(downloads) - running - set(event.get("_delivered_workflows") or ())
        if handed_on and await self._runs(upload_workflow_id(goal.event_id)):
            return set(downloads)
        return running

    async def _runs(self, workflow_id: str) -> bool:
        try:
            described = await self._temporal.get_workflow_handle(workflow_id).describe()
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return False
            raise Unavailable("Temporal", f"{workflow_id}: {error}") from error
        return described.status is WorkflowExecutionStatus.RUNNING
