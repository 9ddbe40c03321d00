"""Files that are either whole or not there, and directories that only their owner may enter."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter
from pathlib import Path

from found_footy.platform.errors import ConfigError

_LONGEST_NAME_PART = 100
_OWNER_ONLY = 0o700
_GROUP_AND_OTHERS = 0o077


@contextmanager
def appearing(path: Path) -> Iterator[BufferedWriter]:
    """A file to write that takes the name `path` when the block ends well; otherwise nothing is left of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_LONGEST_NAME_PART]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def private_dir(path: Path) -> Path:
    """The directory `path`, made if it is missing, with access for its owner alone, even if it was there with more.

    ConfigError where that cannot or must not be: it belongs to another user, or is shared on purpose, as /tmp is.
    """
    path.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    found = path.stat()
    if os.geteuid() not in (0, found.st_uid):
        raise ConfigError(f"{path} belongs to another user (number {found.st_uid}); choose another directory")
    if not found.st_mode & _GROUP_AND_OTHERS:
        return path
    if found.st_mode & stat.S_ISVTX or path.resolve() in (Path.home(), Path(path.anchor)):
        raise ConfigError(f"{path} is not for one program alone; choose a directory in it")
    try:
        path.chmod(_OWNER_ONLY)
    except OSError as error:
        raise ConfigError(f"{path} is open to other users and cannot be closed ({error.strerror})") from error
    return path


def private_if_ours(path: Path) -> Path:
    """As `private_dir`, but a directory that somebody else has set up for us, such as a volume of a container, stays as
    it is.
    """
    path.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    return private_dir(path) if path.stat().st_uid == os.geteuid() else path
