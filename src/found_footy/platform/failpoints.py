"""Named points at which a test can kill the process, as a power loss would.

FOOTY_FAILPOINT names the point, FOOTY_FAILPOINT_MARKER the file that proves it was reached. The process kills itself
there once; while the marker file exists, it does not do so again. Unset, as outside tests, a failpoint costs one
comparison.
"""

import os
import signal
from pathlib import Path

_ARMED_FAILPOINT = os.environ.get("FOOTY_FAILPOINT")
_MARKER_PATH = os.environ.get("FOOTY_FAILPOINT_MARKER")


def failpoint(name: str) -> None:
    """Kill the process here if FOOTY_FAILPOINT names this point."""
    if _ARMED_FAILPOINT is None or name != _ARMED_FAILPOINT or _MARKER_PATH is None:
        return
    try:
        descriptor = os.open(Path(_MARKER_PATH), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return
    os.close(descriptor)
    os.kill(os.getpid(), signal.SIGKILL)
