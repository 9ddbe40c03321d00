"""Measures what the demo uses of the machine and of its servers while it runs."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from found_footy.app import AppContext
from found_footy.embedded.programs import ProgramStatus
from found_footy.platform.errors import Unavailable
from found_footy_sim.scorecard import store
from found_footy_sim.scorecard.costs import ProgramCost, RunCosts
from found_footy_sim.scorecard.process_usage import (
    ResettingCounters,
    ResourceUsage,
    UsageMeter,
    list_processes,
    measure_usage,
)
from found_footy_sim.scorecard.store import OwnOperationCounter

# For proportional memory the kernel walks every page table, so it is sampled less often than CPU time.
_MEMORY_SAMPLE_INTERVAL = 4
_DEMO_PROGRAM = "demo"
_FOREIGN_PROGRAMS = (_DEMO_PROGRAM, "simulator")


@dataclass
class CostMeter:
    """Call `take_sample` about once a second; `compute_costs` adds up the samples. The `own_operations` of this process
    are not counted among the database's.
    """

    statuses: Callable[[], Sequence[ProgramStatus]]
    own_operations: OwnOperationCounter
    started_at: float = field(default_factory=time.monotonic)
    _meter: UsageMeter = field(default_factory=UsageMeter)
    _operations: ResettingCounters = field(default_factory=ResettingCounters)
    _own_operations: ResettingCounters = field(default_factory=ResettingCounters)
    _sample_count: int = 0

    async def take_sample(self, app: AppContext) -> None:
        self.sample_processes()
        try:
            counts = await store.count_operations(app.database)
        except Unavailable:
            return  # the server is restarting; its counters then begin at zero
        self._operations.add_sample(counts)
        self._own_operations.add_sample(self.own_operations.counts)

    def set_baseline(self) -> None:
        """Start counting here: the start-up is not part of a goal's cost."""
        pids = self._program_pids()
        self._meter.set_baseline(pids, measure_usage(pids, list_processes(), measure_memory=False))

    def sample_processes(self) -> None:
        pids = self._program_pids()
        self._meter.add_sample(
            pids,
            measure_usage(pids, list_processes(), measure_memory=self._sample_count % _MEMORY_SAMPLE_INTERVAL == 0),
        )
        self._sample_count += 1

    def _program_pids(self) -> dict[str, int]:
        return {status.name: status.pid for status in self.statuses() if status.pid} | {_DEMO_PROGRAM: os.getpid()}

    async def compute_costs(self, app: AppContext) -> RunCosts:
        await self.take_sample(app)
        own = self._own_operations.totals
        return RunCosts(
            tuple(_program_cost(name, use) for name, use in sorted(self._meter.compute_totals().items())),
            self._meter.peak_memory,
            {kind: max(0, count - own[kind]) for kind, count in self._operations.totals.items()},
            await store.count_history_events(app.temporal),
            round(time.monotonic() - self.started_at, 1),
        )


def _program_cost(name: str, use: ResourceUsage) -> ProgramCost:
    # Children that this process has waited for are programs that were killed, which are counted separately.
    children = 0.0 if name == _DEMO_PROGRAM else use.children_cpu_seconds
    return ProgramCost(
        name, round(use.own_cpu_seconds, 2), round(children, 2), use.memory_bytes, name not in _FOREIGN_PROGRAMS
    )
