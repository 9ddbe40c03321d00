"""What the demo takes of the machine and of its servers, measured while it plays."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from found_footy.app import App
from found_footy.embedded.programs import Status
from found_footy.platform.errors import Unavailable
from found_footy.scorecard import store
from found_footy.scorecard.costs import Costs, ProgramCost
from found_footy.scorecard.processes import Counters, Meter, Use, running, use_of

# Dividing shared memory makes the kernel walk every page table, so it is asked less often than for the time.
_MEMORY_EVERY = 4
_OURSELVES = "demo"
_NOT_OURS = (_OURSELVES, "simulator")


@dataclass
class Measure:
    """Call `look` about once a second; `costs` adds it all up."""

    statuses: Callable[[], Sequence[Status]]
    began: float = field(default_factory=time.monotonic)
    _meter: Meter = field(default_factory=Meter)
    _operations: Counters = field(default_factory=Counters)
    _looks: int = 0

    async def look(self, app: App) -> None:
        self.look_at_processes()
        try:
            self._operations.note(await store.operations(app.database))
        except Unavailable:
            return  # it is being restarted; what it has done meanwhile begins at nought

    def begin(self) -> None:
        """From here on it counts: what starting took is not the price of a goal."""
        pids = self._pids()
        self._meter.begin(pids, use_of(pids, running(), measure_memory=False))

    def look_at_processes(self) -> None:
        pids = self._pids()
        self._meter.note(pids, use_of(pids, running(), measure_memory=self._looks % _MEMORY_EVERY == 0))
        self._looks += 1

    def _pids(self) -> dict[str, int]:
        return {status.name: status.pid for status in self.statuses() if status.pid} | {_OURSELVES: os.getpid()}

    async def costs(self, app: App) -> Costs:
        await self.look(app)
        return Costs(
            tuple(_cost(name, use) for name, use in sorted(self._meter.totals().items())),
            self._meter.peak,
            dict(self._operations.totals),
            await store.history_events(app.temporal),
            round(time.monotonic() - self.began, 1),
        )


def _cost(name: str, use: Use) -> ProgramCost:
    # The children that this process has waited for are programs that were killed, and are counted as themselves.
    children = 0.0 if name == _OURSELVES else use.children
    return ProgramCost(name, round(use.own, 2), round(children, 2), use.memory, name not in _NOT_OURS)
