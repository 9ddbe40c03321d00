"""Log files of the supervised programs: one each, of bounded size."""

import shutil
from pathlib import Path

from found_footy.platform.logs import ActionLogger

logger = ActionLogger(__name__)

MAX_LOG_BYTES = 10_000_000
_TAIL_BYTES = 16_000


def rotate_log(path: Path, max_bytes: int = MAX_LOG_BYTES) -> None:
    """Move a log that is too large to `<name>.1`. Its writer appends, so it may write meanwhile.

    If the disk has no space for the copy, only the log's end is kept: an unbounded log would keep the disk full.
    """
    if not path.exists() or path.stat().st_size <= max_bytes:
        return
    aside = path.with_name(f"{path.name}.1")
    try:
        shutil.copyfile(path, aside)
    except OSError as error:
        logger.warning("only the end of %s is kept: %s", path, error, action="log_cut")
        aside.unlink(missing_ok=True)
        end = _read_tail(path)
        _truncate_log(path)
        aside.write_bytes(end)
        return
    _truncate_log(path)


def _truncate_log(path: Path) -> None:
    with path.open("r+b") as log:
        log.truncate(0)


def read_last_lines(path: Path, count: int = 15) -> str:
    """Return the end of the log, for an error message."""
    if not path.exists():
        return "(no log)"
    lines = _read_tail(path).decode(errors="replace").splitlines()
    return "\n".join(lines[-count:]) or "(the log is empty)"


def _read_tail(path: Path) -> bytes:
    with path.open("rb") as log:
        log.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        return log.read()
