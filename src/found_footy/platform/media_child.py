"""The program that opens untrusted video files, run as a child process under limits.

`python -m found_footy.platform.media_child SOURCE [THUMBNAIL PLAYABLE [PREVIEW]]` prints one JSON object: the facts of
the file, or the fault that makes it unusable. A crash, a hang or a bomb ends this process and nothing else.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL import Image

from found_footy.platform.machine import MACHINE, own_fault
from found_footy.platform.media_boxes import is_faststart
from found_footy.platform.media_parts import holds_more
from found_footy.platform.media_preview import write_preview
from found_footy.platform.media_rules import codec_of
from found_footy.platform.media_stream import Facts, Unusable, answer, checked, duration_of, opened, turned

_THUMBNAIL_WIDTH = 640
_THUMBNAIL_AT = 0.33
_JPEG_QUALITY = 80
# What writes JPEG is loaded by now: a child that is confined may not get at it.
Image.preinit()


def main(arguments: list[str]) -> int:
    return answer(lambda: _inspected(*map(Path, arguments)))


def _inspected(
    source: Path, thumbnail: Path | None = None, playable: Path | None = None, preview: Path | None = None
) -> Facts:
    with opened(source) as (container, stream):
        facts = _facts(container, stream)
        frames = _frames_from(container, stream, facts["duration"] * _THUMBNAIL_AT)
        frame = next(frames)
        facts["rotation"] = turned(frame)
        if thumbnail is not None:
            _save_thumbnail(frame, thumbnail)
        facts["preview"] = preview is not None and _has_preview(frame, frames, preview)
    remuxed = playable is not None and (not is_faststart(source) or holds_more(source))
    if playable is not None and remuxed:
        _remux(source, playable)
    return {**facts, "remuxed": remuxed}


def _facts(container: InputContainer, stream: VideoStream) -> Facts:
    duration, context = duration_of(container, stream), stream.codec_context
    return {
        "duration": round(duration, 3),
        "width": max(1, round(context.width * (stream.sample_aspect_ratio or 1))),
        "height": context.height,
        "fps": round(float(stream.average_rate or stream.guessed_rate or 0), 3),
        "codec": codec_of(context),
        "bitrate": int(container.size * 8 / duration),
        "size": container.size,
        "has_audio": bool(container.streams.audio),
    }


def _frames_from(container: InputContainer, stream: VideoStream, seconds: float) -> Iterator[VideoFrame]:
    """The frames from near that time on; from the first that decodes where seeking leads nowhere."""
    if stream.time_base is not None:
        container.seek(int(seconds / stream.time_base), stream=stream)
    some = False
    for frame in container.decode(stream):
        some = True
        yield checked(stream, frame)
    if not some:
        raise Unusable("corrupt", "no frame can be decoded")


def _save_thumbnail(frame: VideoFrame, target: Path) -> None:
    width = min(_THUMBNAIL_WIDTH, frame.width)
    height = max(2, round(frame.height * width / frame.width))
    picture = frame.to_image(width=width, height=height, threads=1)  # type: ignore[no-untyped-call]
    picture.rotate(turned(frame), expand=True).save(target, "JPEG", quality=_JPEG_QUALITY)


def _has_preview(first: VideoFrame, others: Iterator[VideoFrame], target: Path) -> bool:
    """A clip without a preview is still a clip: what goes wrong here is not its fault. On a disk that takes nothing
    more it is made later, with the rest.
    """
    try:
        return write_preview(first, others, target)
    except (FFmpegError, MemoryError, ValueError, ArithmeticError) as error:
        with suppress(OSError):
            target.unlink(missing_ok=True)
        if own_fault(error) == MACHINE:
            raise
        return False


def _remux(source: Path, target: Path) -> None:
    """The same packets with the index in front, so that a browser can begin at once, and without anything else that
    the file held: where and with what it was filmed, notes, further tracks. Nothing is encoded again.

    `bitexact` leaves out versions and times, so that the same input always gives the same bytes.
    """
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with opened(source) as (old, _), av.open(str(target), "w", format="mp4", container_options=options) as new:
        streams = {
            s.index: new.add_stream_from_template(s, opaque=True) for s in old.streams if s.type in ("video", "audio")
        }  # fmt: skip
        for packet in old.demux([s for s in old.streams if s.index in streams]):
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                new.mux(packet)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
