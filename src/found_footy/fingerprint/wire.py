"""A fingerprint as bytes: versioned, checked, compressed; about 0.8 KB for a second of video.

A head that never changes says which algorithm made it; the rest belongs to that algorithm.
"""

import math
import struct
import zlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint import stills
from found_footy.fingerprint.decode import MAX_SECONDS, STEP
from found_footy.fingerprint.dense import DenseHash
from found_footy.fingerprint.errors import CorruptFingerprint, VersionMismatch
from found_footy.fingerprint.signature import MOTION_VERSION, PLANE_BYTES, ZOOMS, View

MAGIC = b"FPR1"
_HEAD = struct.Struct(">4s16sI")  # magic, version, checksum of what follows
_SIZES = struct.Struct(">dBIII")  # duration, views, grid points, still frames, text frames
_FRAME = np.dtype([("place", ">u4"), ("value", ">u8")])
_ROW = 2 * PLANE_BYTES + 1
_MOST_POINTS = int(MAX_SECONDS / STEP) + 1
_MOST_VIEWS = len(ZOOMS) + 2
_MOST_BYTES = _SIZES.size + _MOST_POINTS * (_MOST_VIEWS * _ROW + stills.FRAME_BYTES + _FRAME.itemsize)


class Parts(NamedTuple):
    duration: float
    views: tuple[View, ...]
    stills: NDArray[np.uint8]
    dense: DenseHash


def pack(parts: Parts) -> bytes:
    views, frames = parts.views, parts.dense.frames
    body = b"".join(
        [
            _SIZES.pack(parts.duration, len(views), len(views[0]), len(parts.stills), len(frames)),
            *(plane.tobytes() for view in views for plane in (view.brighter, view.darker, view.energy)),
            parts.stills.tobytes(),
            np.array(list(frames), _FRAME).tobytes(),
        ]
    )
    packed = zlib.compress(body, 6)
    return _HEAD.pack(MAGIC, MOTION_VERSION.encode(), zlib.crc32(packed)) + packed


def unpack(data: bytes) -> Parts:
    """Raises CorruptFingerprint, or VersionMismatch for a fingerprint of another algorithm."""
    if len(data) < _HEAD.size or data[:4] != MAGIC:
        raise CorruptFingerprint("these bytes are not a fingerprint")
    _, name, checksum = _HEAD.unpack_from(data)
    packed = data[_HEAD.size :]
    if zlib.crc32(packed) != checksum:
        raise CorruptFingerprint("the fingerprint's checksum does not fit")
    version = name.rstrip(b"\0").decode("ascii", "replace")
    if version != MOTION_VERSION:
        raise VersionMismatch(version, MOTION_VERSION)
    return _parsed(_unpacked(packed))


def _unpacked(packed: bytes) -> bytes:
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(packed, _MOST_BYTES)
    except zlib.error as error:
        raise CorruptFingerprint(f"the fingerprint cannot be unpacked: {error}") from error
    if not stream.eof or len(body) < _SIZES.size:
        raise CorruptFingerprint("the fingerprint is cut off or too large")
    return body


def _parsed(body: bytes) -> Parts:
    duration, views, points, shown, frames = _SIZES.unpack_from(body)
    expected = _SIZES.size + views * points * _ROW + shown * stills.FRAME_BYTES + frames * _FRAME.itemsize
    if (
        len(body) != expected
        or not len(ZOOMS) <= views <= _MOST_VIEWS
        or not (math.isfinite(duration) and duration >= 0)
    ):
        raise CorruptFingerprint("the fingerprint's sizes do not fit")
    rest = np.frombuffer(body, np.uint8, offset=_SIZES.size)
    tracks, rest = np.split(rest, [views * points * _ROW])
    pictures, text = np.split(rest, [shown * stills.FRAME_BYTES])
    return Parts(
        duration=duration,
        views=tuple(_view(part, points) for part in tracks.reshape(views, points * _ROW)),
        stills=pictures.reshape(shown, stills.FRAME_BYTES),
        dense=DenseHash(tuple((int(place), int(value)) for place, value in text.view(_FRAME))),
    )


def _view(part: NDArray[np.uint8], points: int) -> View:
    brighter, darker, energy = np.split(part, [points * PLANE_BYTES, 2 * points * PLANE_BYTES])
    return View(brighter.reshape(points, PLANE_BYTES), darker.reshape(points, PLANE_BYTES), energy)
