"""Video files: what they are, a picture of them, and a layout that plays at once.

Files come from strangers. They are opened only by a child process with limits on memory, processor and wall time,
so that a file can cost its own rejection and never the worker.
"""

import asyncio
import atexit
import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from found_footy.platform import machine
from found_footy.platform.media_budget import DecoderBudget, own_budget
from found_footy.platform.media_rules import codec_objection
from found_footy.platform.media_warm import WarmChildren
from found_footy.platform.process import Ending, Finished, Limits

_decoders = DecoderBudget(own_budget())
_OPEN_FILES = 64
_LONGEST_DETAIL = 500
# Packages of a user lie below HOME; an interpreter of an unusual place may need to be told where its libraries are.
_KEPT_VARIABLES = (
    "PATH", "LANG", "TMPDIR", "HOME", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "LD_LIBRARY_PATH",
)  # fmt: skip


class MediaFault(StrEnum):
    """Why a file cannot be used. MACHINE says nothing of the file, TOO_SLOW and CRASHED may say as little."""

    NOT_VIDEO = "not_video"
    CORRUPT = "corrupt"
    NO_VIDEO = "no_video"
    NO_DURATION = "no_duration"
    UNSUPPORTED_CODEC = "unsupported_codec"
    PICTURE_SIZE = "picture_size"
    TOO_MANY_STREAMS = "too_many_streams"
    TOO_SLOW = "too_slow"
    CRASHED = machine.CRASHED
    MACHINE = machine.MACHINE


@dataclass(frozen=True)
class MediaInfo:
    """Facts of a video as it is shown: width and height are those after rotation, in pixels as wide as they are high.
    Seconds, bits per second, bytes.
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
class Unusable:
    fault: MediaFault
    detail: str


@dataclass(frozen=True)
class Prepared:
    """`remuxed` says that the playable copy was written; otherwise the source itself plays at once. `previewed` says
    that there is a preview.
    """

    info: MediaInfo
    remuxed: bool
    previewed: bool = False


@dataclass(frozen=True)
class MediaLimits:
    time: timedelta = timedelta(seconds=20)
    cpu_seconds: int = 15
    memory: int = 1_500 * 2**20
    output: int = 2**30
    answer: int = 64 * 1024


async def probe(source: Path, limits: MediaLimits | None = None) -> MediaInfo | Unusable:
    """The facts of the file, or why it is unusable."""
    prepared = await _inspect(source, [], limits or MediaLimits())
    return prepared.info if isinstance(prepared, Prepared) else prepared


async def prepare(
    source: Path, *, thumbnail: Path, playable: Path, preview: Path | None = None, limits: MediaLimits | None = None
) -> Prepared | Unusable:
    """Probe, write a JPEG of the video to `thumbnail`, a short silent loop to `preview`, if wanted, and, if its index
    stands at the end, a copy to `playable` that begins with it. One child does all of it, because starting one takes
    longer than the work. A preview that cannot be made does not count against the video.
    """
    limits = limits or MediaLimits()
    if preview is not None:
        prepared = await _inspect(source, [thumbnail, playable, preview], limits)
        if isinstance(prepared, Prepared) or prepared.fault not in (MediaFault.CRASHED, MediaFault.TOO_SLOW):
            return prepared
    return await _inspect(source, [thumbnail, playable], limits)


async def in_child(
    program: str, arguments: Sequence[Path | str], limits: MediaLimits, folders: Sequence[Path] = ()
) -> dict[str, Any] | Unusable:
    """What the `main` of a module of ours says of a file, its first argument: a JSON object, or the fault. It runs
    under the limits, reads that file, writes into the folders, and reaches nothing else.
    """
    told = [str(one.absolute()) if isinstance(one, Path) else one for one in arguments]
    async with _decoders.admitted(limits.memory):
        child = await _confined(program, told, limits, folders)
    said = _said(child, limits)
    if isinstance(said, Unusable) and not await asyncio.to_thread(Path(told[0]).exists):
        # Cleared away meanwhile: whatever the child met, it was not the file.
        return Unusable(MediaFault.MACHINE, f"{Path(told[0]).name} does not exist any more")
    return said


def _said(child: Finished, limits: MediaLimits) -> dict[str, Any] | Unusable:
    if child.ending is Ending.TIMED_OUT:
        return Unusable(MediaFault.TOO_SLOW, f"not read within {limits.time.total_seconds():g} s")
    if not child.ok:
        return Unusable(MediaFault.CRASHED, f"the decoder ended with {child.code}")
    return _answer(child.stdout)


def share_memory(wanted: int | None) -> None:
    """How much all decoders of this process may use together; None for a share of the machine. To be said at the
    start: jobs that run or wait then are not counted.
    """
    global _decoders  # noqa: PLW0603
    _decoders = DecoderBudget(own_budget(wanted))


async def _confined(program: str, told: list[str], limits: MediaLimits, folders: Sequence[Path]) -> Finished:
    return await _children().run(
        program,
        told,
        timeout=limits.time,
        limits=Limits(
            memory=limits.memory, cpu_seconds=limits.cpu_seconds, file_size=limits.output, open_files=_OPEN_FILES,
            processes=0,
        ),
        max_output=limits.answer,
        source=told[0],
        folders=[str(folder.absolute()) for folder in folders],
    )  # fmt: skip


def _answer(said: bytes) -> dict[str, Any] | Unusable:
    """What makes no sense is a crash: the child may not be itself any more."""
    try:
        facts: dict[str, Any] = json.loads(said)
        if "fault" in facts:
            return Unusable(MediaFault(facts["fault"]), str(facts["detail"])[:_LONGEST_DETAIL])
    except (ValueError, TypeError, LookupError):
        return Unusable(MediaFault.CRASHED, "the decoder's answer makes no sense")
    return facts


async def _inspect(source: Path, outputs: list[Path], limits: MediaLimits) -> Prepared | Unusable:
    folders = sorted({output.parent for output in outputs})
    facts = await in_child("found_footy.platform.media_child", [source, *outputs], limits, folders)
    if isinstance(facts, Unusable):
        return facts
    try:
        remuxed, previewed = bool(facts.pop("remuxed")), bool(facts.pop("preview"))
        return Prepared(_as_shown(_checked(MediaInfo(**facts))), remuxed, previewed)
    except (LookupError, TypeError, ValueError):
        return Unusable(MediaFault.CRASHED, "the decoder's answer makes no sense")


def _checked(info: MediaInfo) -> MediaInfo:
    """The facts, if they are of the kinds that they should be: a child may say anything."""
    counts = (info.width, info.height, info.rotation, info.bitrate, info.size)
    measures = (info.duration, info.fps)
    sane = all(type(one) is int and one >= 0 for one in counts) and all(map(math.isfinite, measures))
    seen = sane and min(info.width, info.height) > 0
    if not (seen and codec_objection(info.codec) is None and isinstance(info.has_audio, bool)):
        raise ValueError("the facts of a video are of other kinds than these")
    return info


@cache
def _children() -> WarmChildren:
    """One for all that this process opens, until it ends."""
    children = WarmChildren(_environment())
    atexit.register(children.close)
    return children


def _environment() -> dict[str, str]:
    """No credentials; what Python needs to find itself and us; and one memory arena, which keeps the address space
    small.
    """
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**kept, "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}


def _as_shown(info: MediaInfo) -> MediaInfo:
    if info.rotation % 180 == 0:
        return info
    return MediaInfo(**{**info.__dict__, "width": info.height, "height": info.width})
