"""Child program that probes and prepares untrusted video files, run in the sandbox under limits.

`python -m found_footy.platform.media.children.probe SOURCE [THUMBNAIL PLAYABLE [PREVIEW]]` prints one JSON object: the
facts of the file, or the fault that makes it unusable. A crash, a hang or a decompression bomb ends this process only.
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

from found_footy.platform.media.children.decoding import (
    MediaFacts,
    UnusableMediaError,
    check_frame,
    display_rotation,
    open_video,
    print_answer,
    read_duration,
)
from found_footy.platform.media.children.preview import write_preview
from found_footy.platform.media.decode_rules import codec_name
from found_footy.platform.media.mp4_boxes import is_faststart
from found_footy.platform.media.mp4_metadata import has_extra_data
from found_footy.platform.system_errors import MACHINE_FAULT, classify_system_error

_THUMBNAIL_WIDTH = 640
_THUMBNAIL_POSITION = 0.33
_JPEG_QUALITY = 80
# Load the JPEG plugin now: the sandboxed child may not read it.
Image.preinit()


def main(arguments: list[str]) -> int:
    return print_answer(lambda: inspect_file(*map(Path, arguments)))


def inspect_file(
    source: Path, thumbnail: Path | None = None, playable: Path | None = None, preview: Path | None = None
) -> MediaFacts:
    with open_video(source) as (container, stream):
        facts = _read_facts(container, stream)
        frames = _decode_from(container, stream, facts["duration"] * _THUMBNAIL_POSITION)
        frame = next(frames)
        facts["rotation"] = display_rotation(frame)
        if thumbnail is not None:
            _save_thumbnail(frame, thumbnail)
        facts["preview"] = preview is not None and _try_write_preview(frame, frames, preview)
    remuxed = playable is not None and (not is_faststart(source) or has_extra_data(source))
    if playable is not None and remuxed:
        _remux_faststart(source, playable)
    return {**facts, "remuxed": remuxed}


def _read_facts(container: InputContainer, stream: VideoStream) -> MediaFacts:
    duration, context = read_duration(container, stream), stream.codec_context
    return {
        "duration": round(duration, 3),
        "width": max(1, round(context.width * (stream.sample_aspect_ratio or 1))),
        "height": context.height,
        "fps": round(float(stream.average_rate or stream.guessed_rate or 0), 3),
        "codec": codec_name(context),
        "bitrate": int(container.size * 8 / duration),
        "size": container.size,
        "has_audio": bool(container.streams.audio),
    }


def _decode_from(container: InputContainer, stream: VideoStream, seconds: float) -> Iterator[VideoFrame]:
    """Yield frames from near that time on, or from the first that decodes if seeking fails."""
    if stream.time_base is not None:
        container.seek(int(seconds / stream.time_base), stream=stream)
    some = False
    for frame in container.decode(stream):
        some = True
        yield check_frame(stream, frame)
    if not some:
        raise UnusableMediaError("corrupt", "no frame can be decoded")


def _save_thumbnail(frame: VideoFrame, target: Path) -> None:
    width = min(_THUMBNAIL_WIDTH, frame.width)
    height = max(2, round(frame.height * width / frame.width))
    picture = frame.to_image(width=width, height=height, threads=1)  # type: ignore[no-untyped-call]
    picture.rotate(display_rotation(frame), expand=True).save(target, "JPEG", quality=_JPEG_QUALITY)


def _try_write_preview(first: VideoFrame, others: Iterator[VideoFrame], target: Path) -> bool:
    """Errors here do not count against the clip: it is usable without a preview. On a full disk the preview is made
    later, with the rest.
    """
    try:
        return write_preview(first, others, target)
    except (FFmpegError, MemoryError, ValueError, ArithmeticError) as error:
        with suppress(OSError):
            target.unlink(missing_ok=True)
        if classify_system_error(error) == MACHINE_FAULT:
            raise
        return False


def _remux_faststart(source: Path, target: Path) -> None:
    """Write the same packets with the index in front, so that a browser can start at once, and without other data of
    the file: location, device, notes, further tracks. Nothing is re-encoded.

    `bitexact` omits versions and times, so that the same input always gives the same bytes.
    """
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with open_video(source) as (old, _), av.open(str(target), "w", format="mp4", container_options=options) as new:
        streams = {
            s.index: new.add_stream_from_template(s, opaque=True) for s in old.streams if s.type in ("video", "audio")
        }
        for packet in old.demux([s for s in old.streams if s.index in streams]):
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                new.mux(packet)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
