"""The short silent loop that plays on hover. Loads the decoder, so only the child program imports it."""

import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path

import av
from av.video.frame import VideoFrame

_PREVIEW_SECONDS = 3.0
_FRAME_RATE = 12
_PREVIEW_WIDTH = 320
_MIN_FRAMES = 4
# Bounds the time that a preview takes from the rest of the job.
_MAX_DECODED_FRAMES = 200
_MAX_ENCODE_SECONDS = 5.0
_MUXER_OPTIONS = {"movflags": "+faststart", "fflags": "+bitexact"}
_ENCODER_OPTIONS = {"preset": "veryfast", "crf": "31", "tune": "fastdecode", "threads": "1"}


def write_preview(first: VideoFrame, others: Iterator[VideoFrame], target: Path) -> bool:
    """Write an MP4 of at most three seconds starting with `first`. False if there are too few frames or no time."""
    picked = list(_sample_frames(chain([first], islice(others, _MAX_DECODED_FRAMES))))
    if len(picked) < _MIN_FRAMES:
        return False
    width, height = _even_size(first)
    with av.open(str(target), "w", format="mp4", container_options=_MUXER_OPTIONS) as container:
        stream = container.add_stream("libx264", rate=_FRAME_RATE)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.options = _ENCODER_OPTIONS
        if first.rotation:
            stream.set_display_rotation(first.rotation)
        for number, frame in enumerate(picked):
            frame.pts, frame.time_base = number, Fraction(1, _FRAME_RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return True


def _sample_frames(frames: Iterator[VideoFrame]) -> Iterator[VideoFrame]:
    """Yield downscaled frames at even intervals."""
    deadline, began, wanted = time.monotonic() + _MAX_ENCODE_SECONDS, None, 0.0
    for frame in frames:
        at = frame.time or 0.0
        began = at if began is None else began
        if at - began >= _PREVIEW_SECONDS or time.monotonic() > deadline:
            return
        if at - began >= wanted - 1e-6:
            wanted += 1 / _FRAME_RATE
            width, height = _even_size(frame)
            yield frame.reformat(width=width, height=height, format="yuv420p", threads=1)


def _even_size(frame: VideoFrame) -> tuple[int, int]:
    """Even width and height, as the encoder requires."""
    width = min(_PREVIEW_WIDTH, frame.width)
    return max(2, width // 2 * 2), max(2, round(frame.height * width / frame.width / 2) * 2)
