"""Which files can be a broadcast clip of a goal, by their measures alone: as told before they are fetched, as measured
after that.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from found_footy.model.handoff import FoundVideo, VideoVariant
from found_footy.model.outcome import ClipOutcome

_SIZE_IN_PATH = re.compile(r"/(\d{2,5})x(\d{2,5})/")
# What a source tells of a video is rounded, so it refuses only what is beyond the rules by more than this.
_TOLD_SECONDS = 1.0
_TOLD_SHAPE = 0.03


@dataclass(frozen=True)
class Rules:
    shortest: timedelta
    longest: timedelta
    min_aspect: float
    max_aspect: float
    min_short_side: int


SHIPPED = Rules(timedelta(seconds=3), timedelta(seconds=60), min_aspect=1.33, max_aspect=3.0, min_short_side=144)


@dataclass(frozen=True)
class Objection:
    """The rule that a file breaks, with the figures that show it."""

    outcome: ClipOutcome
    reason: str


def objection(duration: float, width: int, height: int, rules: Rules) -> Objection | None:
    """None if the file may go on. Portrait and phone shapes fail on their aspect ratio."""
    shortest, longest = rules.shortest.total_seconds(), rules.longest.total_seconds()
    if not shortest <= duration <= longest:
        return Objection(ClipOutcome.FILTERED_DURATION, f"{duration:.1f} s is not within {shortest:g}–{longest:g} s")
    aspect = width / height
    if not rules.min_aspect <= aspect <= rules.max_aspect:
        shape = f"{width}×{height} is {aspect:.2f}, not within {rules.min_aspect:g}–{rules.max_aspect:g}"
        return Objection(ClipOutcome.FILTERED_ASPECT, shape)
    if min(width, height) < rules.min_short_side:
        return Objection(ClipOutcome.FILTERED_SIZE, f"{width}×{height} is below {rules.min_short_side} lines")
    return None


def with_size(variant: VideoVariant) -> VideoVariant:
    """The host writes the size into the path, which helps where the source did not tell it."""
    found = _SIZE_IN_PATH.search(urlsplit(variant.url).path)
    if (variant.width and variant.height) or not found:
        return variant
    return VideoVariant(variant.url, variant.bitrate, int(found.group(1)), int(found.group(2)))


def told_size(video: FoundVideo) -> tuple[int, int] | None:
    """Width and height of the largest file that a post tells the size of."""
    sizes = [(one.width, one.height) for one in map(with_size, video.variants) if one.width > 0 and one.height > 0]
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


def told_objection(video: FoundVideo, rules: Rules) -> Objection | None:
    """Why the file is bound to be refused, from what its source has told; None if it may pass, or nobody knows."""
    slack = timedelta(seconds=_TOLD_SECONDS)
    lenient = Rules(
        rules.shortest - slack, rules.longest + slack, rules.min_aspect * (1 - _TOLD_SHAPE),
        rules.max_aspect * (1 + _TOLD_SHAPE), min_short_side=0,
    )  # fmt: skip
    # A measure that nobody told is taken to be a good one.
    duration = rules.longest.total_seconds() if video.duration_seconds is None else video.duration_seconds
    width, height = told_size(video) or (round(1000 * rules.min_aspect) + 1, 1000)
    return objection(duration, width, height, lenient)


def is_told(video: FoundVideo) -> bool:
    """Whether the source has told all that the rules ask for."""
    return video.duration_seconds is not None and told_size(video) is not None
