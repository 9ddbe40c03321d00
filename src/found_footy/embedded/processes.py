"""What the operating system knows of a process: is it still the one we started, and how much memory does it hold."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from found_footy.platform.errors import Conflict

_PS = "/bin/ps"
_PS_TIMEOUT_SECONDS = 5.0
_POLL_SECONDS = 0.02
_PAGE = os.sysconf("SC_PAGE_SIZE")
_START_TICKS = 19  # position in /proc/<pid>/stat, counted after the closing parenthesis of the name
_RESIDENT_PAGES = 1  # position in /proc/<pid>/statm


def birth_of(pid: int) -> str | None:
    """When `pid` began: together, the two name one process for ever. None if there is no such process."""
    if pid <= 0:
        return None
    return _linux_birth(pid) if sys.platform == "linux" else _ps(pid, "lstart")


def is_same(pid: int, birth: str | None) -> bool:
    """Whether `pid` is alive and still the process that began at `birth`."""
    return birth is not None and birth_of(pid) == birth


def resident_bytes(pid: int) -> int | None:
    """Memory that `pid` holds, None once it is gone."""
    return _linux_resident(pid) if sys.platform == "linux" else _ps_resident(pid)


def kill_group(pid: int) -> None:
    """End `pid` and whatever it started in its session, at once. A group that is gone is no error."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    except PermissionError:  # macOS answers so for a group of zombies
        return


def kill_leftover(pid: int, birth: str, patience: float = 5.0) -> bool:
    """Kill a process of an earlier run, if it still is that process; True if there was one."""
    if not is_same(pid, birth):
        return False
    kill_group(pid)
    deadline = time.monotonic() + patience
    while is_same(pid, birth):
        if time.monotonic() > deadline:
            raise Conflict(f"process {pid} of an earlier run cannot be ended; end it by hand")
        time.sleep(_POLL_SECONDS)
    return True


def _linux_birth(pid: int) -> str | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    if fields[0] in "ZX":
        return None
    return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}/{fields[_START_TICKS]}"


def _linux_resident(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[_RESIDENT_PAGES]) * _PAGE
    except (FileNotFoundError, ProcessLookupError):
        return None


def _ps_resident(pid: int) -> int | None:
    kilobytes = _ps(pid, "rss")
    return int(kilobytes) * 1024 if kilobytes else None


def _ps(pid: int, column: str) -> str | None:
    answer = subprocess.run(  # noqa: S603  a fixed program and a number
        [_PS, "-o", f"{column}=", "-p", str(pid)],
        capture_output=True, text=True, check=False, timeout=_PS_TIMEOUT_SECONDS,
    )  # fmt: skip
    return answer.stdout.strip() or None
