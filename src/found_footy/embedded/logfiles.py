"""Logs of the supervised programs: one file each, bounded."""

import shutil
from pathlib import Path

LARGEST_LOG = 10_000_000
_TAIL_BYTES = 16_000


def bound(path: Path, largest: int = LARGEST_LOG) -> None:
    """Move a log that grew too large aside, as `<name>.1`. Its writer appends, so it may go on writing meanwhile."""
    if path.exists() and path.stat().st_size > largest:
        shutil.copyfile(path, path.with_name(f"{path.name}.1"))
        with path.open("r+b") as log:
            log.truncate(0)


def last_lines(path: Path, count: int = 15) -> str:
    """The end of the log, for an error that a person reads."""
    if not path.exists():
        return "(no log)"
    with path.open("rb") as log:
        log.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        lines = log.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-count:]) or "(the log is empty)"
