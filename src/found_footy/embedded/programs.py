"""The specification, restart policy and status of a supervised program."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

# Returns when the program works. ConfigError means that it never will, the other typed errors that it does not yet.
ProgramProbe = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class ProgramSpec:
    """What to run. `env` is the whole environment, None means ours; without a probe, a running program counts as ready.

    `alive_probe` is called while the program runs, by default `ready_probe`. An `is_optional` program is retried for
    ever and does not stop the others; it is not started while `blocked_reason` returns a reason. `leftover_files` are
    deleted once the program has ended.
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
    """How often a program may fail before the supervisor stops everything, and the delays between starts.

    A program that was ready once is given up only after failing for `max_failing_time`: a server may recover from a
    crash for minutes, and a worker exits at once while its servers are down. Failures are reset once it has been ready
    for `reset_after` without a break. `optional_retry_delay` is the delay between starts of an optional program.

    A running program is probed every `probe_interval`, and restarted after `max_missed_probes` failures in a row. With
    the 10 s timeout of a probe that is a minute and a half: a loaded machine answers sooner.
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
        """Return the delay before the next start after that many failures."""
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
    """One row of the live table. `memory` is the resident size in bytes, None without a process."""

    name: str
    state: ProgramState
    since: datetime
    pid: int | None = None
    restarts: int = 0
    address: str = ""
    memory: int | None = None
