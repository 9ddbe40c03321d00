"""Probes video files, makes thumbnails and previews, and moves the index to the front.

Files are untrusted. Only a child process opens them, with limits on memory, processor and wall time, so that a file can
cause its own rejection and never harm the worker.
"""

import asyncio
import atexit
import json
import math
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from found_footy.platform import system_errors
from found_footy.platform.media.decode_rules import check_codec
from found_footy.platform.media.decoder_semaphore import DecoderSemaphore, detect_capacity
from found_footy.platform.process.fork_server import ForkServer
from found_footy.platform.process.runner import ProcessLimits, ProcessOutcome, ProcessResult

_decoder_semaphore = DecoderSemaphore(detect_capacity())
_MAX_OPEN_FILES = 64
_MAX_DETAIL_LENGTH = 500
# User packages lie below HOME; an interpreter in an unusual place may need its library path.
_INHERITED_VARIABLES = (
    "PATH",
    "LANG",
    "TMPDIR",
    "HOME",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "LD_LIBRARY_PATH",
)


class MediaFault(StrEnum):
    """Why a file cannot be used. MACHINE says nothing about the file; TOO_SLOW and CRASHED may not either. TOO_COSTLY
    is a limit on processor time that the child has set itself: the file needs more, however busy the machine is.
    """

    NOT_VIDEO = "not_video"
    CORRUPT = "corrupt"
    NO_VIDEO = "no_video"
    NO_DURATION = "no_duration"
    UNSUPPORTED_CODEC = "unsupported_codec"
    PICTURE_SIZE = "picture_size"
    TOO_MANY_STREAMS = "too_many_streams"
    TOO_SLOW = "too_slow"
    TOO_COSTLY = "too_costly"
    CRASHED = system_errors.CRASH_FAULT
    MACHINE = system_errors.MACHINE_FAULT


@dataclass(frozen=True)
class MediaInfo:
    """Facts of a video as displayed: width and height after rotation, in square pixels. Seconds, bits per second,
    bytes.
    """

    duration: float
    width: int
    height: int
    rotation: int
    fps: float
    codec: str
    bitrate: int
    size: int
    has_audio: bool

    @property
    def aspect_ratio(self) -> float:
        return self.width / self.height


@dataclass(frozen=True)
class UnusableMedia:
    fault: MediaFault
    detail: str


@dataclass(frozen=True)
class PreparedMedia:
    """`is_remuxed` says that the playable copy was written; otherwise the source itself has its index in front.
    `has_preview` says that the preview was written.
    """

    info: MediaInfo
    is_remuxed: bool
    has_preview: bool = False


@dataclass(frozen=True)
class MediaLimits:
    timeout: timedelta = timedelta(seconds=20)
    cpu_seconds: int = 15
    memory: int = 1_500 * 2**20
    max_output_bytes: int = 2**30
    max_answer_bytes: int = 64 * 1024


async def probe_media(source: Path, limits: MediaLimits | None = None) -> MediaInfo | UnusableMedia:
    """Return the facts of the file, or why it is unusable."""
    prepared = await _inspect_file(source, [], limits or MediaLimits())
    return prepared.info if isinstance(prepared, PreparedMedia) else prepared


async def prepare_media(
    source: Path, *, thumbnail: Path, playable: Path, preview: Path | None = None, limits: MediaLimits | None = None
) -> PreparedMedia | UnusableMedia:
    """Probe the file, write a JPEG to `thumbnail`, a short silent loop to `preview` if given and, if the index is at
    the end, a copy with the index in front to `playable`. One child does all of it, because starting one takes longer
    than the work. A failed preview does not count against the video.
    """
    limits = limits or MediaLimits()
    if preview is not None:
        prepared = await _inspect_file(source, [thumbnail, playable, preview], limits)
        if isinstance(prepared, PreparedMedia) or prepared.fault not in (MediaFault.CRASHED, MediaFault.TOO_SLOW):
            return prepared
    return await _inspect_file(source, [thumbnail, playable], limits)


async def run_in_sandbox(
    module: str, arguments: Sequence[Path | str], limits: MediaLimits, folders: Sequence[Path] = ()
) -> dict[str, Any] | UnusableMedia:
    """Run the `main` of one of our modules on a file, its first argument, and return the JSON object it prints, or the
    fault. The child runs under the limits, reads that file, writes into the folders, and has no other access.
    """
    paths = [str(one.absolute()) if isinstance(one, Path) else one for one in arguments]
    async with _decoder_semaphore.acquire(limits.memory):
        child = await _run_confined(module, paths, limits, folders)
    answer = _parse_result(child, limits)
    if isinstance(answer, UnusableMedia) and not await asyncio.to_thread(Path(paths[0]).exists):
        # Deleted meanwhile: the child's error is not about the file.
        return UnusableMedia(MediaFault.MACHINE, f"{Path(paths[0]).name} does not exist any more")
    return answer


def _parse_result(child: ProcessResult, limits: MediaLimits) -> dict[str, Any] | UnusableMedia:
    if child.outcome is ProcessOutcome.TIMED_OUT:
        return UnusableMedia(MediaFault.TOO_SLOW, f"not read within {limits.timeout.total_seconds():g} s")
    if child.exit_code == -signal.SIGXCPU:
        return UnusableMedia(MediaFault.TOO_COSTLY, "its processor time is used up")
    if not child.is_success:
        return UnusableMedia(MediaFault.CRASHED, f"the decoder ended with {child.exit_code}")
    return _parse_answer(child.stdout)


def set_decoder_memory(configured: int | None) -> None:
    """Set how much memory all decoders of this process may use together; None for a share of the machine. To be called
    at the start: jobs that run or wait by then are not counted.
    """
    global _decoder_semaphore  # noqa: PLW0603  one for the process
    _decoder_semaphore = DecoderSemaphore(detect_capacity(configured))


async def _run_confined(
    program: str, arguments: list[str], limits: MediaLimits, folders: Sequence[Path]
) -> ProcessResult:
    return await _shared_fork_server().run_module(
        program,
        arguments,
        timeout=limits.timeout,
        limits=ProcessLimits(
            memory=limits.memory,
            cpu_seconds=limits.cpu_seconds,
            file_size=limits.max_output_bytes,
            open_files=_MAX_OPEN_FILES,
            processes=0,
        ),
        max_output=limits.max_answer_bytes,
        source=arguments[0],
        folders=[str(folder.absolute()) for folder in folders],
    )


def _parse_answer(output: bytes) -> dict[str, Any] | UnusableMedia:
    """Parse the child's output; invalid output counts as a crash, since the child may be compromised."""
    try:
        facts: dict[str, Any] = json.loads(output)
        if "fault" in facts:
            return UnusableMedia(MediaFault(facts["fault"]), str(facts["detail"])[:_MAX_DETAIL_LENGTH])
    except (ValueError, TypeError, LookupError):
        return UnusableMedia(MediaFault.CRASHED, "the decoder's answer is invalid")
    return facts


async def _inspect_file(source: Path, outputs: list[Path], limits: MediaLimits) -> PreparedMedia | UnusableMedia:
    folders = sorted({output.parent for output in outputs})
    facts = await run_in_sandbox("found_footy.platform.media.children.probe", [source, *outputs], limits, folders)
    if isinstance(facts, UnusableMedia):
        return facts
    try:
        remuxed, previewed = bool(facts.pop("remuxed")), bool(facts.pop("preview"))
        return PreparedMedia(_apply_rotation(_check_info(MediaInfo(**facts))), remuxed, previewed)
    except (LookupError, TypeError, ValueError):
        return UnusableMedia(MediaFault.CRASHED, "the decoder's answer is invalid")


def _check_info(info: MediaInfo) -> MediaInfo:
    """Return the facts if their types are right: a compromised child may print anything."""
    counts = (info.width, info.height, info.rotation, info.bitrate, info.size)
    measures = (info.duration, info.fps)
    sane = all(type(one) is int and one >= 0 for one in counts) and all(map(math.isfinite, measures))
    seen = sane and min(info.width, info.height) > 0
    if not (seen and check_codec(info.codec) is None and isinstance(info.has_audio, bool)):
        raise ValueError("the facts of a video are of other kinds than these")
    return info


@cache
def _shared_fork_server() -> ForkServer:
    """The one fork server of this process, kept until the process ends."""
    children = ForkServer(_child_environment())
    atexit.register(children.close)
    return children


def _child_environment() -> dict[str, str]:
    """No credentials; what Python needs to find itself and our package; and one memory arena, which keeps the address
    space small.
    """
    inherited = {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
    return {**inherited, "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}


def _apply_rotation(info: MediaInfo) -> MediaInfo:
    if info.rotation % 180 == 0:
        return info
    return MediaInfo(**{**info.__dict__, "width": info.height, "height": info.width})
