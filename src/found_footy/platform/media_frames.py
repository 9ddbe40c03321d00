"""Pictures out of a stranger's video file, taken by a child process with limits."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from found_footy.platform.media import MediaFault, MediaLimits, Unusable, in_child

Pixels = npt.NDArray[np.uint8]

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
    answer = await in_child("found_footy.platform.media_frames_child", [source, folder, which], limits)
    if isinstance(answer, Unusable):
        return answer
    return await asyncio.to_thread(_loaded, folder, answer["pictures"])


def _loaded(folder: Path, listed: list[Mapping[str, Any]]) -> Pictures:
    by_kind: dict[str, list[Picture]] = {}
    for entry in listed:
        by_kind.setdefault(entry["kind"], []).append(Picture(entry["at"], _pixels(folder, entry)))
    kinds = ("quarter", "half", "three_quarters", "beside")
    quarter, half, most, beside = (next(iter(by_kind.get(kind, ())), None) for kind in kinds)
    return Pictures(quarter, half, most, tuple(by_kind.get("small", ())), beside)


def _pixels(folder: Path, entry: Mapping[str, Any]) -> Pixels:
    raw = np.fromfile(folder / str(entry["file"]), np.uint8)
    rows = raw.reshape(entry["height"], entry["stride"])[:, : entry["width"] * 3]
    upright = np.rot90(rows.reshape(entry["height"], entry["width"], 3), round(entry["rotation"] / 90) % 4)
    return np.ascontiguousarray(upright)
