"""One budget of memory and processor for all decoders of a worker, so that they do not starve the servers on the same
machine: a job waits until the memory limits of the running jobs leave enough for its own.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

_MEMORY_SHARE = 0.5
_JOBS_PER_CORE = 2
_MIN_JOBS = 2
_MEMINFO = Path("/proc/meminfo")
_OWN_CGROUPS = Path("/proc/self/cgroup")
_CGROUP_ROOT = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class DecoderCapacity:
    """Bytes that the memory limits of all running jobs may add up to, and how many may run."""

    memory: int
    jobs: int

    def can_admit(self, running: Sequence[int], memory: int) -> bool:
        """Whether a job of this memory limit may start. A job that exceeds the capacity runs alone."""
        return not running or (len(running) < self.jobs and sum(running) + memory <= self.memory)


def compute_capacity(memory: int, cores: int, configured: int | None = None) -> DecoderCapacity:
    """Capacity of a machine of this size: half of its memory unless configured otherwise, two jobs per core."""
    return DecoderCapacity(
        int(memory * _MEMORY_SHARE) if configured is None else configured, max(_MIN_JOBS, cores * _JOBS_PER_CORE)
    )


def detect_memory_limit(
    meminfo: Path = _MEMINFO,
    own_cgroups: Path = _OWN_CGROUPS,
    cgroup_root: Path = _CGROUP_ROOT,
    fallback: int = 4 * 2**30,
) -> int:
    """Bytes that this process may use at most: the machine's memory, or less if a cgroup limits it."""
    limits = [
        limit
        for path in _cgroup_limit_files(own_cgroups, cgroup_root)
        if (limit := _read_cgroup_limit(path)) is not None
    ]
    return min([_read_physical_memory(meminfo) or fallback, *limits])


def _read_physical_memory(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemTotal:")), None)


def _cgroup_limit_files(own_groups: Path, groups: Path) -> Iterable[Path]:
    """Limit files of the cgroup and all its ancestors, for cgroup v1 and v2."""
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


def _read_cgroup_limit(path: Path) -> int | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


@dataclass(eq=False)
class _WaitingJob:
    memory: int
    loop: asyncio.AbstractEventLoop
    admitted: "asyncio.Future[None]" = field(init=False)
    is_granted: bool = False

    def __post_init__(self) -> None:
        self.admitted = self.loop.create_future()


class DecoderSemaphore:
    """Admits jobs in order of arrival. Safe from several threads and event loops."""

    def __init__(self, capacity: DecoderCapacity) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._running: list[int] = []
        self._waiting: deque[_WaitingJob] = deque()

    @asynccontextmanager
    async def acquire(self, memory: int) -> AsyncIterator[None]:
        """Wait until a job of this memory limit may run, and count it while it does."""
        await self._wait_for_capacity(memory)
        try:
            yield
        finally:
            self._release(memory)

    async def _wait_for_capacity(self, memory: int) -> None:
        with self._lock:
            if not self._waiting and self._capacity.can_admit(self._running, memory):
                self._running.append(memory)
                return
            waiting = _WaitingJob(memory, asyncio.get_running_loop())
            self._waiting.append(waiting)
        try:
            await waiting.admitted
        except asyncio.CancelledError:
            self._abandon_wait(waiting)
            raise

    def _abandon_wait(self, waiting: _WaitingJob) -> None:
        with self._lock:
            if waiting.is_granted:
                self._running.remove(waiting.memory)
            else:
                self._waiting.remove(waiting)
            self._admit_waiting()

    def _release(self, memory: int) -> None:
        with self._lock:
            self._running.remove(memory)
            self._admit_waiting()

    def _admit_waiting(self) -> None:
        """Called with the lock held. Waiting jobs of a closed event loop are dropped."""
        while self._waiting and self._capacity.can_admit(self._running, self._waiting[0].memory):
            first = self._waiting.popleft()
            if first.loop.is_closed():
                continue
            first.is_granted = True
            self._running.append(first.memory)
            first.loop.call_soon_threadsafe(_resolve_future, first.admitted)


def _resolve_future(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def detect_capacity(configured: int | None = None) -> DecoderCapacity:
    """The capacity of this machine, or the configured one."""
    return compute_capacity(detect_memory_limit(), os.cpu_count() or 1, configured)
