"""One supervisor per data directory: two of the servers would start twice on the same files."""

import fcntl
import os
from pathlib import Path

from found_footy.platform.errors import Conflict

_LOCK_FILE = "supervisor.lock"


class DataDirLock:
    """Held until the process ends, however it ends. The file contains the holder's pid."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / _LOCK_FILE
        self._descriptor: int | None = None

    def acquire(self) -> None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise Conflict(
                f"{self._path.parent} is in use by process {self._read_holder_pid()}; stop that process first"
            ) from error
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        """The file is kept: removing it would let two processes lock two different files of the same name."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _read_holder_pid(self) -> str:
        return self._path.read_text().strip() or "unknown"
