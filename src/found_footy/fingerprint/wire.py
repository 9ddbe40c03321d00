"""A fingerprint as bytes: versioned, checked, compressed; about 1 KB for a second of video.

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
from found_footy.fingerprint.signature import MOTION_VERSION, PLANE_BYTES, Role, View

MAGIC = b"FPR1"
_HEAD = struct.Struct(">4s16sI")  # magic, version, checksum of what follows
_SIZES = struct.Struct(">ddBIII")  # duration, aspect, views, grid points, still frames, text frames
_FRAME = np.dtype([("place", ">u4"), ("value", ">u8")])
_ROW = 2 * PLANE_BYTES + 1  # of a view, which starts with its role
_MOST_POINTS = int(MAX_SECONDS / STEP) + 1
_MOST_VIEWS = 8
_MOST_BYTES = _SIZES.size + _MOST_POINTS * (_MOST_VIEWS * _ROW + _FRAME.itemsize) + stills.MOST * stills.FRAME_BYTES


class Parts(NamedTuple):
    duration: float
    aspect: float
    views: tuple[View, ...]
    stills: NDArray[np.uint8]
    dense: DenseHash


def pack(parts: Parts) -> bytes:
    views, frames = parts.views, parts.dense.frames
    body = b"".join(
        [
            _SIZES.pack(parts.duration, parts.aspect, len(views), len(views[0]), len(parts.stills), len(frames)),
            *(_packed(view) for view in views),
            parts.stills.tobytes(),
            np.array(list(frames), _FRAME).tobytes(),
        ]
    )
    packed = zlib.compress(body, 6)
    return _HEAD.pack(MAGIC, MOTION_VERSION.encode(), zlib.crc32(packed)) + packed


def _packed(view: View) -> bytes:
    return bytes([view.role]) + view.brighter.tobytes() + view.darker.tobytes() + view.energy.tobytes()


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
    duration, aspect, count, points, shown, frames = _SIZES.unpack_from(body)
    view_bytes = 1 + points * _ROW
    expected = _SIZES.size + count * view_bytes + shown * stills.FRAME_BYTES + frames * _FRAME.itemsize
    plausible = 1 <= count <= _MOST_VIEWS and 0 <= duration < math.inf and 0 < aspect < math.inf
    if len(body) != expected or not plausible:
        raise CorruptFingerprint("the fingerprint's sizes do not fit")
    rest = np.frombuffer(body, np.uint8, offset=_SIZES.size)
    tracks, pictures, text = np.split(rest, np.cumsum([count * view_bytes, shown * stills.FRAME_BYTES]))
    return Parts(
        duration=duration,
        aspect=aspect,
        views=_views(tracks.reshape(count, view_bytes), points),
        stills=pictures.reshape(shown, stills.FRAME_BYTES),
        dense=DenseHash(tuple((int(place), int(value)) for place, value in text.view(_FRAME))),
    )


def _views(parts: NDArray[np.uint8], points: int) -> tuple[View, ...]:
    try:
        roles = [Role(int(part[0])) for part in parts]
    except ValueError as error:
        raise CorruptFingerprint(f"the fingerprint has a view of an unknown kind: {error}") from error
    if roles[0] is not Role.WHOLE:
        raise CorruptFingerprint("the fingerprint does not start with the whole picture")
    return tuple(_view(role, part[1:], points) for role, part in zip(roles, parts, strict=True))


def _view(role: Role, part: NDArray[np.uint8], points: int) -> View:
    brighter, darker, energy = np.split(part, [points * PLANE_BYTES, 2 * points * PLANE_BYTES])
    return View(role, brighter.reshape(points, PLANE_BYTES), darker.reshape(points, PLANE_BYTES), energy)
