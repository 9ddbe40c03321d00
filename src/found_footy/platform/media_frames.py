"""Pictures out of a stranger's video file, taken by a child process with limits."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from found_footy.platform.media import MediaLimits, Unusable, in_child

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
    """Those at a quarter, at half and at three quarters in full size, and up to eight small ones 0.35 s apart. What
    could not be decoded is left out.
    """

    quarter: Picture | None
    half: Picture | None
    three_quarters: Picture | None
    small: tuple[Picture, ...]


async def take_pictures(source: Path, folder: Path, limits: MediaLimits = FRAME_LIMITS) -> Pictures | Unusable:
    """The pictures that a reader looks at, or why there are none. The child leaves its files in `folder`."""
    answer = await in_child("found_footy.platform.media_frames_child", [source, folder], limits)
    if isinstance(answer, Unusable):
        return answer
    return await asyncio.to_thread(_loaded, folder, answer["pictures"])


def _loaded(folder: Path, listed: list[Mapping[str, Any]]) -> Pictures:
    by_kind: dict[str, list[Picture]] = {}
    for entry in listed:
        by_kind.setdefault(entry["kind"], []).append(Picture(entry["at"], _pixels(folder, entry)))
    quarter, half, most = (next(iter(by_kind.get(kind, ())), None) for kind in ("quarter", "half", "three_quarters"))
    return Pictures(quarter, half, most, tuple(by_kind.get("small", ())))


def _pixels(folder: Path, entry: Mapping[str, Any]) -> Pixels:
    raw = np.fromfile(folder / str(entry["file"]), np.uint8)
    rows = raw.reshape(entry["height"], entry["stride"])[:, : entry["width"] * 3]
    upright = np.rot90(rows.reshape(entry["height"], entry["width"], 3), round(entry["rotation"] / 90) % 4)
    return np.ascontiguousarray(upright)
