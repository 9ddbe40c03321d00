"""Scores that a goal allows, and clips between two goals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.outcomes import Finding
from found_footy.domain.scores import Score
from found_footy.vision.expectation import ScoreChange
from found_footy.vision.shown_score import ScoreResult, ShownMatch, judge_score

CONFIRMED, UNKNOWN, CONTRADICTED = Finding.CONFIRMED, Finding.UNKNOWN, Finding.CONTRADICTED


def goal(minute: int, before: tuple[int, int], after: tuple[int, int]) -> ScoreChange:
    return ScoreChange(minute, Score(*before), Score(*after))


SECOND = goal(66, (0, 1), (0, 2))
THIRD = goal(68, (0, 2), (0, 3))


def judge(
    *scores: tuple[int, int], minutes: tuple[int, ...] = (66,), others: tuple[ScoreChange, ...] = ()
) -> ScoreResult:
    return judge_score(ShownMatch(tuple(Score(*one) for one in scores), frozenset(minutes)), SECOND, others)


@pytest.mark.parametrize(
    ("scores", "finding", "is_doubtful"),
    [
        ([(0, 1), (0, 1)], CONFIRMED, False),
        ([(0, 1), (0, 2)], CONFIRMED, False),
        ([(0, 2), (0, 2)], CONFIRMED, False),
        ([(0, 2)], CONFIRMED, False),
        ([(0, 3), (0, 3)], UNKNOWN, True),
        ([(1, 2), (1, 2)], UNKNOWN, True),
        ([(0, 0), (0, 0)], CONTRADICTED, False),
        ([(1, 1), (1, 1)], CONTRADICTED, False),
        ([(1, 0), (1, 1)], CONTRADICTED, False),
        ([(0, 0)], UNKNOWN, True),
        ([], UNKNOWN, False),
    ],
)
def test_a_score_is_before_after_later_or_of_another_goal(
    scores: list[tuple[int, int]], finding: Finding, is_doubtful: bool
) -> None:
    result = judge(*scores)
    assert (result.finding, result.is_doubtful) == (finding, is_doubtful)


def test_a_score_that_fits_with_the_away_side_first_refutes_only_if_the_names_tell_the_order() -> None:
    shown = (Score(2, 0), Score(2, 0))
    assert judge_score(ShownMatch(shown, is_order_known=False), SECOND).finding is UNKNOWN
    assert judge_score(ShownMatch(shown), SECOND).finding is CONTRADICTED


def test_without_an_expectation_nothing_is_known() -> None:
    assert judge_score(ShownMatch((Score(4, 4),) * 2), None) == ScoreResult(UNKNOWN, "4–4")


@pytest.mark.parametrize(
    ("scores", "minute", "finding", "is_doubtful"),
    [
        ([(0, 1), (0, 2)], 67, CONFIRMED, False),  # the second goal itself
        ([(0, 3), (0, 3)], 68, CONTRADICTED, False),  # the third
        ([(0, 2), (0, 3)], 67, CONTRADICTED, False),  # the third: 67:10 is in the 68th minute
        ([(0, 2), (0, 3)], 66, UNKNOWN, True),  # the third, and perhaps the end of the second
        ([(0, 2), (0, 2)], 67, UNKNOWN, True),  # after the second, before the third
        ([(0, 2), (0, 2)], 65, CONFIRMED, False),  # the same, with a clock clearly nearer to the second
        ([], 67, UNKNOWN, True),
        ([], 65, UNKNOWN, False),
    ],
)
def test_a_clip_belongs_to_the_goal_whose_score_it_shows(
    scores: list[tuple[int, int]], minute: int, finding: Finding, is_doubtful: bool
) -> None:
    result = judge(*scores, minutes=(minute,), others=(THIRD,))
    assert (result.finding, result.is_doubtful) == (finding, is_doubtful)


@pytest.mark.parametrize("scores", [[(0, 2), (0, 3)], [(0, 3), (0, 3)], [(0, 2), (0, 2)]])
def test_the_score_of_another_goal_without_a_clock_may_be_a_replay(scores: list[tuple[int, int]]) -> None:
    result = judge(*scores, minutes=(), others=(THIRD,))
    assert (result.finding, result.is_doubtful) == (UNKNOWN, True)


def test_a_score_from_before_the_goal_is_of_the_other_goal_with_or_without_a_clock() -> None:
    first, second = goal(116, (1, 1), (2, 1)), goal(117, (2, 1), (3, 1))
    for minutes in (frozenset[int](), frozenset({116})):
        shown = ShownMatch((Score(1, 1), Score(1, 1)), minutes)
        assert judge_score(shown, first, (second,)).finding is CONFIRMED
        assert judge_score(shown, second, (first,)).finding is CONTRADICTED
    alone = ShownMatch((Score(1, 1),))
    assert judge_score(alone, second, (first,)).is_doubtful


@pytest.mark.parametrize(
    ("scores", "minutes", "for_first", "for_second"),
    [
        ([(0, 0), (0, 1)], {116}, CONFIRMED, CONTRADICTED),
        ([(0, 1), (0, 2)], {117}, CONTRADICTED, CONFIRMED),
        ([(0, 0), (0, 1)], {117}, CONFIRMED, UNKNOWN),  # the clock is the other goal's
        ([(0, 0), (0, 1)], {116, 117}, CONFIRMED, UNKNOWN),  # both goals in one file
        ([(0, 0), (0, 1)], set(), CONFIRMED, UNKNOWN),
        ([(0, 1), (0, 1)], {116}, UNKNOWN, UNKNOWN),
        ([(0, 0), (0, 1), (0, 2)], {116}, UNKNOWN, UNKNOWN),
    ],
)
def test_a_clip_in_which_the_score_changes_as_the_other_goal_changed_it_shows_that_goal(
    scores: list[tuple[int, int]], minutes: set[int], for_first: Finding, for_second: Finding
) -> None:
    first, second = goal(117, (0, 0), (0, 1)), goal(118, (0, 1), (0, 2))
    shown = ShownMatch(tuple(Score(*one) for one in scores), frozenset(minutes))
    assert judge_score(shown, first, (second,)).finding is for_first
    assert judge_score(shown, second, (first,)).finding is for_second


def test_both_sides_scoring_in_one_minute_are_told_apart_by_the_score() -> None:
    home, away = goal(30, (0, 0), (1, 0)), goal(30, (1, 0), (1, 1))
    shown = ShownMatch((Score(0, 0), Score(1, 0)), frozenset({30}))
    assert judge_score(shown, home, (away,)).finding is CONFIRMED
    assert judge_score(shown, away, (home,)).is_doubtful


SCORES = st.builds(Score, st.integers(0, 4), st.integers(0, 4))


@st.composite
def two_goals(draw: st.DrawFn) -> tuple[ScoreChange, ScoreChange]:
    first = draw(SCORES)
    second = Score(first.home + 1, first.away) if draw(st.booleans()) else Score(first.home, first.away + 1)
    third = Score(second.home + 1, second.away) if draw(st.booleans()) else Score(second.home, second.away + 1)
    minute = draw(st.integers(1, 90))
    return ScoreChange(minute, first, second), ScoreChange(minute + draw(st.integers(0, 3)), second, third)


@given(two_goals(), st.lists(SCORES, max_size=3), st.sets(st.integers(1, 95), min_size=1, max_size=2))
def test_no_clip_is_beyond_doubt_for_two_goals(
    goals: tuple[ScoreChange, ScoreChange], scores: list[Score], minutes: set[int]
) -> None:
    one, other = goals
    shown = ShownMatch(tuple(scores), frozenset(minutes))
    results = judge_score(shown, one, (other,)), judge_score(shown, other, (one,))
    assert any(result.is_doubtful or result.finding is CONTRADICTED for result in results)


@given(two_goals(), st.booleans(), st.integers(-1, 1))
def test_a_clip_that_shows_its_goal_is_not_refuted_by_the_other(
    goals: tuple[ScoreChange, ScoreChange], is_first: bool, error: int
) -> None:
    """Whatever the feed's minute is wrong by."""
    one, other = goals if is_first else goals[::-1]
    minutes = frozenset({one.minute - 1 + error})
    for scores in ((one.before, one.after), (one.before, one.before), (one.after, one.after), (one.after,)):
        assert judge_score(ShownMatch(scores, minutes), one, (other,)).finding is not CONTRADICTED
