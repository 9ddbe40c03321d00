"""How large a simulated match day is: how many matches when, how many goals, and how badly the feed behaves."""

from dataclasses import dataclass, field
from enum import StrEnum


class Size(StrEnum):
    SMALL = "small"
    DEMO = "demo"
    FULL = "full"


class Fate(StrEnum):
    """What is special about a match."""

    PLAIN = "plain"
    EXTRA_TIME = "extra_time"
    SHOOT_OUT = "shoot_out"
    POSTPONED = "postponed"
    ABANDONED = "abandoned"
    INTERRUPTED = "interrupted"


class Quirk(StrEnum):
    """What the feed does to one goal before it has it right, or after it had it."""

    STRUCK_OUT = "struck_out"
    REATTRIBUTED = "reattributed"
    LATE_SCORER = "late_scorer"
    MINUTE_MOVED = "minute_moved"
    ASSIST_LATER = "assist_later"
    FLICKER = "flicker"
    SCORE_FIRST = "score_first"


@dataclass(frozen=True)
class Shape:
    """Figures of a size. Times are minutes of the world's own clock, from its start.

    `waves` have a kick-off and a number of matches each. With `late`, matches are under way when the world begins: all
    goals fall between its first two figures, and every match is over soon after the third.
    """

    speed: float
    waves: tuple[tuple[float, int], ...]
    goals: tuple[int, int]
    late: tuple[float, float, float] | None = None
    per_match: tuple[int, ...] = ()
    fates: tuple[Fate, ...] = ()
    quirks: dict[Quirk, int] = field(default_factory=dict)
    bad_answers: int = 0
    without_right: float = 0.08
    haste: float = 1.0


SHAPES = {
    Size.SMALL: Shape(
        speed=12, waves=((0, 2),), goals=(5, 5), late=(0.8, 12.1, 13.2), per_match=(3, 2),
        quirks={Quirk.STRUCK_OUT: 1, Quirk.REATTRIBUTED: 1, Quirk.LATE_SCORER: 1},
        bad_answers=1, without_right=0.0, haste=0.5,
    ),
    Size.DEMO: Shape(
        speed=5, waves=((0, 6),), goals=(12, 12), late=(0.8, 9.2, 11.0), per_match=(2,) * 6,
        fates=(Fate.EXTRA_TIME,),
        quirks={
            Quirk.STRUCK_OUT: 1, Quirk.REATTRIBUTED: 1, Quirk.LATE_SCORER: 1, Quirk.FLICKER: 1, Quirk.ASSIST_LATER: 2,
        },
        bad_answers=2, without_right=0.0, haste=0.5,
    ),
    Size.FULL: Shape(
        speed=60, waves=((5, 5), (155, 10), (305, 5), (455, 4)), goals=(65, 76),
        fates=(Fate.SHOOT_OUT, Fate.EXTRA_TIME, Fate.POSTPONED, Fate.ABANDONED, Fate.INTERRUPTED),
        quirks={
            Quirk.STRUCK_OUT: 4, Quirk.REATTRIBUTED: 4, Quirk.LATE_SCORER: 6, Quirk.MINUTE_MOVED: 5,
            Quirk.ASSIST_LATER: 8, Quirk.FLICKER: 5, Quirk.SCORE_FIRST: 4,
        },
        bad_answers=20,
    ),
}  # fmt: skip
