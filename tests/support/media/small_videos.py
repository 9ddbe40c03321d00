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
    """Figures that run about, each seed's in ways of their own: two seeds are two recordings, not copies of one."""
    picture = np.full((height, width, 3), (30, 110 + seed % 40, 40), np.uint8)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        (x, y), (wide, tall) = rng.uniform(0, 1, 2), rng.uniform(0.05, 0.2, 2)
        periods, phases = rng.uniform(0.8, 3.0, 2), rng.uniform(0, 6.3, 2)
        x += 0.3 * np.sin(6.3 * index / 10 / periods[0] + phases[0])
        y += 0.3 * np.sin(6.3 * index / 10 / periods[1] + phases[1])
        top, left = int(y % 1 * height), int(x % 1 * width)
        picture[top : top + int(tall * height), left : left + int(wide * width)] = rng.integers(0, 256, 3)
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
