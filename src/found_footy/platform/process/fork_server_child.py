"""The process that programs for strangers' files are started from: it has loaded them, opens no file itself, and forks
for each job a child that limits and confines itself before it opens one.

`python -m found_footy.platform.process.fork_server_child` takes its jobs from the socket that is its standard input,
and ends when that is closed, its children with it. It stays without threads, so that forking is safe.
"""

import contextlib
import importlib
import json
import os
import resource
import selectors
import signal
import socket
import sys
from types import ModuleType
from typing import Any

from found_footy.platform.process.launcher import restrict_process
from found_footy.platform.process.sandbox import confine_process, restore_ownership

_MAX_FILES = 2**20


def main() -> int:
    """What the parent left open is not for its children."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(3, min(most, _MAX_FILES) if most != resource.RLIM_INFINITY else _MAX_FILES)
    with socket.socket(fileno=0) as control:
        return _ForkServerLoop(control).serve()


class _ForkServerLoop:
    """A job comes as one byte with two sockets. On the first its request waits already, a line of JSON; how it ended
    is said there in the end, and a parent that shuts its side has it killed. The second is the child's output.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._jobs: dict[int, socket.socket] = {}
        self._folders: dict[int, list[str]] = {}
        self._wakeup_reader, self._wakeup_writer = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._wakeup_reader, selectors.EVENT_READ)
        self._wakeup_writer.setblocking(False)
        signal.set_wakeup_fd(self._wakeup_writer.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> int:
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._wakeup_reader:
                    self._wakeup_reader.recv(4096)
                    self._reap_children()
                elif key.fileobj is not self._control:
                    self._kill_abandoned(key.data, key.fileobj)
                elif not self._accept_job():
                    return 0  # children are told by the kernel

    def _kill_abandoned(self, pid: int, job: object) -> None:
        """Kill a child whose caller has gone. One that ended by itself in the same round is forgotten already."""
        if self._jobs.get(pid) is job:
            self._selector.unregister(self._jobs[pid])
            _kill_group(pid)

    def _accept_job(self) -> bool:
        """False if there will be no more."""
        wakeup, handed, _, _ = socket.recv_fds(self._control, 1, 2)
        if not wakeup:
            return False
        job, output = (socket.socket(fileno=number) for number in handed)
        with job.makefile("rb") as lines:
            request = json.loads(lines.readline())
        program, parent = importlib.import_module(request["program"]), os.getpid()
        pid = os.fork()
        if pid == 0:
            self._run_child(program, request, parent, output, job)
        output.close()
        self._jobs[pid], self._folders[pid] = job, request["folders"]
        self._selector.register(job, selectors.EVENT_READ, pid)
        return True

    def _run_child(
        self, program: ModuleType, request: dict[str, Any], parent: int, output: socket.socket, job: socket.socket
    ) -> None:
        """Run the program and never return: nothing of the parent may go on here."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            restrict_process(request["limits"], parent)
            self._close_inherited(job)
            _redirect_output(output)
            code = program.main(confine_process(request["source"], request["folders"], request["arguments"]))
            sys.stdout.flush()
        finally:
            os._exit(code)

    def _close_inherited(self, job: socket.socket) -> None:
        self._selector.close()
        for handle in (self._control, self._wakeup_reader, self._wakeup_writer, job, *self._jobs.values()):
            handle.close()

    def _reap_children(self) -> None:
        """Look at the dead before they are gone for good: until then their number is nobody else's."""
        while self._jobs:
            dead = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if dead is None:
                return
            _kill_group(dead.si_pid)
            _, status = os.waitpid(dead.si_pid, 0)
            job = self._jobs.pop(dead.si_pid)
            for folder in self._folders.pop(dead.si_pid):
                restore_ownership(folder)
            if job in self._selector.get_map():
                self._selector.unregister(job)
            with job, contextlib.suppress(BrokenPipeError, ConnectionResetError):
                job.send(str(os.waitstatus_to_exitcode(status)).encode())


def _redirect_output(output: socket.socket) -> None:
    """Nothing to read, the output where it is wanted, and no complaints of libraries. The input has been closed."""
    nothing = os.open(os.devnull, os.O_RDWR)  # the first that is free, which is that of the input
    os.dup2(output.fileno(), 1)
    os.dup2(nothing, 2)
    output.close()


def _kill_group(pid: int) -> None:
    """The child, and what it may have started."""
    for kill in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
