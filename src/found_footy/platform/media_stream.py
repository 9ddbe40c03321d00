"""Opening untrusted video files: what the child programs share. It loads the decoder, so no worker imports it."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from found_footy.platform.machine import CRASHED, own_fault
from found_footy.platform.media_boxes import looks_like_mp4
from found_footy.platform.media_rules import (
    CONTAINER,
    DECODER_OPTIONS,
    ONLY_THE_FILE,
    codec_objection,
    codec_of,
    format_objection,
    size_objection,
)

_MOST_STREAMS = 8

Facts = dict[str, Any]


class Unusable(Exception):
    def __init__(self, fault: str, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail


def answer(work: Callable[[], Facts]) -> int:
    """Print what the work gives, or the fault that stops it, as one JSON object."""
    try:
        found = work()
    except Unusable as error:
        found = {"fault": error.fault, "detail": error.detail}
    except (FFmpegError, MemoryError, ValueError, ArithmeticError, OSError) as error:
        found = {"fault": _fault_of(error), "detail": f"{type(error).__name__}: {error}"[:300]}
    sys.stdout.write(json.dumps(found))
    return 0


def _fault_of(error: Exception) -> str:
    """What the disk and the memory refuse is not the file's fault; what the system alone says otherwise is a crash."""
    about_the_file = isinstance(error, FFmpegError | ValueError | ArithmeticError)
    return own_fault(error) or ("corrupt" if about_the_file else CRASHED)


@contextmanager
def opened(source: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Only the MP4 demuxer and only this file: a playlist inside may not make us read others."""
    if not looks_like_mp4(source):
        raise Unusable("not_video", "the file is not an MP4")
    with av.open(str(source), format=CONTAINER, options=ONLY_THE_FILE) as container:
        yield container, _video_stream(container)


def duration_of(container: InputContainer, stream: VideoStream) -> float:
    """Seconds. A file that does not tell is unusable."""
    if stream.duration is not None and stream.time_base is not None:
        duration = float(stream.duration * stream.time_base)
    else:
        duration = (container.duration or 0) / av.time_base
    if duration <= 0:
        raise Unusable("no_duration", "the file does not tell how long it is")
    return duration


def _video_stream(container: InputContainer) -> VideoStream:
    if len(container.streams) > _MOST_STREAMS:
        raise Unusable("too_many_streams", f"{len(container.streams)} streams")
    if not container.streams.video:
        raise Unusable("no_video", "no video stream")
    stream = container.streams.video[0]
    codec, context = codec_of(stream.codec_context), stream.codec_context
    if why := codec_objection(codec):
        raise Unusable("unsupported_codec", why)
    if context.pix_fmt is not None and (why := format_objection(codec, context.pix_fmt)):
        raise Unusable("unsupported_codec", why)
    if why := size_objection(context.width, context.height):
        raise Unusable("picture_size", why)
    context.options = DECODER_OPTIONS
    stream.thread_count = 1
    return stream


def checked(stream: VideoStream, frame: VideoFrame) -> VideoFrame:
    """The frame, if it is what its container promised: a stream can change in the middle."""
    if why := size_objection(frame.width, frame.height):
        raise Unusable("picture_size", why)
    if why := format_objection(codec_of(stream.codec_context), frame.format.name):
        raise Unusable("unsupported_codec", why)
    return frame


def turned(frame: VideoFrame) -> int:
    """By how many degrees it is to be turned, in quarters, which is all that players do."""
    return round(frame.rotation / 90) % 4 * 90
