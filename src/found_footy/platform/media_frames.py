"""Pictures out of a stranger's video file, taken by a child process with limits."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from found_footy.platform.media import MediaFault, MediaLimits, Unusable, in_child
from found_footy.platform.media_rules import LARGE_SIDE

Pixels = npt.NDArray[np.uint8]

_LARGE = ("quarter", "half", "three_quarters", "beside")
_NAME = re.compile(r"[a-z_]{1,20}-[0-9]{1,3}\.rgb", re.ASCII)
_MOST_PICTURES = 20
_MOST_PADDING = 512
# A clip of one minute at 60 frames a second with one key frame has to be decoded nearly whole.
FRAME_LIMITS = MediaLimits(time=timedelta(seconds=45), cpu_seconds=40)


@dataclass(frozen=True, eq=False)
class Picture:
    """As it is shown: height × width × 3 bytes, red first; `at` seconds into the video."""

    at: float
    pixels: Pixels


@dataclass(frozen=True, eq=False)
class Pictures:
    """Those at a quarter and at three quarters in full size, and up to eight small ones 0.35 s apart; the one at half,
    and one `beside` another, only where they are asked for. What could not be decoded is left out.

    "At" is exact, or the nearest key frame within a tenth of the length and three seconds.
    """

    quarter: Picture | None
    half: Picture | None
    three_quarters: Picture | None
    small: tuple[Picture, ...]
    beside: Picture | None = None


async def take_pictures(source: Path, folder: Path, limits: MediaLimits = FRAME_LIMITS) -> Pictures | Unusable:
    """The pictures that every reader looks at, without the one at half, or why there are none. The child leaves its
    files in `folder`.
    """
    return await _taken(source, folder, "outer", limits)


async def take_half(source: Path, folder: Path, limits: MediaLimits = FRAME_LIMITS) -> Picture | Unusable:
    """The picture at half, which is worth its decoding only if the others leave a doubt."""
    pictures = await _taken(source, folder, "half", limits)
    if isinstance(pictures, Unusable):
        return pictures
    return pictures.half or Unusable(MediaFault.CORRUPT, "the frame at half cannot be decoded")


async def take_beside(source: Path, folder: Path, at: float, limits: MediaLimits = FRAME_LIMITS) -> Pictures | Unusable:
    """The picture two seconds after the one at this time, or before it where the video ends, and the small ones on the
    way from the one to the other.
    """
    return await _taken(source, folder, f"beside:{at:.3f}", limits)


async def _taken(source: Path, folder: Path, which: str, limits: MediaLimits) -> Pictures | Unusable:
    answer = await in_child("found_footy.platform.media_frames_child", [source, folder, which], limits, [folder])
    if isinstance(answer, Unusable):
        return answer
    try:
        return await asyncio.to_thread(_loaded, folder, answer["pictures"])
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        return Unusable(MediaFault.CRASHED, f"the decoder's answer makes no sense: {error}"[:300])


def _loaded(folder: Path, listed: list[Mapping[str, Any]]) -> Pictures:
    if len(listed) > _MOST_PICTURES:
        raise ValueError(f"{len(listed)} pictures")
    by_kind: dict[str, list[Picture]] = {}
    for entry in listed:
        by_kind.setdefault(entry["kind"], []).append(Picture(float(entry["at"]), _pixels(folder, entry)))
    quarter, half, most, beside = (next(iter(by_kind.get(kind, ())), None) for kind in _LARGE)
    return Pictures(quarter, half, most, tuple(by_kind.get("small", ())), beside)


def _pixels(folder: Path, entry: Mapping[str, Any]) -> Pixels:
    """The child's word is not taken for it: a plain name, a size that it was asked for, and no more bytes than that."""
    width, height, stride = (int(entry[key]) for key in ("width", "height", "stride"))
    if not _NAME.fullmatch(entry["file"]) or not (0 < width <= LARGE_SIDE and 0 < height <= LARGE_SIDE):
        raise ValueError(f"{entry['file']!r} of {width}x{height}"[:200])
    if not width * 3 <= stride <= width * 3 + _MOST_PADDING:
        raise ValueError(f"{stride} bytes for a line of {width}")
    raw = np.fromfile(folder / entry["file"], np.uint8, count=height * stride)
    rows = raw.reshape(height, stride)[:, : width * 3]
    upright = np.rot90(rows.reshape(height, width, 3), round(entry["rotation"] / 90) % 4)
    return np.ascontiguousarray(upright)
