"""A fork server for sandboxed child processes: children are forked from a process that has loaded their modules.

The fork server has no credentials and opens no file. Each child is a separate process under its own limits, without the
start-up time of a new interpreter.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from found_footy.platform.process.runner import ProcessLimits, ProcessOutcome, ProcessResult

_SERVER_MODULE = "found_footy.platform.process.fork_server_child"
# Keep the working directory off the module path.
PYTHON_FLAGS = ("-P",)
_READ_BYTES = 64 * 1024
# How long a killed child may take to exit; after that the fork server itself is killed.
_KILL_TIMEOUT_SECONDS = 60.0
_LOST_STATUS = str(-signal.SIGKILL.value).encode()


@dataclass(frozen=True)
class _ForkServerProcess:
    pid: int
    control: socket.socket


class ForkServer:
    """Starts the fork server process with the first job, and again when it has died. Safe from several threads and
    event loops.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._lock = threading.Lock()
        self._server: _ForkServerProcess | None = None

    async def run_module(
        self,
        module: str,
        arguments: Sequence[str],
        *,
        timeout: timedelta,  # noqa: ASYNC109
        limits: ProcessLimits,
        max_output: int,
        source: str = "",
        folders: Sequence[str] = (),
    ) -> ProcessResult:
        """Call the module's `main` with the arguments in a child that can read the source, write plain files into the
        folders, and has no other access. The child has exited when this returns.
        """
        request = {
            "program": module,
            "arguments": list(arguments),
            "limits": asdict(limits),
            "source": source,
            "folders": list(folders),
        }
        job, output = self._submit_request(json.dumps(request).encode() + b"\n")
        output_bytes, status, ending = bytearray(), b"", ProcessOutcome.EXITED
        with job, output:
            try:
                async with asyncio.timeout(timeout.total_seconds()):
                    if await _collect_output(output, output_bytes, max_output):
                        ending = ProcessOutcome.TOO_MUCH_OUTPUT
                    else:
                        status = await _receive_status(job)
            except TimeoutError:
                ending = ProcessOutcome.TIMED_OUT
            finally:
                status = status or await self._kill_job(job)
        return ProcessResult(int(status), ending, bytes(output_bytes), b"")

    def close(self) -> None:
        """Kill the fork server and its children. A later job starts another."""
        with self._lock:
            self._kill_server()

    def _submit_request(self, request: bytes) -> tuple[socket.socket, socket.socket]:
        """Returns our ends of the job's two sockets."""
        (job, theirs), (output, written) = socket.socketpair(), socket.socketpair()
        for ours in (job, output):
            ours.setblocking(False)
        job.sendall(request)
        with theirs, written, self._lock:
            try:
                self._send_sockets([theirs.fileno(), written.fileno()])
            except (BrokenPipeError, ConnectionResetError):
                self._kill_server()
                self._send_sockets([theirs.fileno(), written.fileno()])
        return job, output

    def _send_sockets(self, sockets: list[int]) -> None:
        if self._server is None:
            self._server = _start_server(self._environment)
        socket.send_fds(self._server.control, [b"."], sockets)

    def _kill_server(self) -> None:
        if self._server is None:
            return
        self._server.control.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._server.pid, signal.SIGKILL)
        os.waitpid(self._server.pid, 0)
        self._server = None

    async def _kill_job(self, job: socket.socket) -> bytes:
        """Shutting down our side makes the fork server kill the child. Reports a lost child if the server does not
        answer.
        """
        job.shutdown(socket.SHUT_WR)
        try:
            async with asyncio.timeout(_KILL_TIMEOUT_SECONDS):
                return await _receive_status(job) or _LOST_STATUS
        except TimeoutError:
            self.close()
            return _LOST_STATUS


def _start_server(environment: Mapping[str, str]) -> _ForkServerProcess:
    ours, theirs = socket.socketpair()
    with theirs:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, *PYTHON_FLAGS, "-m", _SERVER_MODULE],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            ],
            setsid=True,
        )
    return _ForkServerProcess(pid, ours)


async def _collect_output(output: socket.socket, into: bytearray, max_bytes: int) -> bool:
    """Read to the end; True if there was more than `max_bytes`."""
    loop = asyncio.get_running_loop()
    while chunk := await loop.sock_recv(output, _READ_BYTES):
        space = max_bytes - len(into)
        into += chunk[:space]
        if len(chunk) > space:
            return True
    return False


async def _receive_status(job: socket.socket) -> bytes:
    """The exit status, negative for the signal that killed the child; empty if the fork server is gone."""
    try:
        return await asyncio.get_running_loop().sock_recv(job, 16)
    except ConnectionResetError:
        return b""
