"""One decode pass over a video: small gray pictures on a fixed time grid.

Grid point k shows the first frame at or after k × STEP. H.264 frames that are neither on the grid nor predicted from
are never handed to the decoder; the pictures are the same, bit by bit, as those of a full decode. Files may come from
strangers: only MP4 is opened, only what browsers play is decoded, and nothing but the file itself is read.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream
from numpy.typing import NDArray

from found_footy.fingerprint import nal
from found_footy.fingerprint.errors import TooLong, Undecodable
from found_footy.platform.errors import NotFound
from found_footy.platform.machine import own_fault
from found_footy.platform.media_rules import (
    CONTAINER,
    DECODER_OPTIONS,
    ONLY_THE_FILE,
    codec_objection,
    codec_of,
    format_objection,
    size_objection,
)

Progress = Callable[[int], None]

STEP = Fraction(1, 8)
SIDE = 128
MAX_SECONDS = 600
THREADS = 1  # two spend a tenth more on waiting for each other; several clips at once fill the cores anyway
PROGRESS_EVERY = 5
DAMAGE_ALLOWED = 0.25  # share of packets; browsers play such files too
PROGRESSIVE = 1  # as the decoder numbers the orders of fields


@dataclass(frozen=True)
class Sampled:
    pictures: NDArray[np.uint8]  # (grid points, SIDE, SIDE)
    duration: float  # seconds
    aspect: float  # width by height as shown


@dataclass(frozen=True)
class _Plan:
    """When frames are shown, known before any is decoded; `wanted` are those on the grid, all if it is None."""

    wanted: frozenset[int] | None = None
    last: int = 0  # with `wanted` only: the last frame need not be among those decoded

    def skips(self, packet: "Packet[VideoStream]", prefix: int) -> bool:
        if self.wanted is None or not packet.size or packet.pts in self.wanted:
            return False
        return nal.is_disposable(memoryview(packet), prefix)


def sample(path: Path | str, *, progress: Progress | None = None, max_seconds: int = MAX_SECONDS) -> Sampled:
    with _opened(path) as (container, stream):
        plan = _plan(container, stream, max_seconds)
    with _opened(path) as (container, stream):
        taken = _Taken(stream, max_seconds, progress)
        for frame in _decoded(container, stream, plan):
            taken.offer(frame, plan)
        return taken.finish(plan)


@contextmanager
def _opened(path: Path | str) -> Iterator[tuple[InputContainer, VideoStream]]:
    try:
        with av.open(f"file:{path}", format=CONTAINER, options=ONLY_THE_FILE) as container:
            if not container.streams.video:
                raise Undecodable(f"{Path(path).name} has no video")
            stream = container.streams.video[0]
            _prepare(stream)
            yield container, stream
    except av.FileNotFoundError as missing:
        raise NotFound(f"{Path(path).name} does not exist") from missing
    except av.FFmpegError as error:
        if own_fault(error):
            raise
        raise Undecodable(f"{Path(path).name} cannot be read: {error}") from error


def _prepare(stream: VideoStream) -> None:
    context = stream.codec_context
    if why := codec_objection(codec_of(context)):
        raise Undecodable(why)
    context.options = DECODER_OPTIONS
    stream.thread_type = "AUTO"
    context.thread_count = THREADS


def _checked(frame: VideoFrame) -> VideoFrame:
    """A stream can change its size and format in the middle."""
    if why := size_objection(frame.width, frame.height) or format_objection("video", frame.format.name):
        raise Undecodable(why)
    return frame


def _grid(stamp: int, start: int, base: Fraction) -> int:
    """The last grid point at or before a time stamp."""
    return (stamp - start) * base.numerator * STEP.denominator // (base.denominator * STEP.numerator)


def _plan(container: InputContainer, stream: VideoStream, max_seconds: int) -> _Plan:
    packets = [(p.pts, p.is_discard) for p in container.demux(stream) if p.size]
    stamps = sorted(pts for pts, discarded in packets if pts is not None and not discarded)
    if not stamps:
        return _Plan()
    base = _base(stream)
    _check_length(_grid(stamps[-1], stamps[0], base), max_seconds)
    if not _skippable(stream) or any(pts is None for pts, _ in packets):
        return _Plan()
    grid = np.array([_grid(s, stamps[0], base) for s in stamps])
    first = np.diff(grid, prepend=-1) > 0
    return _Plan(frozenset(np.array(stamps)[first].tolist()), stamps[-1])


def _skippable(stream: VideoStream) -> bool:
    """With fields, two packets may make one picture."""
    return stream.codec_context.name == "h264" and stream.codec_context.field_order == PROGRESSIVE


def _base(stream: VideoStream) -> Fraction:
    return stream.time_base or Fraction(1, 1000)


def _check_length(points: int, max_seconds: int) -> None:
    if points * STEP > max_seconds:
        raise TooLong(f"{float(points * STEP):.0f} s of video, at most {max_seconds} s are fingerprinted")


def _decoded(container: InputContainer, stream: VideoStream, plan: _Plan) -> Iterator[VideoFrame]:
    prefix = nal.length_size(stream.codec_context.extradata)
    seen = damaged = 0
    for packet in container.demux(stream):
        seen += 1
        if plan.skips(packet, prefix):
            continue
        try:
            frames = packet.decode()
        except av.InvalidDataError:
            damaged += 1
            continue
        yield from map(_checked, frames)
    if damaged > seen * DAMAGE_ALLOWED:
        raise Undecodable(f"{damaged} of {seen} packets are damaged")


class _Taken:
    """The frames on the grid, as small pictures with their time stamps."""

    def __init__(self, stream: VideoStream, max_seconds: int, progress: Progress | None) -> None:
        self._base = _base(stream)
        self._pace = round(1 / (self._base * (stream.average_rate or stream.base_rate or 25)))
        self._pixel = stream.sample_aspect_ratio or Fraction(1)
        self._max_seconds = max_seconds
        self._progress = progress
        self._scaler = VideoReformatter()
        self._stamps: list[int] = []
        self._pictures: list[NDArray[np.uint8]] = []
        self._last = 0
        self._aspect = 1.0

    def offer(self, frame: VideoFrame, plan: _Plan) -> None:
        self._last = frame.pts if frame.pts is not None else self._last + self._pace
        if plan.wanted is not None and self._last not in plan.wanted:
            return
        if self._stamps and self._point(self._last) <= self._point(self._stamps[-1]):
            return
        _check_length(self._point(self._last), self._max_seconds)
        self._stamps.append(self._last)
        self._pictures.append(self._thumbnail(frame))
        if self._progress and len(self._stamps) % PROGRESS_EVERY == 0:
            self._progress(len(self._stamps))

    def _point(self, stamp: int) -> int:
        return _grid(stamp, self._stamps[0], self._base) if self._stamps else 0

    def _thumbnail(self, frame: VideoFrame) -> NDArray[np.uint8]:
        small = self._scaler.reformat(frame, SIDE, SIDE, "gray", interpolation="AREA", threads=1)
        picture = small.to_ndarray().astype(np.uint8, copy=False)
        turns = round(frame.rotation / 90) % 4
        shape = (frame.width, frame.height) if turns % 2 == 0 else (frame.height, frame.width)
        self._aspect = float(self._pixel if turns % 2 == 0 else 1 / self._pixel) * shape[0] / shape[1]
        return np.rot90(picture, turns) if turns else picture

    def finish(self, plan: _Plan) -> Sampled:
        if not self._stamps:
            raise Undecodable("no picture could be decoded")
        points = np.array([self._point(s) for s in self._stamps])
        chosen = np.searchsorted(points, np.arange(points[-1] + 1))
        last = plan.last if plan.wanted else max(self._last, self._stamps[-1])
        length = (last - self._stamps[0] + self._pace) * self._base
        if self._progress:
            self._progress(len(self._stamps))
        return Sampled(np.stack(self._pictures)[chosen], float(length), self._aspect)
