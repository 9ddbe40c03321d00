"""One program kept running: started, probed, started again when it ends or hangs, given up when it fails too often."""

import asyncio
import logging
import os
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from found_footy.embedded import launch
from found_footy.embedded.logfiles import bound, last_lines
from found_footy.embedded.processes import kill_group, resident_bytes
from found_footy.embedded.programs import Probe, Program, Restarts, State, Status
from found_footy.platform.errors import ConfigError, Unavailable

_PROBE_SECONDS = 10.0
_PROBE_PAUSE_SECONDS = 0.05
_CANCEL_SECONDS = 1.0

logger = logging.getLogger(__name__)


class Watch:
    """Keeps `program` running from `start()` to `stop()`; `changed` is called whenever its status does. While
    `full_disk` gives a reason, a program that has been ready is neither given up nor restarted for refusing its work:
    a restart frees no space.
    """

    def __init__(
        self,
        program: Program,
        log: Path,
        restarts: Restarts,
        changed: Callable[[], None],
        full_disk: Callable[[], str] = lambda: "",
    ) -> None:
        self.program = program
        self._log = log
        self._restarts = restarts
        self._changed = changed
        self._full_disk = full_disk
        self._failures = 0
        self._failing_since: float | None = None
        self._is_ready = asyncio.Event()
        self._status = Status(program.name, State.STARTING, datetime.now(UTC), address=program.address)
        self._keeper: asyncio.Task[None] | None = None

    @property
    def status(self) -> Status:
        pid = self._status.pid
        return replace(self._status, memory=resident_bytes(pid) if pid else None)

    async def start(self, on_failure: Callable[[BaseException], None]) -> None:
        """Returns once the program is ready, raises if it cannot be; for an optional one it waits for neither.

        `on_failure` is told if it is given up later. May be called again after `stop()`.
        """
        self._is_ready.clear()
        self._become(State.STARTING, None)
        self._keeper = asyncio.create_task(self._keep_running(on_failure), name=f"watch {self.program.name}")
        if self.program.optional:
            return
        ready = asyncio.create_task(self._is_ready.wait())
        try:
            await asyncio.wait({self._keeper, ready}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if self._keeper.done():
            self._keeper.result()

    async def stop(self) -> None:
        """Ends the program: asks, waits as long as it is given, then kills."""
        if self._keeper is None:
            return
        self._keeper.cancel()
        await asyncio.gather(self._keeper, return_exceptions=True)
        if self._status.state is not State.FAILED:
            self._become(State.STOPPED, None)

    def bound_log(self) -> None:
        bound(self._log)

    async def _keep_running(self, on_failure: Callable[[BaseException], None]) -> None:
        try:
            while True:
                if reason := self.program.blocked() if self.program.blocked else "":
                    await asyncio.sleep(self._rest(reason))
                    continue
                reason = await self._run_once()
                await asyncio.sleep(self._after_failure(reason))
        except Exception as error:
            self._become(State.FAILED, None)
            on_failure(error)
            raise

    def _after_failure(self, reason: str) -> float:
        """Seconds until the next start; raises when there were too many failures."""
        now, full = asyncio.get_running_loop().time(), self._full_disk()
        if full:
            reason, self._failing_since = f"{reason}; {full}", now
        self._failing_since = self._failing_since or now
        self._failures += 1
        if self._failures >= self._restarts.limit:
            if self.program.optional:
                return self._rest(reason)
            lasting = not full and now - self._failing_since >= self._restarts.patience.total_seconds()
            if lasting or not self._is_ready.is_set():
                told = f"{reason}; failed {self._failures} times, given up"
                raise Unavailable(self.program.name, self._last_words(told))
        wait = self._restarts.wait_after(self._failures).total_seconds()
        logger.warning(
            "%s %s; starting it again in %.1f s", self.program.name, reason, wait,
            extra={"action": "program_restarting", "program": self.program.name, "failures": self._failures},
        )  # fmt: skip
        self._become(State.RESTARTING, None, restarts=self._status.restarts + 1)
        return wait

    def _rest(self, reason: str) -> float:
        """Seconds until an optional program is tried again."""
        wait = self._restarts.rest.total_seconds()
        if self._status.state is not State.WAITING:
            logger.warning(
                "%s does not run: %s; trying again every %.0f s", self.program.name, reason, wait,
                extra={"action": "program_waiting", "program": self.program.name},
            )  # fmt: skip
        self._become(State.WAITING, None)
        return wait

    async def _run_once(self) -> str:
        """One life of the program; says how it ended. Cancelling ends the program first."""
        try:
            process = await self._spawn()
        except OSError as error:  # no room for its log, or for another process
            if self._is_ready.is_set():
                return f"cannot be started ({error})"
            raise Unavailable(self.program.name, f"cannot be started ({error})") from error
        try:
            self._become(self._status.state, process.pid)
            return await self._live(process)
        finally:
            await self._end(process)

    async def _live(self, process: Process) -> str:
        ended = asyncio.create_task(process.wait())
        probed = asyncio.create_task(self._probe())
        tasks: list[asyncio.Task[Any]] = [ended, probed]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                if complaint := probed.result():
                    return complaint
                self._become(State.READY, process.pid)
                self._is_ready.set()
                hung = asyncio.create_task(self._hang())
                tasks.append(hung)
                await asyncio.wait({ended, hung}, return_when=asyncio.FIRST_COMPLETED)
                if not ended.done():
                    return hung.result()
            return f"ended with exit status {ended.result()}"
        finally:
            await _end_tasks(tasks)

    async def _hang(self) -> str:
        """Returns when the program has not answered for several times in a row, and says so."""
        loop, restarts = asyncio.get_running_loop(), self._restarts
        alive, ready_since, misses = self.program.alive or self.program.ready, loop.time(), 0
        while True:
            await asyncio.sleep(min(restarts.look_every, restarts.calm).total_seconds())
            if loop.time() - ready_since >= restarts.calm.total_seconds():
                self._failures, self._failing_since = 0, None
            try:
                complaint = await _complaint(alive) if alive else ""
            except ConfigError as error:
                complaint = str(error)
            misses = misses + 1 if complaint and not self._full_disk() else 0
            if misses >= restarts.misses:
                return f"does not answer any more ({complaint})"

    def _last_words(self, reason: str) -> str:
        return f"{reason}. The end of {self._log}:\n{last_lines(self._log)}"

    async def _probe(self) -> str:
        """Empty once the program is ready. One that is not in time at its first start hangs, and starting it again
        would not help; after a crash it may need longer, and what is wrong then is told.
        """
        if self.program.ready is None:
            return ""
        loop = asyncio.get_running_loop()
        been_ready = self._is_ready.is_set()
        within = max(self.program.ready_within, self._restarts.patience) if been_ready else self.program.ready_within
        deadline, complaint = loop.time() + within.total_seconds(), "no answer"
        while loop.time() < deadline:
            complaint = await _complaint(self.program.ready)
            if not complaint:
                return ""
            await asyncio.sleep(_PROBE_PAUSE_SECONDS)
        told = f"not ready within {within.total_seconds():.0f} s ({complaint})"
        if been_ready or self.program.optional:
            return told
        raise Unavailable(self.program.name, self._last_words(told))

    async def _spawn(self) -> Process:
        program = self.program
        if (binary := shutil.which(program.argv[0])) is None:
            raise ConfigError(f"{program.name}: there is no program {program.argv[0]!r}")
        bound(self._log)
        with self._log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *_tied_to_us((binary, *program.argv[1:])),
                env=dict(program.env) if program.env is not None else None,
                cwd=program.cwd, stdin=DEVNULL, stdout=log, stderr=STDOUT, start_new_session=True,
            )  # fmt: skip
        logger.info(
            "%s started as process %d", program.name, process.pid,
            extra={"action": "program_started", "program": program.name, "pid": process.pid},
        )  # fmt: skip
        return process

    async def _end(self, process: Process) -> None:
        grace = self.program.grace.total_seconds()
        try:
            if process.returncode is None and grace:
                os.kill(process.pid, signal.SIGTERM)
                await asyncio.wait_for(process.wait(), grace)
        except ProcessLookupError:
            logger.debug("%s ended by itself", self.program.name, extra={"action": "program_ended"})
        except TimeoutError:
            logger.warning(
                "%s does not end when asked; killing it", self.program.name, extra={"action": "program_killed"}
            )
        finally:
            kill_group(process.pid)
            await process.wait()
            for path in self.program.litter:
                path.unlink(missing_ok=True)

    def _become(self, state: State, pid: int | None, restarts: int | None = None) -> None:
        before = self._status
        since = before.since if state is before.state else datetime.now(UTC)
        times = before.restarts if restarts is None else restarts
        self._status = replace(before, state=state, since=since, pid=pid, restarts=times)
        try:
            self._changed()
        except OSError as error:  # a full disk: the program matters more than the note of how it is doing
            logger.warning(
                "how %s is doing could not be written down: %s", self.program.name, error,
                extra={"action": "status_not_written", "program": self.program.name},
            )  # fmt: skip


def _tied_to_us(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command line that makes the program die with this process, where the system can do that."""
    if sys.platform != "linux":
        return argv
    return (sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), *argv)


async def _complaint(probe: Probe) -> str:
    """What is wrong with the program, empty if nothing is. Raises ConfigError: that will not pass."""
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await probe()
    except TimeoutError:
        return f"no answer within {_PROBE_SECONDS:.0f} s"
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001  whatever a client library raises, the program did not do its work
        return str(error) or type(error).__name__
    return ""


async def _end_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancelled as often as it takes: a probe that is answered at the moment of its cancelling may not hear of it."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=_CANCEL_SECONDS)
