"""The program that takes pictures out of untrusted video files, run as a child process under limits.

`python -m found_footy.platform.media.children.frames SOURCE FOLDER WHICH` writes raw pictures (red, green, blue) into
the folder and prints one JSON object that lists them, or the fault that makes the file unusable. WHICH is `outer`,
which is those at a quarter and three quarters and the small ones, or `half`, or `beside:SECONDS`, which is one two
seconds from there and the small ones on the way. Files are read by seeking: what lies between the pictures is decoded
only as far as they are predicted from it.
"""

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

import av
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from found_footy.platform.media.children.decoding import (
    MediaFacts,
    UnusableMediaError,
    check_frame,
    display_rotation,
    open_video,
    print_answer,
    read_duration,
)
from found_footy.platform.media.decode_rules import MAX_EXTRACTED_SIDE

_POSITIONS = {"outer": {"quarter": 0.25, "three_quarters": 0.75}, "half": {"half": 0.5}}
_SMALL_COUNT, _SMALL_INTERVAL = 8, 0.35
_SMALL_SIZE = 640, 360
# Far enough for a clock to have moved on, near enough to be of the same shot.
_BESIDE_OFFSET, _BESIDE_NAME = 2.0, "beside"
# A key frame is as good as one that is this near to it, as a share of the length and in seconds; and far cheaper.
_MAX_KEY_FRAME_SHARE, _MAX_KEY_FRAME_SECONDS = 0.1, 3.0


def main(arguments: list[str]) -> int:
    source, folder, which = arguments
    return print_answer(lambda: write_selected_frames(Path(source), Path(folder), which))


def write_selected_frames(source: Path, folder: Path, which: str) -> MediaFacts:
    with open_video(source) as (container, stream):
        duration = read_duration(container, stream)
        seeker = _FrameSeeker(container, stream)
        kind, _, at = which.partition(":")
        times = _beside_times(float(at), duration) if kind == _BESIDE_NAME else _frame_times(seeker, which, duration)
        pictures = list(_write_frames(seeker, sorted(times), folder))
    if not any(picture["kind"] != "small" for picture in pictures):
        raise UnusableMediaError("corrupt", "none of the frames that are looked at can be decoded")
    return {"pictures": pictures}


def _frame_times(seeker: "_FrameSeeker", which: str, duration: float) -> list[tuple[float, str]]:
    around = min(duration * _MAX_KEY_FRAME_SHARE, _MAX_KEY_FRAME_SECONDS)
    times = [(seeker.nearest_key_time(duration * share, around), name) for name, share in _POSITIONS[which].items()]
    if which == "outer":
        times += [(at, "small") for at in _small_times(seeker, [at for at, _ in times], duration)]
    return times


def _beside_times(at: float, duration: float) -> list[tuple[float, str]]:
    """After it; before it where the video ends too soon."""
    target = at + _BESIDE_OFFSET if at + _BESIDE_OFFSET < duration else max(0.0, at - _BESIDE_OFFSET)
    first, last = sorted((at, target))
    small = (first + number * _SMALL_INTERVAL for number in range(_SMALL_COUNT))
    return [(target, _BESIDE_NAME), *((when, "small") for when in small if when <= last)]


def _small_times(seeker: "_FrameSeeker", others: Sequence[float], duration: float) -> list[float]:
    """On the way to one of the others, so that one pass gives both: where that way is the longest."""
    span = (_SMALL_COUNT - 1) * _SMALL_INTERVAL
    way, end = max((at - seeker.key_time_before(at), at) for at in others)
    first = max(0.0, min(end - min(way, span), duration - span - _SMALL_INTERVAL))
    return [at for number in range(_SMALL_COUNT) if (at := first + number * _SMALL_INTERVAL) < duration]


def _write_frames(seeker: "_FrameSeeker", times: Sequence[tuple[float, str]], folder: Path) -> Iterator[MediaFacts]:
    written: set[tuple[bool, float]] = set()
    for wanted, kind in times:
        found = seeker.frame_at(wanted)
        if found is None:
            continue
        at, frame = found
        if (kind == "small", at) not in written:
            written.add((kind == "small", at))
            yield _write_frame(at, frame, kind, folder / f"{kind}-{len(written)}.rgb")


def _write_frame(at: float, frame: VideoFrame, kind: str, target: Path) -> MediaFacts:
    width, height = _scale_to_fit(frame, _SMALL_SIZE if kind == "small" else (MAX_EXTRACTED_SIDE, MAX_EXTRACTED_SIDE))
    picture = frame.reformat(width=width, height=height, format="rgb24", interpolation="AREA", threads=1)
    plane = picture.planes[0]
    target.write_bytes(memoryview(plane))
    return {
        "kind": kind,
        "at": round(at, 3),
        "file": target.name,
        "width": width,
        "height": height,
        "stride": plane.line_size,
        "rotation": display_rotation(frame),
    }


def _scale_to_fit(frame: VideoFrame, most: tuple[int, int]) -> tuple[int, int]:
    scale = min(1.0, most[0] / frame.width, most[1] / frame.height)
    return max(1, round(frame.width * scale)), max(1, round(frame.height * scale))


def _key_frame_times(stream: VideoStream, start: int) -> list[int]:
    """When key frames are shown. The index has the times of decoding, which are earlier by the same span throughout."""
    decoded = sorted(entry.timestamp for entry in stream.index_entries if entry.is_keyframe)
    return [start + stamp - decoded[0] for stamp in decoded]


class _FrameSeeker:
    """Frames at rising times. It jumps to a key frame only where that saves decoding."""

    def __init__(self, container: InputContainer, stream: VideoStream) -> None:
        if stream.time_base is None:
            raise UnusableMediaError("corrupt", "the video has no time base")
        self._container, self._stream, self._base = container, stream, stream.time_base
        self._start = stream.start_time or 0
        self._half_frame = int(0.5 / float(stream.average_rate or 25) / self._base)
        self._key_stamps = _key_frame_times(stream, self._start)
        self._key_times = [float((key - self._start) * self._base) for key in self._key_stamps]
        self._packets: Iterator[Packet[VideoStream]] | None = None
        self._decoded_frames: deque[VideoFrame] = deque()
        self._last_frame: VideoFrame | None = None

    def nearest_key_time(self, seconds: float, around: float) -> float:
        """When the key frame is shown that is nearest to that time, if it is near enough; else that time."""
        nearest = min(self._key_times, key=lambda at: abs(at - seconds), default=seconds)
        return nearest if abs(nearest - seconds) <= around else seconds

    def key_time_before(self, seconds: float) -> float:
        """When the key frame is shown that frames at that time are predicted from."""
        return max((at for at in self._key_times if at <= seconds), default=0.0)

    def frame_at(self, seconds: float) -> tuple[float, VideoFrame] | None:
        """The first frame shown at that time or after it, the last before it if there is none; with its own time."""
        stamp = self._start + int(seconds / self._base)
        if self._is_seek_cheaper(stamp):
            self._container.seek(stamp, stream=self._stream)
            self._packets, self._last_frame = self._container.demux(self._stream), None
            self._decoded_frames.clear()
        while not self._has_reached(stamp) and (frame := self._next_frame(stamp)) is not None:
            self._last_frame = frame
        if self._last_frame is None or self._last_frame.pts is None:
            return None
        return float((self._last_frame.pts - self._start) * self._base), self._last_frame

    def _is_seek_cheaper(self, stamp: int) -> bool:
        position = None if self._last_frame is None else self._last_frame.pts
        return self._packets is None or position is None or any(position < key <= stamp for key in self._key_stamps)

    def _has_reached(self, stamp: int) -> bool:
        return (
            self._last_frame is not None
            and self._last_frame.pts is not None
            and self._last_frame.pts >= stamp - self._half_frame
        )

    def _next_frame(self, stamp: int) -> VideoFrame | None:
        while not self._decoded_frames:
            packet = next(self._packets, None) if self._packets is not None else None
            if packet is None:
                return None
            self._decoded_frames.extend(self._decode_packet(packet, stamp))
        return self._decoded_frames.popleft()

    def _decode_packet(self, packet: "Packet[VideoStream]", stamp: int) -> list[VideoFrame]:
        """What is shown before the wanted time is decoded only if others are predicted from it."""
        early = packet.pts is not None and packet.pts < stamp - self._half_frame
        self._stream.codec_context.skip_frame = "NONREF" if early else "DEFAULT"
        try:
            return [check_frame(self._stream, frame) for frame in packet.decode() if frame.pts is not None]
        except av.InvalidDataError:
            return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
