"""Child program that extracts frames from untrusted video files, run in the sandbox under limits.

`python -m found_footy.platform.media.children.frames SOURCE FOLDER WHICH` writes raw RGB frames into the folder and
prints one JSON object that lists them, or the fault that makes the file unusable. WHICH is `outer` (the frames at a
quarter and three quarters, and the small ones), `half`, or `beside:SECONDS` (one two seconds from there, and the small
ones in between). Files are read by seeking: what lies between the frames is decoded only as far as they are predicted
from it.
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
# Far enough for the clock to advance, near enough to be in the same shot.
_BESIDE_OFFSET, _BESIDE_NAME = 2.0, "beside"
# A key frame replaces the requested frame if it is this near, as a share of the duration and in seconds: it is far
# cheaper to decode.
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
        raise UnusableMediaError("corrupt", "none of the sampled frames can be decoded")
    return {"pictures": pictures}


def _frame_times(seeker: "_FrameSeeker", which: str, duration: float) -> list[tuple[float, str]]:
    around = min(duration * _MAX_KEY_FRAME_SHARE, _MAX_KEY_FRAME_SECONDS)
    times = [(seeker.nearest_key_time(duration * share, around), name) for name, share in _POSITIONS[which].items()]
    if which == "outer":
        times += [(at, "small") for at in _small_times(seeker, [at for at, _ in times], duration)]
    return times


def _beside_times(at: float, duration: float) -> list[tuple[float, str]]:
    """After `at`; before it if the video ends too soon."""
    target = at + _BESIDE_OFFSET if at + _BESIDE_OFFSET < duration else max(0.0, at - _BESIDE_OFFSET)
    first, last = sorted((at, target))
    small = (first + number * _SMALL_INTERVAL for number in range(_SMALL_COUNT))
    return [(target, _BESIDE_NAME), *((when, "small") for when in small if when <= last)]


def _small_times(seeker: "_FrameSeeker", others: Sequence[float], duration: float) -> list[float]:
    """Times of the small frames, placed before one of the other frames so that one pass decodes both: where the
    distance from the key frame is longest.
    """
    span = (_SMALL_COUNT - 1) * _SMALL_INTERVAL
    distance, end = max((at - seeker.key_time_before(at), at) for at in others)
    first = max(0.0, min(end - min(distance, span), duration - span - _SMALL_INTERVAL))
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
    """Presentation times of key frames. The index has decoding times, which are earlier by a constant offset."""
    decoded = sorted(entry.timestamp for entry in stream.index_entries if entry.is_keyframe)
    return [start + stamp - decoded[0] for stamp in decoded]


class _FrameSeeker:
    """Decodes frames at rising times. It seeks to a key frame only where that saves decoding."""

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
        """Presentation time of the nearest key frame if it is near enough, else `seconds`."""
        nearest = min(self._key_times, key=lambda at: abs(at - seconds), default=seconds)
        return nearest if abs(nearest - seconds) <= around else seconds

    def key_time_before(self, seconds: float) -> float:
        """Presentation time of the key frame from which frames at `seconds` are predicted."""
        return max((at for at in self._key_times if at <= seconds), default=0.0)

    def frame_at(self, seconds: float) -> tuple[float, VideoFrame] | None:
        """Return the first frame shown at `seconds` or later, else the last one before it, with its own time."""
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
        """Frames shown before the wanted time are decoded only if others are predicted from them."""
        early = packet.pts is not None and packet.pts < stamp - self._half_frame
        self._stream.codec_context.skip_frame = "NONREF" if early else "DEFAULT"
        try:
            return [check_frame(self._stream, frame) for frame in packet.decode() if frame.pts is not None]
        except av.InvalidDataError:
            return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
