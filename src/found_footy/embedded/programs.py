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

    `litter` are files that it leaves lying about, removed once it has ended.
    """

    name: str
    argv: tuple[str, ...]
    ready: Probe | None = None
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    address: str = ""
    ready_within: timedelta = timedelta(seconds=60)
    grace: timedelta = timedelta(seconds=5)
    litter: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Restarts:
    """How often a program may fail before everything is ended, and how long to wait between.

    Failures are forgotten once it has been ready for `calm` in one go.
    """

    limit: int = 5
    calm: timedelta = timedelta(minutes=2)
    first_wait: timedelta = timedelta(seconds=0.2)
    longest_wait: timedelta = timedelta(seconds=10)

    def wait_after(self, failures: int) -> timedelta:
        """How long to wait before the next start, after that many failures."""
        doubled: int = 2 ** (failures - 1)
        return min(self.longest_wait, self.first_wait * doubled)


class State(StrEnum):
    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
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
