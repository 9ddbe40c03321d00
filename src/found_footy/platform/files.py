"""Atomic file writes, and directories that only their owner may enter."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter
from pathlib import Path

from found_footy.platform.errors import ConfigError

_MAX_PREFIX_LENGTH = 100
_OWNER_ONLY_MODE = 0o700
_SHARED_MODE_BITS = 0o077


@contextmanager
def write_atomically(path: Path) -> Iterator[BufferedWriter]:
    """Open a file that is renamed to `path` when the block succeeds and deleted when it fails. Only its owner may read
    and write it.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_MAX_PREFIX_LENGTH]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_private(path: Path, text: str) -> None:
    """Write a small file that only its owner may read: after a crash it has the old content or the new, on the disk."""
    with write_atomically(path) as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def ensure_private_dir(path: Path) -> Path:
    """Create the directory `path` if it is missing and give access to its owner alone, also if it existed with wider
    access.

    Raises ConfigError if it belongs to another user or is shared on purpose, as /tmp is.
    """
    path.mkdir(mode=_OWNER_ONLY_MODE, parents=True, exist_ok=True)
    found = path.stat()
    if os.geteuid() not in (0, found.st_uid):
        raise ConfigError(f"{path} belongs to another user (number {found.st_uid}); choose another directory")
    if not found.st_mode & _SHARED_MODE_BITS:
        return path
    if found.st_mode & stat.S_ISVTX or path.resolve() in (Path.home(), Path(path.anchor)):
        raise ConfigError(f"{path} is shared with other programs; choose a directory in it")
    try:
        path.chmod(_OWNER_ONLY_MODE)
    except OSError as error:
        raise ConfigError(
            f"{path} is accessible to other users, and its permissions cannot be changed ({error.strerror})"
        ) from error
    return path


def ensure_private_dir_if_owned(path: Path) -> Path:
    """Like `ensure_private_dir`, but leave a directory of another owner, such as a container's volume, as it is."""
    path.mkdir(mode=_OWNER_ONLY_MODE, parents=True, exist_ok=True)
    return ensure_private_dir(path) if path.stat().st_uid == os.geteuid() else path
