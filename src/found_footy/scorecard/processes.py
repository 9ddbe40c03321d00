"""What programs take of the machine, by the kernel's own count in /proc. Elsewhere nothing is measured."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_KIB = 1024
# Positions in /proc/<pid>/stat, counted after the closing parenthesis of the name.
_PARENT, _USER, _SYSTEM, _CHILD_USER, _CHILD_SYSTEM, _RESIDENT = 1, 11, 12, 13, 14, 21


@dataclass(frozen=True)
class Process:
    """`own` and `children` are processor seconds: of itself, and of what it started, waited for and has ended."""

    pid: int
    parent: int
    own: float
    children: float
    resident: int


@dataclass(frozen=True)
class Use:
    own: float = 0.0
    children: float = 0.0
    memory: int = 0


def parse_stat(pid: int, text: str) -> Process:
    """A line of /proc/<pid>/stat. The name may hold anything, blanks and parentheses included."""
    fields = text.rpartition(")")[2].split()
    return Process(
        pid,
        int(fields[_PARENT]),
        (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS,
        (int(fields[_CHILD_USER]) + int(fields[_CHILD_SYSTEM])) / _TICKS,
        int(fields[_RESIDENT]) * _PAGE,
    )


def running(root: Path = _PROC) -> list[Process]:
    """All processes there are; none on a system without /proc."""
    if not root.is_dir():
        return []
    found = []
    for folder in root.iterdir():
        if folder.name.isdigit():
            try:
                found.append(parse_stat(int(folder.name), (folder / "stat").read_text()))
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended while we were looking
    return found


def shared_fairly(process: Process, root: Path = _PROC) -> int:
    """Its memory with shared pages divided among those who share them, or its resident size if that is not told."""
    try:
        lines = (root / str(process.pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return process.resident
    return next((int(line.split()[1]) * _KIB for line in lines if line.startswith("Pss:")), process.resident)


def use_of(programs: Mapping[str, int], processes: Iterable[Process], measure_memory: bool = True) -> dict[str, Use]:
    """What each program, given by the pid it was started as, and all that it started take together."""
    everyone = {process.pid: process for process in processes}
    roots = {pid: name for name, pid in programs.items()}
    members: dict[str, list[Process]] = defaultdict(list)
    for process in everyone.values():
        if name := _program(process, everyone, roots):
            members[name].append(process)
    return {
        name: Use(
            sum(process.own for process in group),
            sum(process.children for process in group),
            sum(map(shared_fairly, group)) if measure_memory else 0,
        )
        for name, group in members.items()
    }


def _program(process: Process, everyone: Mapping[int, Process], roots: Mapping[int, str]) -> str | None:
    """The nearest ancestor that is a program."""
    seen: set[int] = set()
    here: Process | None = process
    while here is not None and here.pid not in seen:
        if here.pid in roots:
            return roots[here.pid]
        seen.add(here.pid)
        here = everyone.get(here.parent)
    return None


@dataclass
class Meter:
    """Adds up what programs take, through their restarts: a program that is killed takes its count with it.

    What they took before `begin` is not counted.
    """

    _before: dict[int, Use] = field(default_factory=dict)
    _lives: dict[str, dict[int, Use]] = field(default_factory=lambda: defaultdict(dict))
    _peaks: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    peak: int = 0

    def begin(self, pids: Mapping[str, int], uses: Mapping[str, Use]) -> None:
        self._before = {pids[name]: use for name, use in uses.items()}

    def note(self, pids: Mapping[str, int], uses: Mapping[str, Use]) -> None:
        """One look: which program runs as which process, and what it has taken since it began."""
        for name, use in uses.items():
            start, last = self._before.get(pids[name], Use()), self._lives[name].get(pids[name], Use())
            own, children = use.own - start.own, use.children - start.children
            self._lives[name][pids[name]] = Use(max(last.own, own), max(last.children, children))
            self._peaks[name] = max(self._peaks[name], use.memory)
        self.peak = max(self.peak, sum(use.memory for use in uses.values()))

    def totals(self) -> dict[str, Use]:
        """Per program: processor seconds of all its lives, and the most memory that it ever held."""
        return {
            name: Use(
                sum(life.own for life in lives.values()),
                sum(life.children for life in lives.values()),
                self._peaks[name],
            )
            for name, lives in self._lives.items()
        }


@dataclass
class Counters:
    """Adds up counters that begin anew when their server does."""

    _last: dict[str, int] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)

    def note(self, counts: Mapping[str, int]) -> None:
        for name, count in counts.items():
            last = self._last.get(name)
            added = 0 if last is None else count - last if count >= last else count
            self.totals[name] = self.totals.get(name, 0) + added
            self._last[name] = count
