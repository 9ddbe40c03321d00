"""In which half a goal fell, and whether a clock that names a half can be of it."""

import pytest

from found_footy.vision.periods import Period, goal_period, is_in_goal_period

FIRST, SECOND, EXTRA, SECOND_EXTRA = Period.FIRST, Period.SECOND, Period.EXTRA, Period.SECOND_EXTRA


@pytest.mark.parametrize(
    ("elapsed", "extra", "period"),
    [
        (1, None, FIRST),
        (45, None, FIRST),
        (45, 3, FIRST),
        (46, None, SECOND),
        (48, None, SECOND),
        (90, None, SECOND),
        (90, 4, SECOND),
        (91, None, EXTRA),
        (94, None, EXTRA),
        (105, None, EXTRA),
        (105, 2, EXTRA),
        (106, None, SECOND_EXTRA),
        (120, 3, SECOND_EXTRA),
        (121, None, SECOND_EXTRA),
        (45, 0, FIRST),
    ],
)
def test_a_goal_was_scored_in_one_half(elapsed: int, extra: int | None, period: Period) -> None:
    assert goal_period(elapsed, extra) is period


@pytest.mark.parametrize(
    ("named", "minute", "goals", "fits"),
    [
        (FIRST, 48, FIRST, True),
        (FIRST, 48, SECOND, False),
        (SECOND, 48, FIRST, False),
        (SECOND, 94, EXTRA, False),
        (EXTRA, 94, SECOND, False),
        (EXTRA, 112, SECOND_EXTRA, True),
        (SECOND_EXTRA, 107, EXTRA, False),
        (FIRST, 67, SECOND, True),
        (EXTRA, 34, FIRST, True),
    ],
)
def test_a_named_half_must_be_the_goals_unless_its_own_minute_contradicts_it(
    named: Period, minute: int, goals: Period, fits: bool
) -> None:
    assert is_in_goal_period(named, minute, goals) is fits
