"""Starts the classification of a version, once, and limits how many run at the same time."""

from datetime import UTC, datetime, timedelta

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError

from found_footy.domain.messages import TaskQueues
from found_footy.domain.uploads import classification_workflow_id
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import Unavailable
from found_footy.uploads.messages import CLASSIFY_SIGNAL, ORGANIZATION_WORKFLOW, ClassifyUpload, UploadVersion
from found_footy.uploads.settings import UploadSettings
from found_footy.uploads.store import UploadStore
from found_footy.uploads.versions import is_waiting

SYSTEM = "Temporal"
_CALL_TIMEOUT = timedelta(seconds=10)
# Temporal's count is a second or so old in any case.
_COUNT_MAX_AGE = timedelta(seconds=1)
_NEVER = datetime.min.replace(tzinfo=UTC)


class ClassificationStarter:
    def __init__(self, client: Client, store: UploadStore, queues: TaskQueues, longest_run: timedelta) -> None:
        self._client = client
        self._store = store
        self._queues = queues
        self._longest_run = longest_run

    async def start(self, version: UploadVersion) -> bool:
        """Start the classification of a version, or tell the one that runs about the request. Returns after Temporal
        has stored that; False if the row no longer waits for this request.

        A closed run of the version means that it was classified before: as an earlier version of the object, before a
        retry, or for this very request a moment ago. Only the row tells whether another run is needed.
        """
        try:
            await self._signal_with_start(version, WorkflowIDReusePolicy.REJECT_DUPLICATE)
        except WorkflowAlreadyStartedError:
            row = await self._store.find(version.organization_id, version.name)
            if not is_waiting(row, version.request_id):
                return False
            await self._signal_with_start(version, WorkflowIDReusePolicy.ALLOW_DUPLICATE)
        return True

    async def count_running(self) -> int:
        query = (
            f"WorkflowType = '{ORGANIZATION_WORKFLOW}' AND ExecutionStatus = 'Running' "
            f"AND TaskQueue = '{self._queues.main}'"
        )
        try:
            return (await self._client.count_workflows(query, rpc_timeout=_CALL_TIMEOUT)).count
        except RPCError as error:
            raise Unavailable(SYSTEM, f"running classifications not counted: {error}") from error

    async def _signal_with_start(self, version: UploadVersion, reuse: WorkflowIDReusePolicy) -> None:
        """The signal makes a run that is about to end go on: Temporal refuses the end of a run that has not seen it."""
        try:
            await self._client.start_workflow(
                ORGANIZATION_WORKFLOW,
                ClassifyUpload(version, self._queues),
                id=classification_workflow_id(version.event_id),
                task_queue=self._queues.main,
                id_reuse_policy=reuse,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                execution_timeout=self._longest_run,
                start_signal=CLASSIFY_SIGNAL,
                start_signal_args=[version.request_id],
                rpc_timeout=_CALL_TIMEOUT,
            )
        except RPCError as error:
            raise Unavailable(SYSTEM, f"the classification was not started: {error}") from error


class ClassificationLimit:
    """Whether another classification may start: of all organizations together, and of one."""

    def __init__(
        self, starter: ClassificationStarter, store: UploadStore, settings: UploadSettings, now: Clock = utc_now
    ) -> None:
        self._starter = starter
        self._store = store
        self._settings = settings
        self._running = 0
        self._started_since = 0
        self._counted_at = _NEVER
        self._now = now

    async def can_start(self, organization_id: str) -> bool:
        own_limit = self._settings.in_flight_per_organization
        if await self._store.count_running(organization_id, own_limit) >= own_limit:
            return False
        return await self._count_all() < self._settings.in_flight

    def record_start(self) -> None:
        self._started_since += 1

    async def _count_all(self) -> int:
        now = self._now()
        if not timedelta(0) <= now - self._counted_at <= _COUNT_MAX_AGE:
            self._counted_at, self._started_since = now, 0
            self._running = await self._starter.count_running()
        return self._running + self._started_since
