"""The fork server process: it has loaded the programs for untrusted files, opens no file itself, and forks for each job
a child that limits and confines itself before it opens one.

`python -m found_footy.platform.process.fork_server_child` receives jobs on the socket that is its standard input, and
exits, its children with it, when that is closed. It has no threads, so that forking is safe.
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
    """Take over the control socket; children do not inherit what the parent left open."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(3, min(most, _MAX_FILES) if most != resource.RLIM_INFINITY else _MAX_FILES)
    with socket.socket(fileno=0) as control:
        return _ForkServerLoop(control).serve()


class _ForkServerLoop:
    """A job is one byte with two sockets. The first holds its request, a line of JSON; the exit status is sent back on
    it, and the child is killed when the caller shuts down its side. The second is the child's output.
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
                    return 0  # the kernel signals the children

    def _kill_abandoned(self, pid: int, job: object) -> None:
        """Kill a child whose caller has gone. One that exited in the same round has been removed already."""
        if self._jobs.get(pid) is job:
            self._selector.unregister(self._jobs[pid])
            _kill_group(pid)

    def _accept_job(self) -> bool:
        """Fork a child for the next job; False if the control socket is closed."""
        wakeup, descriptors, _, _ = socket.recv_fds(self._control, 1, 2)
        if not wakeup:
            return False
        job, output = (socket.socket(fileno=number) for number in descriptors)
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
        """Run the program and never return: the parent's code must not continue in the child."""
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
        """Handle exited children before waiting for them: until then their pid is not reused."""
        while self._jobs:
            exited = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if exited is None:
                return
            _kill_group(exited.si_pid)
            _, status = os.waitpid(exited.si_pid, 0)
            job = self._jobs.pop(exited.si_pid)
            for folder in self._folders.pop(exited.si_pid):
                restore_ownership(folder)
            if job in self._selector.get_map():
                self._selector.unregister(job)
            with job, contextlib.suppress(BrokenPipeError, ConnectionResetError):
                job.send(str(os.waitstatus_to_exitcode(status)).encode())


def _redirect_output(output: socket.socket) -> None:
    """No input, output to the socket, library messages discarded. Standard input has been closed."""
    devnull = os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor, that of standard input
    os.dup2(output.fileno(), 1)
    os.dup2(devnull, 2)
    output.close()


def _kill_group(pid: int) -> None:
    """Kill the child and the processes it started."""
    for kill in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
