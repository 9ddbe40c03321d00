"""Writes H.264 in MP4, with the index in front so that a browser plays at once, and the same bytes every time."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image


def write_mp4(
    path: Path, frames: Iterable[Image.Image | av.VideoFrame], *, fps: int, size: tuple[int, int], crf: int = 25
) -> None:
    """One thread and no time stamps in the file: otherwise the encoder's choices would depend on the machine."""
    tick = Fraction(1, fps)
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(str(path), "w", format="mp4", options=options) as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.thread_count = 1
        stream.time_base = tick
        stream.options = {"crf": str(crf), "preset": "superfast", "profile": "high"}
        for number, shown in enumerate(frames):
            frame = _to_video_frame(shown)
            frame.pts = number
            frame.time_base = tick
            # A key frame of the copied file need not be one here.
            frame.pict_type = av.video.frame.PictureType.NONE
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def _to_video_frame(shown: Image.Image | av.VideoFrame) -> av.VideoFrame:
    if isinstance(shown, Image.Image):
        return av.VideoFrame.from_ndarray(np.asarray(shown), format="rgb24")
    return shown
