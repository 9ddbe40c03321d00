"""Files that strangers could post: each is made once per process."""

import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import cast

import av
import numpy as np
from av.packet import Packet
from av.video.stream import VideoStream

from tests.support.media.small_videos import mp4


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


def plain_frame(width: int, height: int, pix_fmt: str = "yuv420p", value: int = 0) -> av.VideoFrame:
    """All of one colour. A new frame holds whatever was in its memory before, which may encode to megabytes."""
    frame = av.VideoFrame(width, height, pix_fmt)
    for plane in frame.planes:
        plane.update(bytes([value]) * plane.buffer_size)
    return frame


@cache
def picture_of(width: int, height: int) -> bytes:
    """One frame of that size, all of one colour."""

    def fill(container: "av.container.OutputContainer") -> None:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.options = {"preset": "ultrafast", "threads": "1"}
        container.mux(stream.encode(plain_frame(width, height)))
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


def _stream(width: int, height: int, stamps: range, **params: str) -> Iterator["Packet[VideoStream]"]:
    """Packets of plain pictures at these milliseconds, each key frame with the headers that describe it."""
    context = av.CodecContext.create("libx264", "w")
    pix_fmt = params.pop("pix_fmt", "yuv420p")
    context.width, context.height, context.pix_fmt = width, height, pix_fmt
    context.time_base, context.framerate = Fraction(1, 1000), Fraction(10)
    wanted = "repeat-headers=1:annexb=1:scenecut=0:sync-lookahead=0:rc-lookahead=0:keyint=5"
    context.options = {"preset": "ultrafast", "bf": "0", "threads": "1", "x264-params": wanted}
    for number, stamp in enumerate(stamps):
        frame = plain_frame(width, height, pix_fmt, 60 + number % 40)
        frame.pts, frame.time_base = stamp, Fraction(1, 1000)
        yield from context.encode(frame)
    yield from context.encode(None)


@cache
def switched(first: tuple[int, int], then: tuple[int, int], then_format: str = "yuv420p") -> bytes:
    """A stream of two seconds in one size and two in another, which its container does not tell."""

    def fill(container: "av.container.OutputContainer") -> None:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = *first, "yuv420p"
        stream.time_base = Fraction(1, 1000)
        step = 500 if then[0] * then[1] > 10**6 else 100
        after = _stream(*then, range(2000, 4000, step), pix_fmt=then_format)
        for packet in [*_stream(*first, range(0, 2000, 100)), *after]:
            packet.stream, packet.time_base = stream, Fraction(1, 1000)
            container.mux(packet)

    return _written(fill)


@cache
def encoded(codec: str, pix_fmt: str = "", seconds: float = 4.0, container: str = "mov") -> bytes:
    """A short film of that codec, in the first format that its encoder names."""
    size = (352, 288) if codec in ("h261", "h263", "mpeg1video") else (320, 180)
    with tempfile.NamedTemporaryFile(suffix=f".{container}") as file:
        with av.open(file.name, "w", format=container) as out:
            stream = cast("VideoStream", out.add_stream(codec, rate=25))
            formats = stream.codec_context.codec.video_formats or ()
            stream.width, stream.height = size
            stream.pix_fmt = pix_fmt or (formats[0].name if formats else "yuv420p")
            if codec == "libx265":
                stream.codec_context.options = {"preset": "ultrafast", "x265-params": "log-level=none:pools=none"}
            for number in range(round(seconds * 25)):
                picture = np.full((size[1], size[0], 3), number % 250, np.uint8)
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format=stream.pix_fmt)
                frame.pts, frame.time_base = number, Fraction(1, 25)
                out.mux(stream.encode(frame))
            out.mux(stream.encode(None))
        return Path(file.name).read_bytes()


def with_metadata(content: bytes, megabytes: int) -> bytes:
    """The same video, its facts followed by a comment of that size."""
    text = b"x" * (megabytes * 10**6)
    comment = (
        (len(text) + 12).to_bytes(4, "big") + b"\xa9cmt" + (len(text) % 65_536).to_bytes(2, "big") + b"\0\0" + text
    )
    facts = (len(comment) + 8).to_bytes(4, "big") + b"udta" + comment
    return content + (len(facts) + 8).to_bytes(4, "big") + b"moov" + facts


def behind_a_mark(content: bytes) -> bytes:
    """What begins as an MP4 does, and is something else."""
    return b"\x00\x00\x00\x05ftypisom" + content
