"""The minute that the score bug of a clip shows."""

from dataclasses import dataclass
from random import Random

from found_footy_sim.script.model import MatchPosition
from found_footy_sim.world.goals import CLOSE_MINUTES, SimulatedGoal

_PERIOD_ENDS = (45, 90, 105, 120)
# Added time of the second half included.
_LAST_MINUTE = 94


@dataclass(frozen=True)
class ScreenMinute:
    """`period_end` is the last regular minute of the half: 48 in a half that ends at 45 is 45+3."""

    minute: int
    period_end: int


def screen_minute_of(goal: SimulatedGoal) -> ScreenMinute:
    return ScreenMinute(goal.clock_minute, _period_end(goal.at))


def draw_screen_minute(goal: SimulatedGoal, random: Random, *, same_minute: bool) -> ScreenMinute:
    """Draw the minute of a goal of another day, match or side: any, or one within three of this goal's."""
    if not same_minute:
        minute = random.randint(1, _LAST_MINUTE)
        return ScreenMinute(minute, 45 if minute <= 45 else 90)
    minute = max(1, goal.clock_minute + random.randint(-CLOSE_MINUTES, CLOSE_MINUTES))
    end = _period_end(goal.at)
    # Just before the half in which the goal fell, the half before it is on.
    earlier = [last for last in _PERIOD_ENDS if last < end]
    return ScreenMinute(minute, earlier[-1] if earlier and minute <= earlier[-1] else end)


def _period_end(at: MatchPosition) -> int:
    return next(last for last in _PERIOD_ENDS if at.minute <= last)
