"""Reads the top-level boxes of an MP4 file: whether it is one, and whether it plays before it is loaded completely."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_HEADER_BYTES = 8
_LONG_HEADER_BYTES = 16
_MAX_BOXES = 1_000


def is_mp4(path: Path) -> bool:
    """Whether the file begins like an MP4; an error page or a playlist does not."""
    with path.open("rb") as file:
        start = file.read(_HEADER_BYTES + 4)
    return len(start) == _HEADER_BYTES + 4 and start[4:8] == b"ftyp"


def is_faststart(path: Path) -> bool:
    """Whether the index (`moov`) precedes the media data, so that a browser can play from the first bytes."""
    with path.open("rb") as file:
        for kind, _ in _iterate_boxes(file, path.stat().st_size):
            if kind in (b"moov", b"mdat"):
                return kind == b"moov"
    return False


def count_missing_bytes(path: Path) -> int:
    """Return how many bytes of the index or the media data lie beyond the end of the file; more than 0 if it is
    truncated.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        ends = [end for kind, end in _iterate_boxes(file, size) if kind in (b"moov", b"mdat")]
    return max(0, *(end - size for end in ends)) if ends else 0


def _iterate_boxes(file: BinaryIO, size: int) -> Iterator[tuple[bytes, int]]:
    """Yield the type and the end offset of each box."""
    position = 0
    for _ in range(_MAX_BOXES):
        file.seek(position)
        header = file.read(_LONG_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or position >= size:
            return
        length = int.from_bytes(header[:4], "big")
        if length == 1:
            length = int.from_bytes(header[8:16], "big")
        yield header[4:8], position + length
        if length < _HEADER_BYTES:  # 0 means "to the end of the file"; anything else below a header is garbage
            return
        position += length
