"""Children with limits that start at once: they are forked from a process that has loaded what they need.

That process knows no credentials and sees no file; each child is a process of its own under its own limits, as one that
is started anew would be, without the time that takes.
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

from found_footy.platform.process import Ending, Finished, Limits

_PROGRAM = "found_footy.platform.media_warm_child"
# A module in the working directory is not taken for one of ours.
PYTHON_FLAGS = ("-P",)
_READ_AT_ONCE = 64 * 1024
# How long a killed child may take to be gone; after that the process it came from is given up.
_DYING_SECONDS = 60.0
_LOST = str(-signal.SIGKILL.value).encode()


@dataclass(frozen=True)
class _Nursery:
    pid: int
    control: socket.socket


class WarmChildren:
    """Starts that process with the first job, and again when it is gone. Safe from several threads and loops."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._lock = threading.Lock()
        self._nursery: _Nursery | None = None

    async def run(
        self,
        program: str,
        arguments: Sequence[str],
        *,
        timeout: timedelta,  # noqa: ASYNC109
        limits: Limits,
        max_output: int,
        source: str = "",
        folders: Sequence[str] = (),
    ) -> Finished:
        """Call the module's `main` with the arguments in a child that can read the source and write plain files into
        the folders, and reaches nothing else. However that ends, it is gone afterwards.
        """
        request = {
            "program": program, "arguments": list(arguments), "limits": asdict(limits), "source": source,
            "folders": list(folders),
        }  # fmt: skip
        job, output = self._handed(json.dumps(request).encode() + b"\n")
        said, status, ending = bytearray(), b"", Ending.EXITED
        with job, output:
            try:
                async with asyncio.timeout(timeout.total_seconds()):
                    if await _collected(output, said, max_output):
                        ending = Ending.TOO_MUCH_OUTPUT
                    else:
                        status = await _status(job)
            except TimeoutError:
                ending = Ending.TIMED_OUT
            finally:
                status = status or await self._killed(job)
        return Finished(int(status), ending, bytes(said), b"")

    def close(self) -> None:
        """End that process and its children. A later job starts another."""
        with self._lock:
            self._forget()

    def _handed(self, request: bytes) -> tuple[socket.socket, socket.socket]:
        """Our ends of the job's two sockets."""
        (job, theirs), (output, written) = socket.socketpair(), socket.socketpair()
        for ours in (job, output):
            ours.setblocking(False)
        job.sendall(request)
        with theirs, written, self._lock:
            try:
                self._hand([theirs.fileno(), written.fileno()])
            except (BrokenPipeError, ConnectionResetError):
                self._forget()
                self._hand([theirs.fileno(), written.fileno()])
        return job, output

    def _hand(self, sockets: list[int]) -> None:
        if self._nursery is None:
            self._nursery = _started(self._environment)
        socket.send_fds(self._nursery.control, [b"."], sockets)

    def _forget(self) -> None:
        if self._nursery is None:
            return
        self._nursery.control.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._nursery.pid, signal.SIGKILL)
        os.waitpid(self._nursery.pid, 0)
        self._nursery = None

    async def _killed(self, job: socket.socket) -> bytes:
        """Shutting our side has it killed. As if that had happened if nobody is left to tell."""
        job.shutdown(socket.SHUT_WR)
        try:
            async with asyncio.timeout(_DYING_SECONDS):
                return await _status(job) or _LOST
        except TimeoutError:
            self.close()
            return _LOST


def _started(environment: Mapping[str, str]) -> _Nursery:
    ours, theirs = socket.socketpair()
    with theirs:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, *PYTHON_FLAGS, "-m", _PROGRAM],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            ],
            setsid=True,
        )
    return _Nursery(pid, ours)


async def _collected(output: socket.socket, into: bytearray, most: int) -> bool:
    """Read to the end; True if there was more than `most`."""
    loop = asyncio.get_running_loop()
    while chunk := await loop.sock_recv(output, _READ_AT_ONCE):
        room = most - len(into)
        into += chunk[:room]
        if len(chunk) > room:
            return True
    return False


async def _status(job: socket.socket) -> bytes:
    """Its exit status, negative for the signal that killed it; nothing if the process that would tell is gone."""
    try:
        return await asyncio.get_running_loop().sock_recv(job, 16)
    except ConnectionResetError:
        return b""
