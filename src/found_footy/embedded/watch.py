"""One program kept running: started, probed, started again when it ends, given up when it ends too often."""

import asyncio
import logging
import os
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from found_footy.embedded import launch
from found_footy.embedded.logfiles import bound, last_lines
from found_footy.embedded.processes import kill_group, resident_bytes
from found_footy.embedded.programs import Program, Restarts, State, Status
from found_footy.platform.errors import ConfigError, FoundFootyError, Unavailable

_PROBE_SECONDS = 10.0
_PROBE_PAUSE_SECONDS = 0.05

logger = logging.getLogger(__name__)


class Watch:
    """Keeps `program` running from `start()` to `stop()`; `changed` is called whenever its status does."""

    def __init__(self, program: Program, log: Path, restarts: Restarts, changed: Callable[[], None]) -> None:
        self.program = program
        self._log = log
        self._restarts = restarts
        self._changed = changed
        self._failures = 0
        self._is_ready = asyncio.Event()
        self._status = Status(program.name, State.STARTING, datetime.now(UTC), address=program.address)
        self._keeper: asyncio.Task[None] | None = None

    @property
    def status(self) -> Status:
        pid = self._status.pid
        return replace(self._status, memory=resident_bytes(pid) if pid else None)

    async def start(self, on_failure: Callable[[BaseException], None]) -> None:
        """Returns once the program is ready, raises if it cannot be. `on_failure` is told if it is given up later.

        May be called again after `stop()`.
        """
        self._is_ready.clear()
        self._become(State.STARTING, None)
        self._keeper = asyncio.create_task(self._keep_running(on_failure), name=f"watch {self.program.name}")
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
                reason = await self._run_once()
                await asyncio.sleep(self._after_failure(reason))
        except Exception as error:
            self._become(State.FAILED, None)
            on_failure(error)
            raise

    def _after_failure(self, reason: str) -> float:
        """Seconds until the next start; raises when there were too many failures."""
        self._failures += 1
        if self._failures >= self._restarts.limit:
            raise Unavailable(self.program.name, self._last_words(f"{reason}; failed {self._failures} times, given up"))
        wait = self._restarts.wait_after(self._failures).total_seconds()
        logger.warning(
            "%s %s; starting it again in %.1f s", self.program.name, reason, wait,
            extra={"action": "program_restarting", "program": self.program.name, "failures": self._failures},
        )  # fmt: skip
        self._become(State.RESTARTING, None, restarts=self._status.restarts + 1)
        return wait

    async def _run_once(self) -> str:
        """One life of the program; says how it ended. Cancelling ends the program first."""
        process = await self._spawn()
        try:
            self._become(self._status.state, process.pid)
            return await self._live(process)
        finally:
            await self._end(process)

    async def _live(self, process: Process) -> str:
        ended = asyncio.create_task(process.wait())
        probed = asyncio.create_task(self._probe())
        try:
            await asyncio.wait({ended, probed}, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                probed.result()
                self._become(State.READY, process.pid)
                self._is_ready.set()
            return f"ended with exit status {await self._forgetting_failures(ended)}"
        finally:
            ended.cancel()
            probed.cancel()
            await asyncio.gather(ended, probed, return_exceptions=True)

    async def _forgetting_failures(self, ended: asyncio.Task[int]) -> int:
        await asyncio.wait({ended}, timeout=self._restarts.calm.total_seconds())
        if not ended.done():
            self._failures = 0
        return await ended

    def _last_words(self, reason: str) -> str:
        return f"{reason}. The end of {self._log}:\n{last_lines(self._log)}"

    async def _probe(self) -> None:
        """Returns once the program is ready. One that is not in time hangs, and starting it again would not help."""
        if self.program.ready is None:
            return
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.program.ready_within.total_seconds()
        complaint = "no answer"
        while loop.time() < deadline:
            try:
                await asyncio.wait_for(self.program.ready(), _PROBE_SECONDS)
            except TimeoutError:
                complaint = f"no answer within {_PROBE_SECONDS:.0f} s"
            except ConfigError:
                raise
            except FoundFootyError as error:
                complaint = str(error)
            else:
                return
            await asyncio.sleep(_PROBE_PAUSE_SECONDS)
        raise Unavailable(
            self.program.name,
            self._last_words(f"not ready within {self.program.ready_within.total_seconds():.0f} s ({complaint})"),
        )

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
        self._changed()


def _tied_to_us(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command line that makes the program die with this process, where the system can do that."""
    if sys.platform != "linux":
        return argv
    return (sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), *argv)
