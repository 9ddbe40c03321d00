"""Sizes of a simulated match day: how many matches when, how many goals, and how faulty the feed is."""

from dataclasses import dataclass, field
from enum import StrEnum


class WorldSize(StrEnum):
    SMALL = "small"
    DEMO = "demo"
    FULL = "full"


class MatchKind(StrEnum):
    """The kind of a match."""

    PLAIN = "plain"
    EXTRA_TIME = "extra_time"
    SHOOT_OUT = "shoot_out"
    POSTPONED = "postponed"
    ABANDONED = "abandoned"
    INTERRUPTED = "interrupted"


class FeedQuirk(StrEnum):
    """What the feed does to one goal before it is right, or after it was."""

    REMOVED = "struck_out"
    REATTRIBUTED = "reattributed"
    LATE_SCORER = "late_scorer"
    MINUTE_MOVED = "minute_moved"
    ASSIST_LATER = "assist_later"
    FLICKER = "flicker"
    SCORE_FIRST = "score_first"


@dataclass(frozen=True)
class WorldShape:
    """Figures of a size. Times are minutes of the world's own clock, from its start.

    `waves` have a kickoff and a number of matches each. With `late_window`, matches are in play when the world starts:
    all goals are scored between its first two figures, and every match is over soon after the third.
    """

    speed: float
    waves: tuple[tuple[float, int], ...]
    goal_range: tuple[int, int]
    late_window: tuple[float, float, float] | None = None
    goals_per_match: tuple[int, ...] = ()
    match_kinds: tuple[MatchKind, ...] = ()
    quirks: dict[FeedQuirk, int] = field(default_factory=dict)
    bad_answers: int = 0
    share_without_clip: float = 0.08
    delay_factor: float = 1.0


WORLD_SHAPES = {
    WorldSize.SMALL: WorldShape(
        speed=12,
        waves=((0, 2),),
        goal_range=(5, 5),
        late_window=(0.8, 12.1, 13.2),
        goals_per_match=(3, 2),
        quirks={FeedQuirk.REMOVED: 1, FeedQuirk.REATTRIBUTED: 1, FeedQuirk.LATE_SCORER: 1},
        bad_answers=1,
        share_without_clip=0.0,
        delay_factor=0.5,
    ),
    WorldSize.DEMO: WorldShape(
        speed=5,
        waves=((0, 6),),
        goal_range=(12, 12),
        late_window=(0.8, 9.2, 11.0),
        goals_per_match=(2,) * 6,
        match_kinds=(MatchKind.EXTRA_TIME,),
        quirks={
            FeedQuirk.REMOVED: 1,
            FeedQuirk.REATTRIBUTED: 1,
            FeedQuirk.LATE_SCORER: 1,
            FeedQuirk.FLICKER: 1,
            FeedQuirk.ASSIST_LATER: 2,
        },
        bad_answers=2,
        share_without_clip=0.0,
        delay_factor=0.5,
    ),
    WorldSize.FULL: WorldShape(
        speed=60,
        waves=((5, 5), (155, 10), (305, 5), (455, 4)),
        goal_range=(65, 76),
        match_kinds=(
            MatchKind.SHOOT_OUT,
            MatchKind.EXTRA_TIME,
            MatchKind.POSTPONED,
            MatchKind.ABANDONED,
            MatchKind.INTERRUPTED,
        ),
        quirks={
            FeedQuirk.REMOVED: 4,
            FeedQuirk.REATTRIBUTED: 4,
            FeedQuirk.LATE_SCORER: 6,
            FeedQuirk.MINUTE_MOVED: 5,
            FeedQuirk.ASSIST_LATER: 8,
            FeedQuirk.FLICKER: 5,
            FeedQuirk.SCORE_FIRST: 4,
        },
        bad_answers=20,
    ),
}
