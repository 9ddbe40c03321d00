"""The short silent loop that plays under the mouse. Loads the decoder, so only the child program imports it."""

import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path

import av
from av.video.frame import VideoFrame

_SECONDS = 3.0
_RATE = 12
_WIDTH = 320
_FEWEST = 4
# Making it must not take the time away from what matters.
_MOST_DECODED = 200
_BUDGET_SECONDS = 5.0
_BITEXACT = {"movflags": "+faststart", "fflags": "+bitexact"}
_X264 = {"preset": "veryfast", "crf": "31", "tune": "fastdecode", "threads": "1"}


def write_preview(first: VideoFrame, others: Iterator[VideoFrame], target: Path) -> bool:
    """An MP4 of at most three seconds from `first` on. False if there is too little to show, or no time for it."""
    picked = list(_picked(chain([first], islice(others, _MOST_DECODED))))
    if len(picked) < _FEWEST:
        return False
    width, height = _size(first)
    with av.open(str(target), "w", format="mp4", container_options=_BITEXACT) as container:
        stream = container.add_stream("libx264", rate=_RATE)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.options = _X264
        if first.rotation:
            stream.set_display_rotation(first.rotation)
        for number, frame in enumerate(picked):
            frame.pts, frame.time_base = number, Fraction(1, _RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return True


def _picked(frames: Iterator[VideoFrame]) -> Iterator[VideoFrame]:
    """Small pictures at an even pace."""
    deadline, began, wanted = time.monotonic() + _BUDGET_SECONDS, None, 0.0
    for frame in frames:
        at = frame.time or 0.0
        began = at if began is None else began
        if at - began >= _SECONDS or time.monotonic() > deadline:
            return
        if at - began >= wanted - 1e-6:
            wanted += 1 / _RATE
            width, height = _size(frame)
            yield frame.reformat(width=width, height=height, format="yuv420p", threads=1)


def _size(frame: VideoFrame) -> tuple[int, int]:
    """Even on both sides, as the encoder wants it."""
    width = min(_WIDTH, frame.width)
    return max(2, width // 2 * 2), max(2, round(frame.height * width / frame.width / 2) * 2)
