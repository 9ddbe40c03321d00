"""A program to keep running, and how it is doing."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

# Returns when the program does its work. Of the typed errors, ConfigError means that it never will, the others not yet.
Probe = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Program:
    """What to run. `env` is the whole environment, None means ours; without a probe, running is being ready.

    `alive` is asked for as long as it runs, by default the same as `ready`. An `optional` program is tried again for
    ever, and the others go on without it; it is not started as long as `blocked` gives a reason. `litter` are files
    that it leaves lying about, removed once it has ended.
    """

    name: str
    argv: tuple[str, ...]
    ready: Probe | None = None
    alive: Probe | None = None
    optional: bool = False
    blocked: Callable[[], str] | None = None
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    address: str = ""
    ready_within: timedelta = timedelta(seconds=60)
    grace: timedelta = timedelta(seconds=5)
    litter: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Restarts:
    """How often a program may fail before everything is ended, and how long to wait between.

    One that has been ready once is given up only after failing for `patience`: a server may recover from a crash for
    minutes, and a worker ends at once while its servers are away. Failures are forgotten once it has been ready for
    `calm` in one go. `rest` is between two tries of an optional one that cannot be started.

    A program that runs is asked every `look_every` whether it is alive, and restarted after `misses` in a row. Together
    with the 10 s that an answer may take that is a minute and a half: a crowded machine answers sooner.
    """

    limit: int = 5
    patience: timedelta = timedelta(minutes=10)
    calm: timedelta = timedelta(minutes=2)
    first_wait: timedelta = timedelta(seconds=0.2)
    longest_wait: timedelta = timedelta(seconds=10)
    rest: timedelta = timedelta(minutes=1)
    look_every: timedelta = timedelta(seconds=15)
    misses: int = 4

    def wait_after(self, failures: int) -> timedelta:
        """How long to wait before the next start, after that many failures."""
        doubled: int = 2 ** min(failures - 1, 20)
        return min(self.longest_wait, self.first_wait * doubled)


class State(StrEnum):
    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    WAITING = "waiting"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Status:
    """One line of the live table. `memory` is the resident size in bytes, None without a process."""

    name: str
    state: State
    since: datetime
    pid: int | None = None
    restarts: int = 0
    address: str = ""
    memory: int | None = None
