"""Finds data in an MP4 file that playback does not need: location, device, notes, hidden bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_HEADER_BYTES = 8
_LONG_HEADER_BYTES = 16
_MAX_BOXES = 2_000
# Box types needed for playback, by their parent. A box of another type may hold anything.
_PLAYBACK_BOXES = {
    "": {"ftyp", "styp", "moov", "moof", "mdat", "sidx", "mfra", "free", "skip", "wide"},
    "moov": {"mvhd", "iods", "trak", "mvex", "udta", "free"},
    "trak": {"tkhd", "edts", "mdia"},
    "mdia": {"mdhd", "hdlr", "minf"},
    "minf": {"vmhd", "smhd", "dinf", "stbl"},
    "stbl": {"stsd", "stts", "ctts", "stsc", "stsz", "stz2", "stco", "co64", "stss", "sdtp", "sgpd", "sbgp", "cslg"},
    "udta": {"meta"},
    "meta": {"hdlr", "ilst", "free"},
    "ilst": {"\xa9too"},
}
_CONTAINER_BOXES = _PLAYBACK_BOXES.keys()
# Larger padding may hide data: players skip it.
_MAX_PADDING_BYTES = {"free": 64, "skip": 64, "wide": 8}
_TRACK_HANDLERS = (b"vide", b"soun")
# The encoder tag that FFmpeg writes, which X and we use.
_ENCODER_TAG = b"Lavf"
_MAX_ENCODER_TAG_BYTES = 64
# `meta` has a version and flags before its children; a handler has those and four more bytes before its type.
_META_PREFIX_BYTES = 4
_HANDLER_OFFSET = 8


@dataclass(frozen=True)
class _Box:
    kind: str
    start: int
    end: int


def has_extra_data(path: Path) -> bool:
    """Whether the file holds anything that playback does not need. True if it cannot be parsed."""
    size = path.stat().st_size
    with path.open("rb") as file:
        return not _has_only_playback_boxes(file, _Box("", 0, size))


def _has_only_playback_boxes(file: BinaryIO, box: _Box) -> bool:
    inner = _child_boxes(file, _Box(box.kind, box.start + (_META_PREFIX_BYTES if box.kind == "meta" else 0), box.end))
    seen: list[str] = []
    for one in inner:
        seen.append(one.kind)
        if one.kind not in _PLAYBACK_BOXES[box.kind] or not _is_harmless(file, one, box.kind):
            return False
        if one.kind in _CONTAINER_BOXES and not _has_only_playback_boxes(file, one):
            return False
    return len(seen) < _MAX_BOXES and seen.count("moov") <= 1


def _is_harmless(file: BinaryIO, box: _Box, within: str) -> bool:
    if box.kind in _MAX_PADDING_BYTES:
        return box.end - box.start <= _MAX_PADDING_BYTES[box.kind]
    if box.kind == "hdlr" and within == "mdia":
        return _read_box(file, box, _HANDLER_OFFSET + 4)[_HANDLER_OFFSET:] in _TRACK_HANDLERS
    if box.kind == "\xa9too":
        return box.end - box.start <= _MAX_ENCODER_TAG_BYTES and _ENCODER_TAG in _read_box(
            file, box, _MAX_ENCODER_TAG_BYTES
        )
    return True


def _child_boxes(file: BinaryIO, box: _Box) -> Iterator[_Box]:
    """Yield the child boxes of a box. Invalid data ends the iteration with a box of unknown type."""
    position = box.start
    for _ in range(_MAX_BOXES):
        if position >= box.end:
            return
        file.seek(position)
        header = file.read(min(_LONG_HEADER_BYTES, box.end - position))
        length, kind = int.from_bytes(header[:4], "big"), header[4:8].decode("latin-1")
        begins = _HEADER_BYTES
        if length == 1:
            length, begins = int.from_bytes(header[8:16], "big"), _LONG_HEADER_BYTES
        if length == 0:  # extends to the end of its parent
            length = box.end - position
        if length < begins or len(header) < _HEADER_BYTES or position + length > box.end:
            yield _Box("", position, box.end)
            return
        yield _Box(kind, position + begins, position + length)
        position += length


def _read_box(file: BinaryIO, box: _Box, max_bytes: int) -> bytes:
    file.seek(box.start)
    return file.read(min(max_bytes, box.end - box.start))
