"""Measures the load of workers and searchers."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from temporalio.client import Client

from found_footy.platform.mongo import Database
from found_footy.platform.temporal.queues import TaskQueueBacklog, fetch_backlog
from found_footy.scaler import metrics
from found_footy.scaler.decision import MeasuredLoad
from found_footy.scaler.store import ScalerStore

LoadMeter = Callable[[], Awaitable[MeasuredLoad]]
"""Measures a pool's load; raises a typed error if it cannot."""


def measure_queues(client: Client, queues: Sequence[str]) -> LoadMeter:
    """Return a meter of the tasks that wait in the queues together."""

    async def measure() -> MeasuredLoad:
        depths = await asyncio.gather(*(fetch_backlog(client, queue) for queue in queues))
        for queue, depth in zip(queues, depths, strict=True):
            oldest = max(depth.workflow.backlog_age, depth.activity.backlog_age)
            metrics.BACKLOG.labels(queue).set(depth.total)
            metrics.BACKLOG_AGE.labels(queue).set(oldest.total_seconds())
        return add_depths(depths)

    return measure


def add_depths(depths: Sequence[TaskQueueBacklog]) -> MeasuredLoad:
    """Add up the backlogs of several queues and the growth of those that grow. A queue that shrinks does not make up
    for one that grows: its workers may be others' or may be blocked.

    Temporal reports a rate of additions also for tasks that are dispatched at once; without a backlog there is nothing
    to scale for, so such a queue does not count as growing.
    """
    kinds = [kind for depth in depths for kind in (depth.workflow, depth.activity)]
    growth = sum(max(0.0, kind.add_rate - kind.dispatch_rate) for kind in kinds if kind.backlog)
    return MeasuredLoad(sum(kind.backlog for kind in kinds), growth)


def measure_active_goals(database: Database) -> LoadMeter:
    """Return a meter of the goals that are being searched for."""
    store = ScalerStore(database)

    async def measure() -> MeasuredLoad:
        return MeasuredLoad(await store.count_active_goals())

    return measure
