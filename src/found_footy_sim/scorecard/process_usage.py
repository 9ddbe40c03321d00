"""Resource usage of programs, from the kernel's counters in /proc. On other systems nothing is measured."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_PROC_DIR = Path("/proc")
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_KIB = 1024
_ENDED_STATES = frozenset("ZX")
# Two ticks of the kernel's clock: more than being forked takes.
_MIN_WORK_SECONDS = 0.02
# Positions in /proc/<pid>/stat, counted after the closing parenthesis of the name.
_STAT_STATE, _STAT_PARENT, _STAT_USER, _STAT_SYSTEM, _STAT_CHILD_USER, _STAT_CHILD_SYSTEM, _STAT_RESIDENT = (
    0,
    1,
    11,
    12,
    13,
    14,
    21,
)


@dataclass(frozen=True)
class ProcessStat:
    """`own_cpu_seconds` and `children_cpu_seconds` are CPU seconds: of the process itself, and of its children that
    have ended and been waited for. One that `has_ended` has not been waited for yet.
    """

    pid: int
    parent_pid: int
    own_cpu_seconds: float
    children_cpu_seconds: float
    resident_bytes: int
    has_ended: bool = False


@dataclass(frozen=True)
class ResourceUsage:
    own_cpu_seconds: float = 0.0
    children_cpu_seconds: float = 0.0
    memory_bytes: int = 0


def parse_stat(pid: int, text: str) -> ProcessStat:
    """Parse a line of /proc/<pid>/stat. The name may hold anything, spaces and parentheses included."""
    fields = text.rpartition(")")[2].split()
    return ProcessStat(
        pid,
        int(fields[_STAT_PARENT]),
        (int(fields[_STAT_USER]) + int(fields[_STAT_SYSTEM])) / _TICKS_PER_SECOND,
        (int(fields[_STAT_CHILD_USER]) + int(fields[_STAT_CHILD_SYSTEM])) / _TICKS_PER_SECOND,
        int(fields[_STAT_RESIDENT]) * _PAGE_BYTES,
        has_ended=fields[_STAT_STATE] in _ENDED_STATES,
    )


def list_processes(root: Path = _PROC_DIR) -> list[ProcessStat]:
    """Return all processes; none on a system without /proc."""
    if not root.is_dir():
        return []
    found = []
    for folder in root.iterdir():
        if folder.name.isdigit():
            try:
                found.append(parse_stat(int(folder.name), (folder / "stat").read_text()))
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended meanwhile
    return found


def find_working_grandchildren(pid: int, processes: Iterable[ProcessStat]) -> list[ProcessStat]:
    """Return the children of the children of a process that run and have used the processor."""
    everyone = list(processes)
    children = {process.pid for process in everyone if process.parent_pid == pid}
    return [
        process
        for process in everyone
        if process.parent_pid in children and process.own_cpu_seconds >= _MIN_WORK_SECONDS and not process.has_ended
    ]


def measure_proportional_memory(process: ProcessStat, root: Path = _PROC_DIR) -> int:
    """Return its proportional set size (shared pages divided among their users), or its resident size if that is
    unavailable.
    """
    try:
        lines = (root / str(process.pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return process.resident_bytes
    return next((int(line.split()[1]) * _KIB for line in lines if line.startswith("Pss:")), process.resident_bytes)


def measure_usage(
    programs: Mapping[str, int], processes: Iterable[ProcessStat], measure_memory: bool = True
) -> dict[str, ResourceUsage]:
    """Return the usage of each program, given by the pid it was started as, with all its descendants."""
    everyone = {process.pid: process for process in processes}
    roots = {pid: name for name, pid in programs.items()}
    members: dict[str, list[ProcessStat]] = defaultdict(list)
    for process in everyone.values():
        if name := _find_program(process, everyone, roots):
            members[name].append(process)
    return {
        name: ResourceUsage(
            sum(process.own_cpu_seconds for process in group),
            sum(process.children_cpu_seconds for process in group),
            sum(map(measure_proportional_memory, group)) if measure_memory else 0,
        )
        for name, group in members.items()
    }


def _find_program(process: ProcessStat, everyone: Mapping[int, ProcessStat], roots: Mapping[int, str]) -> str | None:
    """Return the nearest ancestor that is a program."""
    seen: set[int] = set()
    here: ProcessStat | None = process
    while here is not None and here.pid not in seen:
        if here.pid in roots:
            return roots[here.pid]
        seen.add(here.pid)
        here = everyone.get(here.parent_pid)
    return None


@dataclass
class UsageMeter:
    """Adds up the usage of programs across restarts: the kernel's counters of a killed program are lost with it.

    Usage before `set_baseline` is not counted.
    """

    _baseline: dict[int, ResourceUsage] = field(default_factory=dict)
    _usage_by_pid: dict[str, dict[int, ResourceUsage]] = field(default_factory=lambda: defaultdict(dict))
    _peak_memory_by_program: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    peak_memory: int = 0

    def set_baseline(self, pids: Mapping[str, int], uses: Mapping[str, ResourceUsage]) -> None:
        self._baseline = {pids[name]: use for name, use in uses.items()}

    def add_sample(self, pids: Mapping[str, int], uses: Mapping[str, ResourceUsage]) -> None:
        """Add one sample: the pid of each program, and its usage since it started."""
        for name, use in uses.items():
            start, last = (
                self._baseline.get(pids[name], ResourceUsage()),
                self._usage_by_pid[name].get(pids[name], ResourceUsage()),
            )
            own, children = (
                use.own_cpu_seconds - start.own_cpu_seconds,
                use.children_cpu_seconds - start.children_cpu_seconds,
            )
            self._usage_by_pid[name][pids[name]] = ResourceUsage(
                max(last.own_cpu_seconds, own), max(last.children_cpu_seconds, children)
            )
            self._peak_memory_by_program[name] = max(self._peak_memory_by_program[name], use.memory_bytes)
        self.peak_memory = max(self.peak_memory, sum(use.memory_bytes for use in uses.values()))

    def compute_totals(self) -> dict[str, ResourceUsage]:
        """Return per program: CPU seconds of all its processes, and its peak memory."""
        return {
            name: ResourceUsage(
                sum(life.own_cpu_seconds for life in lives.values()),
                sum(life.children_cpu_seconds for life in lives.values()),
                self._peak_memory_by_program[name],
            )
            for name, lives in self._usage_by_pid.items()
        }


@dataclass
class ResettingCounters:
    """Adds up counters that restart at zero with their server."""

    _last: dict[str, int] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)

    def add_sample(self, counts: Mapping[str, int]) -> None:
        for name, count in counts.items():
            last = self._last.get(name)
            added = 0 if last is None else count - last if count >= last else count
            self.totals[name] = self.totals.get(name, 0) + added
            self._last[name] = count
