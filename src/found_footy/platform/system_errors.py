"""Errors of this machine, told apart from what a file says of itself. One rule for every program that opens a file.

A full disk, a missing file or a used-up table of handles says nothing about a clip. Memory or access that is refused,
and a failed read, may be the machine's fault or the file's: a stranger's file can ask for any amount of memory, and can
make a decoder try what it may not.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from found_footy.platform.errors import DiskFailed

# Faults as the child programs name them.
MACHINE_FAULT = "machine"
CRASH_FAULT = "crashed"

_MACHINE_ERRNOS = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EROFS,
        errno.ENOENT,
        errno.ESTALE,
        errno.EMFILE,
        errno.ENFILE,
    }
)
_AMBIGUOUS_ERRNOS = frozenset({errno.ENOMEM, errno.EIO, errno.EACCES, errno.EPERM, errno.EAGAIN, errno.EINTR})


def classify_system_error(error: BaseException) -> str | None:
    """`machine` if the error is this machine's own, `crashed` if it may be, None if it is about the file.

    The decoder's errors carry the number of the system's error where they come from the system.
    """
    number = getattr(error, "errno", None)
    if number in _MACHINE_ERRNOS:
        return MACHINE_FAULT
    return CRASH_FAULT if isinstance(error, MemoryError) or number in _AMBIGUOUS_ERRNOS else None


@contextmanager
def translate_disk_errors() -> Iterator[None]:
    """What the disk refuses in this block is DiskFailed, which is tried again and never blamed on a clip."""
    try:
        yield
    except OSError as error:
        if classify_system_error(error) is None:
            raise
        raise DiskFailed("disk", str(error)) from error
