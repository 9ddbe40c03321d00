"""Video files: what they are, a picture of them, and a layout that plays at once.

Files come from strangers. They are opened only by a child process with limits on memory, processor and wall time,
so that a file can cost its own rejection and never the worker.
"""

import json
import os
import sys
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from found_footy.platform.process import Ending, Finished, Limits, run

_LONGEST_ANSWER = 64 * 1024


class MediaFault(StrEnum):
    """Why a file cannot be used."""

    NOT_VIDEO = "not_video"
    CORRUPT = "corrupt"
    NO_VIDEO = "no_video"
    NO_DURATION = "no_duration"
    PICTURE_SIZE = "picture_size"
    TOO_MANY_STREAMS = "too_many_streams"
    TOO_SLOW = "too_slow"
    CRASHED = "crashed"


@dataclass(frozen=True)
class MediaInfo:
    """Facts of a video as it is shown: width and height are those after rotation. Seconds, bits per second, bytes."""

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
    """`remuxed` says that the playable copy was written; otherwise the source itself plays at once."""

    info: MediaInfo
    remuxed: bool


@dataclass(frozen=True)
class MediaLimits:
    time: timedelta = timedelta(seconds=20)
    cpu_seconds: int = 15
    memory: int = 1_500 * 2**20
    output: int = 2**30


async def probe(source: Path, limits: MediaLimits | None = None) -> MediaInfo | Unusable:
    """The facts of the file, or why it is unusable."""
    prepared = await _inspect(source, [], limits or MediaLimits())
    return prepared.info if isinstance(prepared, Prepared) else prepared


async def prepare(
    source: Path, *, thumbnail: Path, playable: Path, limits: MediaLimits | None = None
) -> Prepared | Unusable:
    """Probe, write a JPEG of the video to `thumbnail` and, if its index stands at the end, a copy to `playable` that
    begins with it. One child does all of it, because starting one takes longer than the work.
    """
    return await _inspect(source, [thumbnail, playable], limits or MediaLimits())


async def _inspect(source: Path, outputs: list[Path], limits: MediaLimits) -> Prepared | Unusable:
    child = await run(
        [sys.executable, "-m", "found_footy.platform.media_child", source, *outputs],
        timeout=limits.time,
        limits=Limits(memory=limits.memory, cpu_seconds=limits.cpu_seconds, file_size=limits.output),
        max_output=_LONGEST_ANSWER,
        environment=_environment(),
    )
    if child.ending is Ending.TIMED_OUT:
        return Unusable(MediaFault.TOO_SLOW, f"not read within {limits.time.total_seconds():g} s")
    return _parsed(child)


def _environment() -> dict[str, str]:
    """No credentials; what Python needs to find us; and one memory arena, which keeps the address space small."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "PYTHONPATH") if name in os.environ}
    return {**kept, "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}


def _parsed(child: Finished) -> Prepared | Unusable:
    if not child.ok:
        return Unusable(MediaFault.CRASHED, f"the decoder ended with {child.code}")
    facts: dict[str, Any] = json.loads(child.stdout)
    if "fault" in facts:
        return Unusable(MediaFault(facts["fault"]), str(facts["detail"]))
    remuxed = bool(facts.pop("remuxed"))
    return Prepared(_as_shown(MediaInfo(**facts)), remuxed)


def _as_shown(info: MediaInfo) -> MediaInfo:
    if info.rotation % 180 == 0:
        return info
    return MediaInfo(**{**info.__dict__, "width": info.height, "height": info.width})
