"""Run as a script: applies the limits given by its first argument, then executes the program named by the rest.

It is a separate program because code between fork and exec is not safe in a process with many threads.
"""

import ctypes
import json
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_EXIT_NOT_STARTED = 127


def _set_limit(kind: int, value: int | None) -> None:
    if value is None:
        return
    _, hard = resource.getrlimit(kind)
    ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (ceiling, ceiling))


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies. To be repeated after a change of user, which clears the
    setting.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != parent:  # it died before the call
        sys.exit(_EXIT_NOT_STARTED)


def restrict_process(limits: dict[str, int | None], parent: int) -> None:
    """Limit this process permanently, and let it die with its parent."""
    die_with_parent(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _set_limit(resource.RLIMIT_AS, limits["memory"])
    _set_limit(resource.RLIMIT_CPU, limits["cpu_seconds"])
    _set_limit(resource.RLIMIT_FSIZE, limits["file_size"])
    _set_limit(resource.RLIMIT_NOFILE, limits["open_files"])
    _set_limit(resource.RLIMIT_NPROC, limits["processes"])


def main(limits_json: str, program: list[str]) -> None:
    limits = json.loads(limits_json)
    restrict_process(limits, limits.pop("parent"))
    os.execv(program[0], program)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
