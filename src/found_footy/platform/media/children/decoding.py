"""Opening untrusted video files: shared by the child programs. It loads the decoder, so no worker imports it."""

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

from found_footy.platform.media.decode_rules import (
    DECODER_OPTIONS,
    DEMUXER,
    INPUT_OPTIONS,
    check_codec,
    check_picture_size,
    check_pixel_format,
    codec_name,
)
from found_footy.platform.media.mp4_boxes import is_mp4
from found_footy.platform.system_errors import CRASH_FAULT, classify_system_error

_MAX_STREAMS = 8

MediaFacts = dict[str, Any]


class UnusableMediaError(Exception):
    def __init__(self, fault: str, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail


def print_answer(work: Callable[[], MediaFacts]) -> int:
    """Print the result of `work`, or the fault that stops it, as one JSON object."""
    try:
        found = work()
    except UnusableMediaError as error:
        found = {"fault": error.fault, "detail": error.detail}
    except (FFmpegError, MemoryError, ValueError, ArithmeticError, OSError) as error:
        found = {"fault": _classify_fault(error), "detail": f"{type(error).__name__}: {error}"[:300]}
    sys.stdout.write(json.dumps(found))
    return 0


def _classify_fault(error: Exception) -> str:
    """Disk and memory errors are not the file's fault; other system errors count as a crash."""
    about_the_file = isinstance(error, FFmpegError | ValueError | ArithmeticError)
    return classify_system_error(error) or ("corrupt" if about_the_file else CRASH_FAULT)


@contextmanager
def open_video(source: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open with only the MP4 demuxer and only this file: a playlist inside must not make us read others."""
    if not is_mp4(source):
        raise UnusableMediaError("not_video", "the file is not an MP4")
    with av.open(str(source), format=DEMUXER, options=INPUT_OPTIONS) as container:
        yield container, _select_video_stream(container)


def read_duration(container: InputContainer, stream: VideoStream) -> float:
    """Read the duration in seconds. A file without one is unusable."""
    if stream.duration is not None and stream.time_base is not None:
        duration = float(stream.duration * stream.time_base)
    else:
        duration = (container.duration or 0) / av.time_base
    if duration <= 0:
        raise UnusableMediaError("no_duration", "the file does not declare its duration")
    return duration


def _select_video_stream(container: InputContainer) -> VideoStream:
    if len(container.streams) > _MAX_STREAMS:
        raise UnusableMediaError("too_many_streams", f"{len(container.streams)} streams")
    if not container.streams.video:
        raise UnusableMediaError("no_video", "no video stream")
    stream = container.streams.video[0]
    codec, context = codec_name(stream.codec_context), stream.codec_context
    if why := check_codec(codec):
        raise UnusableMediaError("unsupported_codec", why)
    if context.pix_fmt is not None and (why := check_pixel_format(codec, context.pix_fmt)):
        raise UnusableMediaError("unsupported_codec", why)
    if why := check_picture_size(context.width, context.height):
        raise UnusableMediaError("picture_size", why)
    context.options = DECODER_OPTIONS
    stream.thread_count = 1
    return stream


def check_frame(stream: VideoStream, frame: VideoFrame) -> VideoFrame:
    """Return the frame if it matches its container's stream: a stream can change in the middle."""
    if why := check_picture_size(frame.width, frame.height):
        raise UnusableMediaError("picture_size", why)
    if why := check_pixel_format(codec_name(stream.codec_context), frame.format.name):
        raise UnusableMediaError("unsupported_codec", why)
    return frame


def display_rotation(frame: VideoFrame) -> int:
    """Rotation in degrees, in quarter turns, which is all that players apply."""
    return round(frame.rotation / 90) % 4 * 90
