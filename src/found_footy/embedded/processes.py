"""Process facts from the operating system: identity and memory."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from found_footy.platform.errors import Conflict

_PS_PATH = "/bin/ps"
_PS_TIMEOUT_SECONDS = 5.0
_POLL_INTERVAL_SECONDS = 0.02
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_START_TICKS_INDEX = 19  # position in /proc/<pid>/stat, counted after the closing parenthesis of the name
_RESIDENT_PAGES_INDEX = 1  # position in /proc/<pid>/statm


def process_start_time(pid: int) -> str | None:
    """Return when `pid` started: pid and start time identify a process uniquely. None if there is no such process."""
    if pid <= 0:
        return None
    return _read_proc_start_time(pid) if sys.platform == "linux" else _query_ps(pid, "lstart")


def is_same_process(pid: int, start_time: str | None) -> bool:
    """Whether `pid` is alive and is the process that started at `start_time`."""
    return start_time is not None and process_start_time(pid) == start_time


def resident_bytes(pid: int) -> int | None:
    """Resident memory of `pid`, None once it has exited."""
    return _read_proc_resident_bytes(pid) if sys.platform == "linux" else _read_ps_resident_bytes(pid)


def kill_process_group(pid: int) -> None:
    """Kill `pid` and its process group. A missing group is no error."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    except PermissionError:  # macOS raises this for a group of zombies
        return


def kill_leftover_process(pid: int, start_time: str, timeout: float = 5.0) -> bool:
    """Kill a process of an earlier run if it is still that process; True if there was one."""
    if not is_same_process(pid, start_time):
        return False
    kill_process_group(pid)
    deadline = time.monotonic() + timeout
    while is_same_process(pid, start_time):
        if time.monotonic() > deadline:
            raise Conflict(f"process {pid} of an earlier run cannot be stopped; stop it by hand")
        time.sleep(_POLL_INTERVAL_SECONDS)
    return True


def _read_proc_start_time(pid: int) -> str | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    if fields[0] in "ZX":
        return None
    return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}/{fields[_START_TICKS_INDEX]}"


def _read_proc_resident_bytes(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[_RESIDENT_PAGES_INDEX]) * _PAGE_BYTES
    except (FileNotFoundError, ProcessLookupError):
        return None


def _read_ps_resident_bytes(pid: int) -> int | None:
    kilobytes = _query_ps(pid, "rss")
    return int(kilobytes) * 1024 if kilobytes else None


def _query_ps(pid: int, column: str) -> str | None:
    answer = subprocess.run(  # noqa: S603  a fixed program and a number
        [_PS_PATH, "-o", f"{column}=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_PS_TIMEOUT_SECONDS,
    )
    return answer.stdout.strip() or None
