"""One budget of memory and processor for all decoders of a worker, so that together they cannot starve the servers
beside them: a job waits until the limits of those that run leave room for its own.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

_SHARE = 0.5
_JOBS_PER_CORE = 2
_FEWEST_JOBS = 2
_MEMINFO = Path("/proc/meminfo")
_OWN_GROUPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Budget:
    """Bytes that the memory limits of all running jobs may add up to, and how many may run."""

    memory: int
    jobs: int

    def admits(self, running: Sequence[int], wanted: int) -> bool:
        """A job that wants more than there is runs alone."""
        return not running or (len(running) < self.jobs and sum(running) + wanted <= self.memory)


def budget_of(memory: int, cores: int, wanted: int | None = None) -> Budget:
    """What a machine of that size gives to decoders: half of its memory unless told otherwise, two jobs a core."""
    return Budget(int(memory * _SHARE) if wanted is None else wanted, max(_FEWEST_JOBS, cores * _JOBS_PER_CORE))


def machine_memory(
    meminfo: Path = _MEMINFO, own_groups: Path = _OWN_GROUPS, groups: Path = _GROUPS, fallback: int = 4 * 2**30
) -> int:
    """Bytes that this process may use at most: the machine's, or less where a control group says so."""
    limits = [limit for path in _limit_files(own_groups, groups) if (limit := _limit(path)) is not None]
    return min([_physical(meminfo) or fallback, *limits])


def _physical(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemTotal:")), None)


def _limit_files(own_groups: Path, groups: Path) -> Iterable[Path]:
    """Of the group and all above it, in both versions of control groups."""
    try:
        lines = own_groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        number, kinds, place = line.split(":", 2)
        if number == "0":
            root, name = groups, "memory.max"
        elif "memory" in kinds.split(","):
            root, name = groups / "memory", "memory.limit_in_bytes"
        else:
            continue
        own = Path(place.lstrip("/"))
        yield from (root / part / name for part in (own, *own.parents))


def _limit(path: Path) -> int | None:
    try:
        told = path.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(told) if told.isdigit() else None


@dataclass(eq=False)
class _Waiting:
    wanted: int
    loop: asyncio.AbstractEventLoop
    admitted: "asyncio.Future[None]" = field(init=False)
    granted: bool = False

    def __post_init__(self) -> None:
        self.admitted = self.loop.create_future()


class DecoderBudget:
    """Admits jobs in the order in which they come. Safe from several threads and loops."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._lock = threading.Lock()
        self._running: list[int] = []
        self._waiting: deque[_Waiting] = deque()

    @asynccontextmanager
    async def admitted(self, memory: int) -> AsyncIterator[None]:
        """Wait until a job of that memory limit may run, and count it while it does."""
        await self._admit(memory)
        try:
            yield
        finally:
            self._end(memory)

    async def _admit(self, memory: int) -> None:
        with self._lock:
            if not self._waiting and self._budget.admits(self._running, memory):
                self._running.append(memory)
                return
            waiting = _Waiting(memory, asyncio.get_running_loop())
            self._waiting.append(waiting)
        try:
            await waiting.admitted
        except asyncio.CancelledError:
            self._leave(waiting)
            raise

    def _leave(self, waiting: _Waiting) -> None:
        with self._lock:
            if waiting.granted:
                self._running.remove(waiting.wanted)
            else:
                self._waiting.remove(waiting)
            self._grant()

    def _end(self, memory: int) -> None:
        with self._lock:
            self._running.remove(memory)
            self._grant()

    def _grant(self) -> None:
        """The lock is held. Who waits in a loop that is closed has gone."""
        while self._waiting and self._budget.admits(self._running, self._waiting[0].wanted):
            first = self._waiting.popleft()
            if first.loop.is_closed():
                continue
            first.granted = True
            self._running.append(first.wanted)
            first.loop.call_soon_threadsafe(_set, first.admitted)


def _set(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def own_budget(wanted: int | None = None) -> Budget:
    """This machine's, or what a setting says."""
    return budget_of(machine_memory(), os.cpu_count() or 1, wanted)
