"""Files that strangers could post: each is made once per process."""

import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import av
import numpy as np

from tests.pipeline.footage import mp4


def _written(fill: Callable[["av.container.OutputContainer"], None]) -> bytes:
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        with av.open(file.name, "w", format="mp4", container_options={"movflags": "+faststart"}) as container:
            fill(container)
        return Path(file.name).read_bytes()


@cache
def many_streams(count: int = 50) -> bytes:
    def fill(container: "av.container.OutputContainer") -> None:
        streams = [container.add_stream("aac", rate=44_100, layout="mono") for _ in range(count)]
        for stream in streams:
            silence = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            silence.sample_rate = 44_100
            container.mux(stream.encode(silence))
            container.mux(stream.encode(None))

    return _written(fill)


@cache
def picture_of(width: int, height: int) -> bytes:
    """One frame of that size, all of one colour."""

    def fill(container: "av.container.OutputContainer") -> None:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.options = {"preset": "ultrafast", "threads": "1"}
        container.mux(stream.encode(av.VideoFrame(width, height, "yuv420p")))
        container.mux(stream.encode(None))

    return _written(fill)


@cache
def endless() -> bytes:
    """A handful of frames that claim to last for days."""

    def fill(container: "av.container.OutputContainer") -> None:
        stream = container.add_stream("libx264", rate=1)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        stream.codec_context.time_base = Fraction(1)
        stream.codec_context.options = {"preset": "ultrafast", "bf": "0"}
        for number in range(5):
            frame = av.VideoFrame.from_ndarray(np.full((180, 320, 3), 40 * number, np.uint8), format="rgb24")
            frame.pts, frame.time_base = number * 40_000, Fraction(1)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))

    return _written(fill)


def turned(upright: Path, target: Path, degrees: int = 90) -> Path:
    """The same video, to be shown sideways."""
    with av.open(str(upright)) as source, av.open(str(target), "w") as container:
        stream = container.add_stream_from_template(source.streams.video[0])
        stream.set_display_rotation(degrees)
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                container.mux(packet)
    return target


@cache
def gone_bad() -> bytes:
    """The index of a video, its pictures overwritten."""
    content = bytearray(mp4(seconds=8.0))
    start = content.index(b"mdat") + 4
    content[start:] = b"\xff" * (len(content) - start)
    return bytes(content)
