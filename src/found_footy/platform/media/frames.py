"""Extracts frames from an untrusted video file in a sandboxed child process."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from found_footy.platform.media.decode_rules import MAX_EXTRACTED_SIDE
from found_footy.platform.media.probe import MediaFault, MediaLimits, UnusableMedia, run_in_sandbox

Pixels = npt.NDArray[np.uint8]

_LARGE_KINDS = ("quarter", "half", "three_quarters", "beside")
_FILE_NAME_PATTERN = re.compile(r"[a-z_]{1,20}-[0-9]{1,3}\.rgb", re.ASCII)
_MAX_FRAMES = 20
_MAX_ROW_PADDING = 512
# A clip of one minute at 60 frames a second with one key frame has to be decoded nearly whole.
FRAME_LIMITS = MediaLimits(timeout=timedelta(seconds=45), cpu_seconds=40)


@dataclass(frozen=True, eq=False)
class ExtractedFrame:
    """A frame in display orientation: height × width × 3 bytes, RGB; `at` is in seconds."""

    at: float
    pixels: Pixels


@dataclass(frozen=True, eq=False)
class ExtractedFrames:
    """The frames at a quarter and at three quarters in full size, and up to eight small ones 0.35 s apart; the one at
    half, and one `beside` another, only on request. Frames that could not be decoded are left out.

    "At" is exact, or the nearest key frame within a tenth of the duration and three seconds.
    """

    quarter: ExtractedFrame | None
    half: ExtractedFrame | None
    three_quarters: ExtractedFrame | None
    small: tuple[ExtractedFrame, ...]
    beside: ExtractedFrame | None = None


async def extract_frames(
    source: Path, folder: Path, limits: MediaLimits = FRAME_LIMITS
) -> ExtractedFrames | UnusableMedia:
    """Extract the frames that every reader uses, without the one at half. The child leaves its files in `folder`."""
    return await _run_extraction(source, folder, "outer", limits)


async def extract_middle_frame(
    source: Path, folder: Path, limits: MediaLimits = FRAME_LIMITS
) -> ExtractedFrame | UnusableMedia:
    """Extract the frame at half, which is decoded only if the others leave a doubt."""
    pictures = await _run_extraction(source, folder, "half", limits)
    if isinstance(pictures, UnusableMedia):
        return pictures
    return pictures.half or UnusableMedia(MediaFault.CORRUPT, "the frame in the middle cannot be decoded")


async def extract_adjacent_frames(
    source: Path, folder: Path, at: float, limits: MediaLimits = FRAME_LIMITS
) -> ExtractedFrames | UnusableMedia:
    """Extract the frame two seconds after `at`, or before it if the video ends too soon, and the small ones in
    between.
    """
    return await _run_extraction(source, folder, f"beside:{at:.3f}", limits)


async def _run_extraction(
    source: Path, folder: Path, which: str, limits: MediaLimits
) -> ExtractedFrames | UnusableMedia:
    answer = await run_in_sandbox(
        "found_footy.platform.media.children.frames", [source, folder, which], limits, [folder]
    )
    if isinstance(answer, UnusableMedia):
        return answer
    try:
        return await asyncio.to_thread(load_frames, folder, answer["pictures"])
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        return UnusableMedia(MediaFault.CRASHED, f"the decoder's answer is invalid: {error}"[:300])


def load_frames(folder: Path, listed: list[Mapping[str, Any]]) -> ExtractedFrames:
    if len(listed) > _MAX_FRAMES:
        raise ValueError(f"{len(listed)} pictures")
    by_kind: dict[str, list[ExtractedFrame]] = {}
    for entry in listed:
        by_kind.setdefault(entry["kind"], []).append(ExtractedFrame(float(entry["at"]), _load_pixels(folder, entry)))
    quarter, half, most, beside = (next(iter(by_kind.get(kind, ())), None) for kind in _LARGE_KINDS)
    return ExtractedFrames(quarter, half, most, tuple(by_kind.get("small", ())), beside)


def _load_pixels(folder: Path, entry: Mapping[str, Any]) -> Pixels:
    """Load a frame without trusting the child's answer: a plain file name, a requested size, and no more bytes than
    that.
    """
    width, height, stride = (int(entry[key]) for key in ("width", "height", "stride"))
    if not _FILE_NAME_PATTERN.fullmatch(entry["file"]) or not (
        0 < width <= MAX_EXTRACTED_SIDE and 0 < height <= MAX_EXTRACTED_SIDE
    ):
        raise ValueError(f"{entry['file']!r} of {width}x{height}"[:200])
    if not width * 3 <= stride <= width * 3 + _MAX_ROW_PADDING:
        raise ValueError(f"{stride} bytes for a line of {width}")
    raw = np.fromfile(folder / entry["file"], np.uint8, count=height * stride)
    rows = raw.reshape(height, stride)[:, : width * 3]
    upright = np.rot90(rows.reshape(height, width, 3), round(entry["rotation"] / 90) % 4)
    return np.ascontiguousarray(upright)
