"""Small real MP4 files, made once per process."""

import tempfile
from functools import cache
from pathlib import Path

import av
import numpy as np


@cache
def mp4(seed: int = 0, *, seconds: float = 4.0, width: int = 320, height: int = 180, faststart: bool = True) -> bytes:
    """A video of a ball on a pitch; another seed gives other bytes."""
    options = {"movflags": "+faststart"} if faststart else {}
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        _film(file.name, options, seed, seconds, width, height)
        return Path(file.name).read_bytes()


def _film(name: str, options: dict[str, str], seed: int, seconds: float, width: int, height: int) -> None:
    with av.open(name, "w", format="mp4", container_options=options) as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.options = {"preset": "ultrafast"}
        for index in range(round(seconds * 10)):
            container.mux(stream.encode(_frame(index, seed, width, height)))
        container.mux(stream.encode(None))


def _frame(index: int, seed: int, width: int, height: int) -> av.VideoFrame:
    picture = np.full((height, width, 3), (30, 110 + seed % 40, 40), np.uint8)
    x = (index * 9 + seed * 37) % (width - 12)
    picture[height // 2 : height // 2 + 12, x : x + 12] = 255
    return av.VideoFrame.from_ndarray(picture, format="rgb24")


@cache
def sound_only() -> bytes:
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        _record(file.name)
        return Path(file.name).read_bytes()


def _record(name: str) -> None:
    with av.open(name, "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=44_100, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 44_100), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 44_100
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
