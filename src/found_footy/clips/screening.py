"""Which files can be a broadcast clip of a goal, by their measures alone."""

from dataclasses import dataclass
from datetime import timedelta

from found_footy.model.outcome import ClipOutcome


@dataclass(frozen=True)
class Rules:
    shortest: timedelta
    longest: timedelta
    min_aspect: float
    max_aspect: float
    min_short_side: int


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
