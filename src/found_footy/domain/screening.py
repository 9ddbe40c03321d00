"""Which files can be a broadcast clip of a goal, by duration, aspect ratio and size: as declared by the source before
the download, as measured after it.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome

_PATH_SIZE_PATTERN = re.compile(r"/(\d{2,5})x(\d{2,5})/")
# Declared measures are rounded, so a candidate is rejected only if it breaks a rule by more than this.
_DECLARED_DURATION_TOLERANCE = 1.0
_DECLARED_ASPECT_TOLERANCE = 0.03


@dataclass(frozen=True)
class ScreeningRules:
    min_duration: timedelta
    max_duration: timedelta
    min_aspect: float
    max_aspect: float
    min_short_side: int


DEFAULT_SCREENING_RULES = ScreeningRules(
    timedelta(seconds=3), timedelta(seconds=60), min_aspect=1.33, max_aspect=3.0, min_short_side=144
)


@dataclass(frozen=True)
class ScreeningRejection:
    """The rule that a file breaks, with the measured figures."""

    outcome: ClipOutcome
    reason: str


def screen_file(duration: float, width: int, height: int, rules: ScreeningRules) -> ScreeningRejection | None:
    """Return None if the file passes. Portrait videos and phone recordings fail on their aspect ratio."""
    shortest, longest = rules.min_duration.total_seconds(), rules.max_duration.total_seconds()
    if not shortest <= duration <= longest:
        return ScreeningRejection(
            ClipOutcome.FILTERED_DURATION, f"{duration:.1f} s is not within {shortest:g}–{longest:g} s"
        )
    aspect = width / height
    if not rules.min_aspect <= aspect <= rules.max_aspect:
        shape = f"{width}×{height} is {aspect:.2f}, not within {rules.min_aspect:g}–{rules.max_aspect:g}"
        return ScreeningRejection(ClipOutcome.FILTERED_ASPECT, shape)
    if min(width, height) < rules.min_short_side:
        return ScreeningRejection(ClipOutcome.FILTERED_SIZE, f"{width}×{height} is below {rules.min_short_side} lines")
    return None


def infer_variant_size(variant: VideoVariant) -> VideoVariant:
    """Read the size from the path of the URL, where the host writes it, if the source did not give it."""
    found = _PATH_SIZE_PATTERN.search(urlsplit(variant.url).path)
    if (variant.width and variant.height) or not found:
        return variant
    return VideoVariant(variant.url, variant.bitrate, int(found.group(1)), int(found.group(2)))


def largest_declared_size(candidate: ClipCandidate) -> tuple[int, int] | None:
    """Return the width and height of the largest variant whose size is known."""
    sizes = [
        (one.width, one.height)
        for one in map(infer_variant_size, candidate.variants)
        if one.width > 0 and one.height > 0
    ]
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


def screen_candidate(candidate: ClipCandidate, rules: ScreeningRules) -> ScreeningRejection | None:
    """Return why the file is certain to fail `screen_file`, by the source's declared measures; None if it may pass or
    they are unknown.
    """
    slack = timedelta(seconds=_DECLARED_DURATION_TOLERANCE)
    lenient = ScreeningRules(
        rules.min_duration - slack,
        rules.max_duration + slack,
        rules.min_aspect * (1 - _DECLARED_ASPECT_TOLERANCE),
        rules.max_aspect * (1 + _DECLARED_ASPECT_TOLERANCE),
        min_short_side=0,
    )
    # A missing measure is assumed to pass.
    duration = rules.max_duration.total_seconds() if candidate.duration_seconds is None else candidate.duration_seconds
    width, height = largest_declared_size(candidate) or (round(1000 * rules.min_aspect) + 1, 1000)
    return screen_file(duration, width, height, lenient)


def has_declared_measures(candidate: ClipCandidate) -> bool:
    """Whether the source declared the duration and a size."""
    return candidate.duration_seconds is not None and largest_declared_size(candidate) is not None
