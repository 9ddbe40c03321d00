"""The program that opens untrusted video files, run as a child process under limits.

`python -m found_footy.platform.media_child SOURCE [THUMBNAIL [PLAYABLE]]` prints one JSON object: the facts of the
file, or the fault that makes it unusable. A crash, a hang or a bomb ends this process and nothing else.
"""

import json
import sys
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from found_footy.platform.media_boxes import is_faststart, looks_like_mp4

_MOST_STREAMS = 8
_LARGEST_SIDE = 8192
_MOST_PIXELS = 3840 * 2160 * 2
_THUMBNAIL_WIDTH = 640
_THUMBNAIL_AT = 0.33
_JPEG_QUALITY = 80


class Unusable(Exception):
    def __init__(self, fault: str, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail


def main(arguments: list[str]) -> int:
    try:
        answer = _inspected(*map(Path, arguments))
    except Unusable as error:
        answer = {"fault": error.fault, "detail": error.detail}
    except (FFmpegError, MemoryError, ValueError, ArithmeticError) as error:
        answer = {"fault": "corrupt", "detail": f"{type(error).__name__}: {error}"[:300]}
    sys.stdout.write(json.dumps(answer))
    return 0


def _inspected(source: Path, thumbnail: Path | None = None, playable: Path | None = None) -> dict[str, Any]:
    if not looks_like_mp4(source):
        raise Unusable("not_video", "the file is not an MP4")
    with _opened(source) as container:
        stream = _video_stream(container)
        facts = _facts(container, stream)
        frame = _frame_at(container, stream, facts["duration"] * _THUMBNAIL_AT)
        facts["rotation"] = int(frame.rotation) % 360
        if thumbnail is not None:
            _save_thumbnail(frame, thumbnail)
    remuxed = playable is not None and not is_faststart(source)
    if playable is not None and remuxed:
        _remux(source, playable)
    return {**facts, "remuxed": remuxed}


def _opened(source: Path) -> InputContainer:
    """Only the MP4 demuxer and only this file: a playlist inside may not make us read others."""
    return av.open(str(source), format="mp4", options={"protocol_whitelist": "file"})


def _video_stream(container: InputContainer) -> VideoStream:
    if len(container.streams) > _MOST_STREAMS:
        raise Unusable("too_many_streams", f"{len(container.streams)} streams")
    if not container.streams.video:
        raise Unusable("no_video", "no video stream")
    stream = container.streams.video[0]
    width, height = stream.codec_context.width, stream.codec_context.height
    if not (0 < width <= _LARGEST_SIDE and 0 < height <= _LARGEST_SIDE and width * height <= _MOST_PIXELS):
        raise Unusable("picture_size", f"{width}x{height}")
    stream.thread_count = 1
    return stream


def _facts(container: InputContainer, stream: VideoStream) -> dict[str, Any]:
    duration = _duration(container, stream)
    if duration <= 0:
        raise Unusable("no_duration", "the file does not tell how long it is")
    context = stream.codec_context
    return {
        "duration": round(duration, 3),
        "width": context.width,
        "height": context.height,
        "fps": round(float(stream.average_rate or stream.guessed_rate or 0), 3),
        "codec": context.name,
        "bitrate": int(container.size * 8 / duration),
        "size": container.size,
        "has_audio": bool(container.streams.audio),
    }


def _duration(container: InputContainer, stream: VideoStream) -> float:
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    return (container.duration or 0) / av.time_base


def _frame_at(container: InputContainer, stream: VideoStream, seconds: float) -> VideoFrame:
    """A frame near that time; the first that decodes where seeking leads nowhere."""
    if stream.time_base is not None:
        container.seek(int(seconds / stream.time_base), stream=stream)
    for frame in container.decode(stream):
        return frame
    raise Unusable("corrupt", "no frame can be decoded")


def _save_thumbnail(frame: VideoFrame, target: Path) -> None:
    width = min(_THUMBNAIL_WIDTH, frame.width)
    height = max(2, round(frame.height * width / frame.width))
    picture = frame.reformat(width=width, height=height, format="rgb24").to_image()  # type: ignore[no-untyped-call]
    picture.rotate(frame.rotation, expand=True).save(target, "JPEG", quality=_JPEG_QUALITY)


def _remux(source: Path, target: Path) -> None:
    """The same packets with the index in front, so that a browser can begin at once. Nothing is encoded again.

    `bitexact` leaves out versions and times, so that the same input always gives the same bytes.
    """
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with _opened(source) as old, av.open(str(target), "w", format="mp4", container_options=options) as new:
        streams = {
            s.index: new.add_stream_from_template(s) for s in old.streams if s.type in ("video", "audio")
        }  # fmt: skip
        for packet in old.demux([s for s in old.streams if s.index in streams]):
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                new.mux(packet)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
