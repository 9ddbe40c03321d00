"""Named places where a test can make the process die as if its plug were pulled.

FOOTY_FAILPOINT names the place, FOOTY_FAILPOINT_MARKER the file that proves it was reached. The process kills itself
there once; while the marker exists, it does not do so again. Unset, as it always is outside tests, a place costs one
comparison.
"""

import os
import signal
from pathlib import Path

_ARMED_FAILPOINT = os.environ.get("FOOTY_FAILPOINT")
_MARKER_PATH = os.environ.get("FOOTY_FAILPOINT_MARKER")


def failpoint(name: str) -> None:
    """Die here if this place was named."""
    if _ARMED_FAILPOINT is None or name != _ARMED_FAILPOINT or _MARKER_PATH is None:
        return
    try:
        descriptor = os.open(Path(_MARKER_PATH), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return
    os.close(descriptor)
    os.kill(os.getpid(), signal.SIGKILL)
