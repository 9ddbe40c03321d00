"""What an MP4 file holds besides its pictures, its sound and their index: place and device, notes, hidden bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_HEADER = 8
_LONG_HEADER = 16
_MOST_BOXES = 2_000
# Kinds of boxes that say how to play the file, by what they lie in. A box of another kind may say anything.
_PLAYING = {
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
_CONTAINERS = _PLAYING.keys()
# Padding of more than this may hide something: players skip it.
_PADDING = {"free": 64, "skip": 64, "wide": 8}
_OF_TRACKS = (b"vide", b"soun")
# What FFmpeg writes of itself, which X and we use.
_TOOL = b"Lavf"
_LONGEST_TOOL = 64
# `meta` has a version and flags before what it holds; a handler has those and four bytes more before its type.
_META_PREFIX = 4
_HANDLER_AT = 8


@dataclass(frozen=True)
class _Box:
    kind: str
    start: int
    end: int


def holds_more(path: Path) -> bool:
    """Whether the file holds anything that playing it does not need. True for one that cannot be told."""
    size = path.stat().st_size
    with path.open("rb") as file:
        return not _is_plain(file, _Box("", 0, size))


def _is_plain(file: BinaryIO, box: _Box) -> bool:
    inner = _inside(file, _Box(box.kind, box.start + (_META_PREFIX if box.kind == "meta" else 0), box.end))
    seen: list[str] = []
    for one in inner:
        seen.append(one.kind)
        if one.kind not in _PLAYING[box.kind] or not _is_harmless(file, one, box.kind):
            return False
        if one.kind in _CONTAINERS and not _is_plain(file, one):
            return False
    return len(seen) < _MOST_BOXES and seen.count("moov") <= 1


def _is_harmless(file: BinaryIO, box: _Box, within: str) -> bool:
    if box.kind in _PADDING:
        return box.end - box.start <= _PADDING[box.kind]
    if box.kind == "hdlr" and within == "mdia":
        return _read(file, box, _HANDLER_AT + 4)[_HANDLER_AT:] in _OF_TRACKS
    if box.kind == "\xa9too":
        return box.end - box.start <= _LONGEST_TOOL and _TOOL in _read(file, box, _LONGEST_TOOL)
    return True


def _inside(file: BinaryIO, box: _Box) -> Iterator[_Box]:
    """The boxes in a box. What is no box ends it, as one of a kind that nobody knows."""
    position = box.start
    for _ in range(_MOST_BOXES):
        if position >= box.end:
            return
        file.seek(position)
        header = file.read(min(_LONG_HEADER, box.end - position))
        length, kind = int.from_bytes(header[:4], "big"), header[4:8].decode("latin-1")
        begins = _HEADER
        if length == 1:
            length, begins = int.from_bytes(header[8:16], "big"), _LONG_HEADER
        if length == 0:  # to the end of what it lies in
            length = box.end - position
        if length < begins or len(header) < _HEADER or position + length > box.end:
            yield _Box("", position, box.end)
            return
        yield _Box(kind, position + begins, position + length)
        position += length


def _read(file: BinaryIO, box: _Box, most: int) -> bytes:
    file.seek(box.start)
    return file.read(min(most, box.end - box.start))
