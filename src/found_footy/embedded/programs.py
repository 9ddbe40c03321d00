"""A program to keep running, and how it is doing."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

# Returns when the program does its work. Of the typed errors, ConfigError means that it never will, the others not yet.
ProgramProbe = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class ProgramSpec:
    """What to run. `env` is the whole environment, None means ours; without a probe, running is being ready.

    `alive_probe` is asked for as long as it runs, by default the same as `ready_probe`. An `is_optional` program is
    tried again for ever, and the others go on without it; it is not started as long as `blocked_reason` gives a reason.
    `leftover_files` are files that it leaves lying about, removed once it has ended.
    """

    name: str
    argv: tuple[str, ...]
    ready_probe: ProgramProbe | None = None
    alive_probe: ProgramProbe | None = None
    is_optional: bool = False
    blocked_reason: Callable[[], str] | None = None
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    address: str = ""
    ready_timeout: timedelta = timedelta(seconds=60)
    stop_grace: timedelta = timedelta(seconds=5)
    leftover_files: tuple[Path, ...] = ()


@dataclass(frozen=True)
class RestartPolicy:
    """How often a program may fail before everything is ended, and how long to wait between.

    One that has been ready once is given up only after failing for `max_failing_time`: a server may recover from a
    crash for minutes, and a worker ends at once while its servers are away. Failures are forgotten once it has been
    ready for `reset_after` in one go. `optional_retry_delay` is between two tries of an optional one that cannot be
    started.

    A program that runs is asked every `probe_interval` whether it is alive, and restarted after `max_missed_probes` in
    a row. Together with the 10 s that an answer may take that is a minute and a half: a crowded machine answers sooner.
    """

    max_failures: int = 5
    max_failing_time: timedelta = timedelta(minutes=10)
    reset_after: timedelta = timedelta(minutes=2)
    initial_delay: timedelta = timedelta(seconds=0.2)
    max_delay: timedelta = timedelta(seconds=10)
    optional_retry_delay: timedelta = timedelta(minutes=1)
    probe_interval: timedelta = timedelta(seconds=15)
    max_missed_probes: int = 4

    def delay_after(self, failures: int) -> timedelta:
        """How long to wait before the next start, after that many failures."""
        doubled: int = 2 ** min(failures - 1, 20)
        return min(self.max_delay, self.initial_delay * doubled)


class ProgramState(StrEnum):
    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    WAITING = "waiting"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True)
class ProgramStatus:
    """One line of the live table. `memory` is the resident size in bytes, None without a process."""

    name: str
    state: ProgramState
    since: datetime
    pid: int | None = None
    restarts: int = 0
    address: str = ""
    memory: int | None = None
