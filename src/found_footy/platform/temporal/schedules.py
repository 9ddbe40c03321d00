"""Creates and updates Temporal schedules, and describes their state."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from prometheus_client import Gauge
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, RegisterNamespaceRequest
from temporalio.client import (
    Client,
    Schedule,
    ScheduleAlreadyRunningError,
    ScheduleDescription,
    ScheduleOverlapPolicy,
    ScheduleUpdate,
    ScheduleUpdateInput,
)
from temporalio.service import RPCError, RPCStatusCode

from found_footy.platform.errors import Unavailable

_CALL_TIMEOUT = timedelta(seconds=10)
# Retention of closed workflows in a namespace that is registered here.
_NAMESPACE_RETENTION = timedelta(days=3)


MISSED_ACTIONS = Gauge(
    "found_footy_schedule_missed_actions", "Runs of a schedule that Temporal dropped after an outage.", ["schedule"]
)


@dataclass(frozen=True)
class ScheduleState:
    """The state of a schedule. `note` is what a person entered when pausing it."""

    exists: bool = True
    paused: bool = False
    note: str = ""
    last_action: datetime | None = None
    running: int = 0


async def ensure_schedule(client: Client, id: str, schedule: Schedule) -> None:  # noqa: A002
    """Create or update the schedule `id`. A schedule that a person paused stays paused."""
    try:
        try:
            await client.create_schedule(id, schedule, rpc_timeout=_CALL_TIMEOUT)
        except ScheduleAlreadyRunningError:
            handle = client.get_schedule_handle(id)
            await handle.update(lambda found: _build_update(found, schedule), rpc_timeout=_CALL_TIMEOUT)
    except RPCError as error:
        raise Unavailable("Temporal", f"schedule {id}: {error}") from error


def _build_update(found: ScheduleUpdateInput, desired: Schedule) -> ScheduleUpdate:
    state = found.description.schedule.state
    return ScheduleUpdate(replace(desired, state=replace(desired.state, paused=state.paused, note=state.note)))


async def fetch_schedule_digest(client: Client, id: str) -> bytes | None:  # noqa: A002
    """Serialize what the schedule does and when, as Temporal stores it, without its paused state; None without a
    schedule.

    Temporal rewrites its input (a cron expression becomes a calendar), so only two of its own descriptions compare.
    """
    found = await _describe_schedule(client, id)
    if found is None:
        return None
    schedule = type(found.raw_description.schedule)()
    schedule.CopyFrom(found.raw_description.schedule)
    schedule.ClearField("state")
    return schedule.SerializeToString(deterministic=True)


async def fetch_schedule_state(client: Client, id: str) -> ScheduleState:  # noqa: A002
    found = await _describe_schedule(client, id)
    if found is None:
        return ScheduleState(exists=False)
    state, info = found.schedule.state, found.info
    last = max((action.started_at for action in info.recent_actions), default=None)
    return ScheduleState(True, state.paused, state.note or "", last, len(info.running_actions))


async def trigger_schedule(client: Client, id: str) -> None:  # noqa: A002
    """Run the schedule's action now, unless its last run is still running."""
    try:
        handle = client.get_schedule_handle(id)
        await handle.trigger(overlap=ScheduleOverlapPolicy.SKIP, rpc_timeout=_CALL_TIMEOUT)
    except RPCError as error:
        raise Unavailable("Temporal", f"schedule {id}: {error}") from error


async def _describe_schedule(client: Client, id: str) -> ScheduleDescription | None:  # noqa: A002
    try:
        found = await client.get_schedule_handle(id).describe(rpc_timeout=_CALL_TIMEOUT)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise Unavailable("Temporal", f"schedule {id}: {error}") from error
    MISSED_ACTIONS.labels(id).set(found.info.num_actions_missed_catchup_window)
    return found


async def ensure_namespace(client: Client) -> bool:
    """Register the client's namespace if Temporal does not know it. True if it was registered now."""
    service = client.workflow_service
    try:
        await service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace), timeout=_CALL_TIMEOUT)
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise Unavailable("Temporal", f"namespace {client.namespace}: {error}") from error
    else:
        return False
    request = RegisterNamespaceRequest(namespace=client.namespace)
    request.workflow_execution_retention_period.FromTimedelta(_NAMESPACE_RETENTION)
    try:
        await service.register_namespace(request, timeout=_CALL_TIMEOUT)
    except RPCError as refused:
        if refused.status is not RPCStatusCode.ALREADY_EXISTS:
            raise Unavailable("Temporal", f"namespace {client.namespace}: {refused}") from refused
    return True
