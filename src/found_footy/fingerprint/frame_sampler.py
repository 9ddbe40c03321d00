"""One decode pass over a video: small gray pictures on a fixed time grid.

Grid point k shows the first frame at or after k × `GRID_STEP`. H.264 frames that are neither on the grid nor referenced
by others are never passed to the decoder; the pictures are bit for bit those of a full decode. Files may come from
strangers: only MP4 is opened, only codecs that browsers play are decoded, and nothing but the file itself is read.
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
from found_footy.fingerprint.errors import Undecodable, VideoTooLong
from found_footy.platform.errors import NotFound
from found_footy.platform.media.decode_rules import (
    DECODER_OPTIONS,
    DEMUXER,
    INPUT_OPTIONS,
    check_codec,
    check_picture_size,
    check_pixel_format,
    codec_name,
)
from found_footy.platform.system_errors import classify_system_error

ProgressCallback = Callable[[int], None]

GRID_STEP = Fraction(1, 8)
THUMBNAIL_SIDE = 128
MAX_VIDEO_SECONDS = 600
DECODER_THREADS = 1  # two spend a tenth more on waiting for each other; several clips at once fill the cores anyway
PROGRESS_INTERVAL_POINTS = 5
MAX_DAMAGED_SHARE = 0.25  # share of packets; browsers play such files too
PROGRESSIVE_FIELD_ORDER = 1  # the decoder's number for progressive frames


@dataclass(frozen=True)
class SampledVideo:
    pictures: NDArray[np.uint8]  # (grid points, THUMBNAIL_SIDE, THUMBNAIL_SIDE)
    duration: float  # seconds
    aspect: float  # displayed width divided by height


@dataclass(frozen=True)
class _DecodePlan:
    """Presentation times, known before any frame is decoded; `grid_stamps` are those on the grid, or all if
    it is None.
    """

    grid_stamps: frozenset[int] | None = None
    last_stamp: int = 0  # with `grid_stamps` only: the last frame need not be among those decoded

    def can_skip(self, packet: "Packet[VideoStream]", prefix: int) -> bool:
        if self.grid_stamps is None or not packet.size or packet.pts in self.grid_stamps:
            return False
        return nal.is_disposable(memoryview(packet), prefix)


def sample_video(
    path: Path | str, *, progress: ProgressCallback | None = None, max_seconds: int = MAX_VIDEO_SECONDS
) -> SampledVideo:
    with _open_video(path) as (container, stream):
        plan = _plan_decoding(container, stream, max_seconds)
    with _open_video(path) as (container, stream):
        taken = _GridSampler(stream, max_seconds, progress)
        for frame in _decode_frames(container, stream, plan):
            taken.offer_frame(frame, plan)
        return taken.finish(plan)


@contextmanager
def _open_video(path: Path | str) -> Iterator[tuple[InputContainer, VideoStream]]:
    try:
        with av.open(f"file:{path}", format=DEMUXER, options=INPUT_OPTIONS) as container:
            if not container.streams.video:
                raise Undecodable(f"{Path(path).name} has no video")
            stream = container.streams.video[0]
            _configure_decoder(stream)
            yield container, stream
    except av.FileNotFoundError as missing:
        raise NotFound(f"{Path(path).name} does not exist") from missing
    except av.FFmpegError as error:
        if classify_system_error(error):
            raise
        raise Undecodable(f"{Path(path).name} cannot be read: {error}") from error


def _configure_decoder(stream: VideoStream) -> None:
    context = stream.codec_context
    if why := check_codec(codec_name(context)):
        raise Undecodable(why)
    context.options = DECODER_OPTIONS
    stream.thread_type = "AUTO"
    context.thread_count = DECODER_THREADS


def _check_frame(frame: VideoFrame) -> VideoFrame:
    """A stream can change its size and format in the middle."""
    if why := check_picture_size(frame.width, frame.height) or check_pixel_format("video", frame.format.name):
        raise Undecodable(why)
    return frame


def _grid_point(stamp: int, start: int, base: Fraction) -> int:
    """Return the last grid point at or before a time stamp."""
    return (stamp - start) * base.numerator * GRID_STEP.denominator // (base.denominator * GRID_STEP.numerator)


def _plan_decoding(container: InputContainer, stream: VideoStream, max_seconds: int) -> _DecodePlan:
    packets = [(p.pts, p.is_discard) for p in container.demux(stream) if p.size]
    stamps = sorted(pts for pts, discarded in packets if pts is not None and not discarded)
    if not stamps:
        return _DecodePlan()
    base = _time_base(stream)
    _check_length(_grid_point(stamps[-1], stamps[0], base), max_seconds)
    if not _can_skip_packets(stream) or any(pts is None for pts, _ in packets):
        return _DecodePlan()
    grid = np.array([_grid_point(s, stamps[0], base) for s in stamps])
    first = np.diff(grid, prepend=-1) > 0
    return _DecodePlan(frozenset(np.array(stamps)[first].tolist()), stamps[-1])


def _can_skip_packets(stream: VideoStream) -> bool:
    """In interlaced video, two packets may form one picture."""
    return stream.codec_context.name == "h264" and stream.codec_context.field_order == PROGRESSIVE_FIELD_ORDER


def _time_base(stream: VideoStream) -> Fraction:
    return stream.time_base or Fraction(1, 1000)


def _check_length(points: int, max_seconds: int) -> None:
    if points * GRID_STEP > max_seconds:
        raise VideoTooLong(f"{float(points * GRID_STEP):.0f} s of video, at most {max_seconds} s are fingerprinted")


def _decode_frames(container: InputContainer, stream: VideoStream, plan: _DecodePlan) -> Iterator[VideoFrame]:
    prefix = nal.length_prefix_size(stream.codec_context.extradata)
    seen = damaged = 0
    for packet in container.demux(stream):
        seen += 1
        if plan.can_skip(packet, prefix):
            continue
        try:
            frames = packet.decode()
        except av.InvalidDataError:
            damaged += 1
            continue
        yield from map(_check_frame, frames)
    if damaged > seen * MAX_DAMAGED_SHARE:
        raise Undecodable(f"{damaged} of {seen} packets are damaged")


class _GridSampler:
    """Collects the frames on the grid, as small pictures with their time stamps."""

    def __init__(self, stream: VideoStream, max_seconds: int, progress: ProgressCallback | None) -> None:
        self._time_base = _time_base(stream)
        self._frame_duration = round(1 / (self._time_base * (stream.average_rate or stream.base_rate or 25)))
        self._pixel_aspect = stream.sample_aspect_ratio or Fraction(1)
        self._max_seconds = max_seconds
        self._progress = progress
        self._scaler = VideoReformatter()
        self._stamps: list[int] = []
        self._pictures: list[NDArray[np.uint8]] = []
        self._last_stamp = 0
        self._aspect = 1.0

    def offer_frame(self, frame: VideoFrame, plan: _DecodePlan) -> None:
        self._last_stamp = frame.pts if frame.pts is not None else self._last_stamp + self._frame_duration
        if plan.grid_stamps is not None and self._last_stamp not in plan.grid_stamps:
            return
        if self._stamps and self._grid_point(self._last_stamp) <= self._grid_point(self._stamps[-1]):
            return
        _check_length(self._grid_point(self._last_stamp), self._max_seconds)
        self._stamps.append(self._last_stamp)
        self._pictures.append(self._make_thumbnail(frame))
        if self._progress and len(self._stamps) % PROGRESS_INTERVAL_POINTS == 0:
            self._progress(len(self._stamps))

    def _grid_point(self, stamp: int) -> int:
        return _grid_point(stamp, self._stamps[0], self._time_base) if self._stamps else 0

    def _make_thumbnail(self, frame: VideoFrame) -> NDArray[np.uint8]:
        small = self._scaler.reformat(frame, THUMBNAIL_SIDE, THUMBNAIL_SIDE, "gray", interpolation="AREA", threads=1)
        picture = small.to_ndarray().astype(np.uint8, copy=False)
        turns = round(frame.rotation / 90) % 4
        shape = (frame.width, frame.height) if turns % 2 == 0 else (frame.height, frame.width)
        self._aspect = float(self._pixel_aspect if turns % 2 == 0 else 1 / self._pixel_aspect) * shape[0] / shape[1]
        return np.rot90(picture, turns) if turns else picture

    def finish(self, plan: _DecodePlan) -> SampledVideo:
        if not self._stamps:
            raise Undecodable("no picture could be decoded")
        points = np.array([self._grid_point(s) for s in self._stamps])
        chosen = np.searchsorted(points, np.arange(points[-1] + 1))
        last = plan.last_stamp if plan.grid_stamps else max(self._last_stamp, self._stamps[-1])
        length = (last - self._stamps[0] + self._frame_duration) * self._time_base
        if self._progress:
            self._progress(len(self._stamps))
        return SampledVideo(np.stack(self._pictures)[chosen], float(length), self._aspect)
