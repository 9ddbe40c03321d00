"""Supervises one program: starts it, probes it, restarts it when it exits or hangs, gives up after too many
failures.
"""

import asyncio
import os
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from found_footy.embedded import launcher
from found_footy.embedded.log_files import read_last_lines, rotate_log
from found_footy.embedded.processes import kill_process_group, resident_bytes
from found_footy.embedded.programs import ProgramProbe, ProgramSpec, ProgramState, ProgramStatus, RestartPolicy
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import ConfigError, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.tasks import cancel_and_wait

_PROBE_TIMEOUT_SECONDS = 10.0
_PROBE_INTERVAL_SECONDS = 0.05
_CANCEL_WAIT_SECONDS = 1.0

logger = ActionLogger(__name__)


class ProgramProcess:
    """Keeps `program` running from `start()` to `stop()`; `on_status_change` is called on every change of status. While
    `describe_full_disk` returns a reason, a program that was ready before is neither given up nor restarted for
    failing: a restart frees no space.
    """

    def __init__(
        self,
        program: ProgramSpec,
        log: Path,
        restart_policy: RestartPolicy,
        on_status_change: Callable[[], None],
        describe_full_disk: Callable[[], str] = lambda: "",
    ) -> None:
        self.program = program
        self._log = log
        self._restart_policy = restart_policy
        self._on_status_change = on_status_change
        self._describe_full_disk = describe_full_disk
        self._failures = 0
        self._failing_since: float | None = None
        self._ready_event = asyncio.Event()
        self._status = ProgramStatus(program.name, ProgramState.STARTING, utc_now(), address=program.address)
        self._supervision_task: asyncio.Task[None] | None = None

    @property
    def status(self) -> ProgramStatus:
        pid = self._status.pid
        return replace(self._status, memory=resident_bytes(pid) if pid else None)

    async def start(self, on_failure: Callable[[BaseException], None]) -> None:
        """Return once the program is ready, raise if it cannot be; an optional program is not waited for.

        `on_failure` is called if it is given up later. May be called again after `stop()`.
        """
        self._ready_event.clear()
        self._set_state(ProgramState.STARTING, None)
        self._supervision_task = asyncio.create_task(self._keep_running(on_failure), name=f"watch {self.program.name}")
        if self.program.is_optional:
            return
        ready = asyncio.create_task(self._ready_event.wait())
        try:
            await asyncio.wait({self._supervision_task, ready}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if self._supervision_task.done():
            self._supervision_task.result()

    async def stop(self) -> None:
        """Stop the program: SIGTERM, the grace period, then SIGKILL."""
        if self._supervision_task is None:
            return
        self._supervision_task.cancel()
        await asyncio.gather(self._supervision_task, return_exceptions=True)
        if self._status.state is not ProgramState.FAILED:
            self._set_state(ProgramState.STOPPED, None)

    def rotate_log(self) -> None:
        rotate_log(self._log)

    async def _keep_running(self, on_failure: Callable[[BaseException], None]) -> None:
        try:
            while True:
                if reason := self.program.blocked_reason() if self.program.blocked_reason else "":
                    await asyncio.sleep(self._delay_before_retry(reason))
                    continue
                reason = await self._run_once()
                await asyncio.sleep(self._delay_after_failure(reason))
        except Exception as error:
            self._set_state(ProgramState.FAILED, None)
            on_failure(error)
            raise

    def _delay_after_failure(self, reason: str) -> float:
        """Return the seconds until the next start; raises after too many failures."""
        now, full = asyncio.get_running_loop().time(), self._describe_full_disk()
        if full:
            reason, self._failing_since = f"{reason}; {full}", now
        self._failing_since = self._failing_since or now
        self._failures += 1
        if self._failures >= self._restart_policy.max_failures:
            if self.program.is_optional:
                return self._delay_before_retry(reason)
            lasting = not full and now - self._failing_since >= self._restart_policy.max_failing_time.total_seconds()
            if lasting or not self._ready_event.is_set():
                message = f"{reason}; failed {self._failures} times, given up"
                raise Unavailable(self.program.name, self._append_log_tail(message))
        wait = self._restart_policy.delay_after(self._failures).total_seconds()
        logger.warning(
            "%s %s; starting it again in %.1f s",
            self.program.name,
            reason,
            wait,
            action="program_restarting",
            program=self.program.name,
            failures=self._failures,
        )
        self._set_state(ProgramState.RESTARTING, None, restarts=self._status.restarts + 1)
        return wait

    def _delay_before_retry(self, reason: str) -> float:
        """Return the seconds until an optional program is started again."""
        wait = self._restart_policy.optional_retry_delay.total_seconds()
        if self._status.state is not ProgramState.WAITING:
            logger.warning(
                "%s does not run: %s; starting it again every %.0f s",
                self.program.name,
                reason,
                wait,
                action="program_waiting",
                program=self.program.name,
            )
        self._set_state(ProgramState.WAITING, None)
        return wait

    async def _run_once(self) -> str:
        """Run the program until it ends; returns how it ended. Cancelling stops the program first."""
        try:
            process = await self._spawn()
        except OSError as error:  # no space for its log, or no further process allowed
            if self._ready_event.is_set():
                return f"cannot be started ({error})"
            raise Unavailable(self.program.name, f"cannot be started ({error})") from error
        try:
            self._set_state(self._status.state, process.pid)
            return await self._wait_for_end(process)
        finally:
            await self._terminate(process)

    async def _wait_for_end(self, process: Process) -> str:
        ended = asyncio.create_task(process.wait())
        probed = asyncio.create_task(self._wait_until_ready())
        tasks: list[asyncio.Task[Any]] = [ended, probed]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                if problem := probed.result():
                    return problem
                self._set_state(ProgramState.READY, process.pid)
                self._ready_event.set()
                hung = asyncio.create_task(self._wait_for_hang())
                tasks.append(hung)
                await asyncio.wait({ended, hung}, return_when=asyncio.FIRST_COMPLETED)
                if not ended.done():
                    return hung.result()
            return f"ended with exit status {ended.result()}"
        finally:
            await cancel_and_wait(tasks, _CANCEL_WAIT_SECONDS)

    async def _wait_for_hang(self) -> str:
        """Return a description once several probes in a row have failed."""
        loop, restarts = asyncio.get_running_loop(), self._restart_policy
        alive, ready_since, missed_probes = self.program.alive_probe or self.program.ready_probe, loop.time(), 0
        while True:
            await asyncio.sleep(min(restarts.probe_interval, restarts.reset_after).total_seconds())
            if loop.time() - ready_since >= restarts.reset_after.total_seconds():
                self._failures, self._failing_since = 0, None
            try:
                problem = await _find_probe_failure(alive) if alive else ""
            except ConfigError as error:
                problem = str(error)
            missed_probes = missed_probes + 1 if problem and not self._describe_full_disk() else 0
            if missed_probes >= restarts.max_missed_probes:
                return f"does not answer any more ({problem})"

    def _append_log_tail(self, reason: str) -> str:
        return f"{reason}. The end of {self._log}:\n{read_last_lines(self._log)}"

    async def _wait_until_ready(self) -> str:
        """Return empty once the program is ready. A timeout at the first start raises, since a restart would not help;
        after a crash the timeout is longer, and its message is returned.
        """
        if self.program.ready_probe is None:
            return ""
        loop = asyncio.get_running_loop()
        been_ready = self._ready_event.is_set()
        within = (
            max(self.program.ready_timeout, self._restart_policy.max_failing_time)
            if been_ready
            else self.program.ready_timeout
        )
        deadline, problem = loop.time() + within.total_seconds(), "no answer"
        while loop.time() < deadline:
            problem = await _find_probe_failure(self.program.ready_probe)
            if not problem:
                return ""
            await asyncio.sleep(_PROBE_INTERVAL_SECONDS)
        message = f"not ready within {within.total_seconds():.0f} s ({problem})"
        if been_ready or self.program.is_optional:
            return message
        raise Unavailable(self.program.name, self._append_log_tail(message))

    async def _spawn(self) -> Process:
        program = self.program
        if (binary := shutil.which(program.argv[0])) is None:
            raise ConfigError(f"{program.name}: there is no program {program.argv[0]!r}")
        rotate_log(self._log)
        with self._log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *_tie_to_parent((binary, *program.argv[1:])),
                env=dict(program.env) if program.env is not None else None,
                cwd=program.cwd,
                stdin=DEVNULL,
                stdout=log,
                stderr=STDOUT,
                start_new_session=True,
            )
        logger.info(
            "%s started as process %d",
            program.name,
            process.pid,
            action="program_started",
            program=program.name,
            pid=process.pid,
        )
        return process

    async def _terminate(self, process: Process) -> None:
        grace = self.program.stop_grace.total_seconds()
        try:
            if process.returncode is None and grace:
                os.kill(process.pid, signal.SIGTERM)
                await asyncio.wait_for(process.wait(), grace)
        except ProcessLookupError:
            logger.debug("%s exited by itself", self.program.name, action="program_ended")
        except TimeoutError:
            logger.warning("%s does not exit after SIGTERM; killing it", self.program.name, action="program_killed")
        finally:
            kill_process_group(process.pid)
            await process.wait()
            for path in self.program.leftover_files:
                path.unlink(missing_ok=True)

    def _set_state(self, state: ProgramState, pid: int | None, restarts: int | None = None) -> None:
        before = self._status
        since = before.since if state is before.state else utc_now()
        times = before.restarts if restarts is None else restarts
        self._status = replace(before, state=state, since=since, pid=pid, restarts=times)
        try:
            self._on_status_change()
        except OSError as error:  # a full disk: the program matters more than its status file
            logger.warning(
                "the status of %s could not be written: %s",
                self.program.name,
                error,
                action="status_not_written",
                program=self.program.name,
            )


def _tie_to_parent(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command line that makes the program die with this process, where the system supports it."""
    if sys.platform != "linux":
        return argv
    return (sys.executable, "-I", "-S", launcher.__file__, str(os.getpid()), *argv)


async def _find_probe_failure(probe: ProgramProbe) -> str:
    """Return what is wrong with the program, empty if nothing. Raises ConfigError for what a retry does not fix."""
    try:
        async with asyncio.timeout(_PROBE_TIMEOUT_SECONDS):
            await probe()
    except TimeoutError:
        return f"no answer within {_PROBE_TIMEOUT_SECONDS:.0f} s"
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001  any error of a client library means a failed probe
        return str(error) or type(error).__name__
    return ""
