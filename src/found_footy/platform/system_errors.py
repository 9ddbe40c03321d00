"""Distinguishes errors of this machine from errors of a file, by one rule for every program that opens a file.

A full disk, a missing file or an exhausted file table says nothing about a clip. Denied memory or access, and a failed
read, may be the machine's fault or the file's: an untrusted file can request any amount of memory, and can make a
decoder try what it may not.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from found_footy.platform.errors import DiskFailed

# Fault names of the child programs.
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
    """`machine` if the error is this machine's, `crashed` if it may be, None if it is about the file.

    The decoder's errors carry the errno if they come from the system.
    """
    number = getattr(error, "errno", None)
    if number in _MACHINE_ERRNOS:
        return MACHINE_FAULT
    return CRASH_FAULT if isinstance(error, MemoryError) or number in _AMBIGUOUS_ERRNOS else None


@contextmanager
def translate_disk_errors() -> Iterator[None]:
    """Raise disk errors in this block as DiskFailed, which is retried and never counts against a clip."""
    try:
        yield
    except OSError as error:
        if classify_system_error(error) is None:
            raise
        raise DiskFailed("disk", str(error)) from error
