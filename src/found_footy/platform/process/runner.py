"""Runs child processes with limits, a deadline and capped output; they die with their parent."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from found_footy.platform.errors import NotFound

_LAUNCHER = Path(__file__).with_name("launcher.py")
_DEFAULT_MAX_OUTPUT = 1024 * 1024
_READ_BYTES = 64 * 1024
_INHERITED_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "HOME")


@dataclass(frozen=True)
class ProcessLimits:
    """Kernel limits of the child. None leaves a limit unchanged. `processes` counts processes and threads of the whole
    user: with 0 the child can start neither.
    """

    memory: int | None = None
    cpu_seconds: int | None = None
    file_size: int | None = None
    open_files: int | None = None
    processes: int | None = None


class ProcessOutcome(StrEnum):
    EXITED = "exited"
    TIMED_OUT = "timed_out"
    TOO_MUCH_OUTPUT = "too_much_output"


@dataclass(frozen=True)
class ProcessResult:
    """How a child ended. `exit_code` is negative for the signal that killed it."""

    exit_code: int
    outcome: ProcessOutcome
    stdout: bytes
    stderr: bytes

    @property
    def is_success(self) -> bool:
        return self.outcome is ProcessOutcome.EXITED and self.exit_code == 0


async def run_process(
    arguments: Sequence[str | Path],
    *,
    timeout: timedelta,  # noqa: ASYNC109
    limits: ProcessLimits | None = None,
    stdin: bytes = b"",
    max_output: int = _DEFAULT_MAX_OUTPUT,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> ProcessResult:
    """Run a program to its end. Failure, timeout and too much output are results, not errors.

    The child gets its own session, so that its children die with it, and only harmless environment variables unless
    `environment` is given. To be called from a thread that lives as long as the child: the kernel kills the child when
    that thread ends. Raises NotFound if there is no such program.
    """
    process = await asyncio.create_subprocess_exec(
        *_launcher_command(arguments, limits or ProcessLimits()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_inherited_environment() if environment is None else dict(environment),
        cwd=folder,
        start_new_session=True,
    )
    stdout, stderr = bytearray(), bytearray()
    try:
        async with asyncio.timeout(timeout.total_seconds()):
            excess = await asyncio.gather(
                _collect_output(process, process.stdout, stdout, max_output),
                _collect_output(process, process.stderr, stderr, max_output),
                _write_stdin(process.stdin, stdin),
            )
            await process.wait()
        ending = ProcessOutcome.TOO_MUCH_OUTPUT if any(excess) else ProcessOutcome.EXITED
    except TimeoutError:
        ending = ProcessOutcome.TIMED_OUT
    finally:
        _kill_group(process)
        code = await process.wait()
    return ProcessResult(code, ending, bytes(stdout), bytes(stderr))


def _launcher_command(arguments: Sequence[str | Path], limits: ProcessLimits) -> list[str]:
    program = shutil.which(str(arguments[0]))
    if program is None:
        raise NotFound(f"there is no program {arguments[0]} on this machine")
    limits_json = json.dumps({"parent": os.getpid(), **asdict(limits)})
    return [sys.executable, "-I", "-S", str(_LAUNCHER), limits_json, program, *map(str, arguments[1:])]


def _inherited_environment() -> dict[str, str]:
    return {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}


async def _write_stdin(pipe: asyncio.StreamWriter | None, data: bytes) -> bool:
    if pipe is None:
        return False
    # A child may close its input early; that is no error.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        pipe.write(data)
        await pipe.drain()
    pipe.close()
    return False


async def _collect_output(
    process: asyncio.subprocess.Process, pipe: asyncio.StreamReader | None, into: bytearray, max_bytes: int
) -> bool:
    """Read a pipe to its end; True if there was more than `max_bytes`, in which case the child is killed."""
    while pipe is not None and (chunk := await pipe.read(_READ_BYTES)):
        space = max_bytes - len(into)
        into += chunk[:space]
        if len(chunk) > space:
            _kill_group(process)
            return True
    return False


def _kill_group(process: asyncio.subprocess.Process) -> None:
    """Kill the child and its children. It leads a process group, which may outlive it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
