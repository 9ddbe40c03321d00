"""A fingerprint as bytes: versioned, checksummed, compressed; about 1 KB for a second of video.

A header that never changes names the algorithm; the rest is specific to that algorithm.
"""

import math
import struct
import zlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint import stills
from found_footy.fingerprint.dense_fingerprint import DenseFingerprint
from found_footy.fingerprint.errors import CorruptFingerprint, VersionMismatch
from found_footy.fingerprint.frame_sampler import GRID_STEP, MAX_VIDEO_SECONDS
from found_footy.fingerprint.motion_signature import MOTION_VERSION, PLANE_BYTES, MotionView, ViewRole

MAGIC = b"FPR1"
# The most that is read of a stored fingerprint: about a kilobyte per second, and clips have a minute at most.
MAX_FINGERPRINT_BYTES = 1024 * 1024
_HEADER = struct.Struct(">4s16sI")  # magic, version, checksum of what follows
_SIZES_STRUCT = struct.Struct(">ddBIII")  # duration, aspect, views, grid points, still frames, text frames
_FRAME_DTYPE = np.dtype([("place", ">u4"), ("value", ">u8")])
_VIEW_POINT_BYTES = 2 * PLANE_BYTES + 1  # per grid point of a view, which starts with its role
_MAX_POINTS = int(MAX_VIDEO_SECONDS / GRID_STEP) + 1
_MAX_VIEWS = 8
_MAX_BODY_BYTES = (
    _SIZES_STRUCT.size
    + _MAX_POINTS * (_MAX_VIEWS * _VIEW_POINT_BYTES + _FRAME_DTYPE.itemsize)
    + stills.MAX_STILL_FRAMES * stills.STILL_FRAME_BYTES
)


class FingerprintParts(NamedTuple):
    duration: float
    aspect: float
    views: tuple[MotionView, ...]
    stills: NDArray[np.uint8]
    dense: DenseFingerprint


def pack_fingerprint(parts: FingerprintParts) -> bytes:
    views, frames = parts.views, parts.dense.frames
    body = b"".join(
        [
            _SIZES_STRUCT.pack(parts.duration, parts.aspect, len(views), len(views[0]), len(parts.stills), len(frames)),
            *(_pack_view(view) for view in views),
            parts.stills.tobytes(),
            np.array(list(frames), _FRAME_DTYPE).tobytes(),
        ]
    )
    packed = zlib.compress(body, 6)
    return _HEADER.pack(MAGIC, MOTION_VERSION.encode(), zlib.crc32(packed)) + packed


def _pack_view(view: MotionView) -> bytes:
    return bytes([view.role]) + view.brighter.tobytes() + view.darker.tobytes() + view.energy.tobytes()


def unpack_fingerprint(data: bytes) -> FingerprintParts:
    """Raises CorruptFingerprint, or VersionMismatch for a fingerprint of another algorithm."""
    if len(data) < _HEADER.size or data[:4] != MAGIC:
        raise CorruptFingerprint("these bytes are not a fingerprint")
    _, name, checksum = _HEADER.unpack_from(data)
    packed = data[_HEADER.size :]
    if zlib.crc32(packed) != checksum:
        raise CorruptFingerprint("the fingerprint's checksum does not fit")
    version = name.rstrip(b"\0").decode("ascii", "replace")
    if version != MOTION_VERSION:
        raise VersionMismatch(version, MOTION_VERSION)
    return _parse_body(_decompress_body(packed))


def _decompress_body(packed: bytes) -> bytes:
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(packed, _MAX_BODY_BYTES)
    except zlib.error as error:
        raise CorruptFingerprint(f"the fingerprint cannot be unpacked: {error}") from error
    if not stream.eof or len(body) < _SIZES_STRUCT.size:
        raise CorruptFingerprint("the fingerprint is cut off or too large")
    return body


def _parse_body(body: bytes) -> FingerprintParts:
    duration, aspect, count, points, shown, frames = _SIZES_STRUCT.unpack_from(body)
    view_bytes = 1 + points * _VIEW_POINT_BYTES
    expected = (
        _SIZES_STRUCT.size + count * view_bytes + shown * stills.STILL_FRAME_BYTES + frames * _FRAME_DTYPE.itemsize
    )
    plausible = 1 <= count <= _MAX_VIEWS and 0 <= duration < math.inf and 0 < aspect < math.inf
    if len(body) != expected or not plausible:
        raise CorruptFingerprint("the fingerprint's sizes do not fit")
    rest = np.frombuffer(body, np.uint8, offset=_SIZES_STRUCT.size)
    tracks, pictures, text = np.split(rest, np.cumsum([count * view_bytes, shown * stills.STILL_FRAME_BYTES]))
    return FingerprintParts(
        duration=duration,
        aspect=aspect,
        views=_parse_views(tracks.reshape(count, view_bytes), points),
        stills=pictures.reshape(shown, stills.STILL_FRAME_BYTES),
        dense=DenseFingerprint(tuple((int(place), int(value)) for place, value in text.view(_FRAME_DTYPE))),
    )


def _parse_views(parts: NDArray[np.uint8], points: int) -> tuple[MotionView, ...]:
    try:
        roles = [ViewRole(int(part[0])) for part in parts]
    except ValueError as error:
        raise CorruptFingerprint(f"the fingerprint has a view of an unknown kind: {error}") from error
    if roles[0] is not ViewRole.WHOLE:
        raise CorruptFingerprint("the fingerprint does not start with the whole picture")
    return tuple(_parse_view(role, part[1:], points) for role, part in zip(roles, parts, strict=True))


def _parse_view(role: ViewRole, part: NDArray[np.uint8], points: int) -> MotionView:
    brighter, darker, energy = np.split(part, [points * PLANE_BYTES, 2 * points * PLANE_BYTES])
    return MotionView(role, brighter.reshape(points, PLANE_BYTES), darker.reshape(points, PLANE_BYTES), energy)
