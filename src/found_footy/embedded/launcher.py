"""Executes another program that dies when its parent dies.

Run as a script: `launcher.py <pid of the parent> <program> <argument>…`

A separate process instead of a hook after fork: Python code between fork and exec may hang in a parent with threads.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent_pid: int, argv: list[str]) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
    # The parent may have died before the call above: then the signal would never be sent.
    if os.getppid() != parent_pid:
        sys.exit("the parent process has exited")
    os.execv(argv[0], argv)  # noqa: S606  the caller chose the program


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
