"""The live scoreboard on a day that is larger than the terminal."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from found_footy.cli.match_table import select_fitting_matches
from found_footy.domain.collections import FixtureCollection
from found_footy.views.fixture_views import FixtureView, StoredFixture, build_fixture_view
from tests.support.scorecard.match_days import KICKOFF

OVER, LIVE, TO_COME = (
    ("FT", FixtureCollection.COMPLETED),
    ("2H", FixtureCollection.ACTIVE),
    ("NS", FixtureCollection.STAGING),
)


def match(number: int, kind: tuple[str, FixtureCollection], goals: int = 0, *, done: bool = True) -> FixtureView:
    events = [
        {"_event_id": f"{number}_{goal}", "_monitor_complete": True, "_download_complete": done}
        for goal in range(goals)
    ]
    status = {"status": {"short": kind[0]}}
    document = {"_id": number, "kickoff": KICKOFF, "fixture": status, "events": events}
    return build_fixture_view(StoredFixture(kind[1], document), attempts_wanted=10)


def shown(matches: Iterable[FixtureView], lines: int) -> tuple[list[int], int]:
    kept, left_out = select_fitting_matches(list(matches), lines)
    return [one.fixture_id for one in kept], left_out


def test_a_day_that_fits_is_shown_whole() -> None:
    assert shown([match(1, OVER, 2), match(2, LIVE), match(3, TO_COME)], 5) == ([1, 2, 3], 0)


def test_where_there_is_little_space_goals_being_searched_for_come_first_and_then_matches_in_play() -> None:
    day = [match(1, OVER, 2), match(2, TO_COME), match(3, OVER, 1, done=False), match(4, LIVE), match(5, LIVE)]
    assert shown(day, 2) == ([3], 4)
    assert shown(day, 4) == ([3, 4, 5], 2)
    assert shown(day, 7) == ([1, 3, 4, 5], 1)


@given(st.lists(st.tuples(st.sampled_from([OVER, LIVE, TO_COME]), st.integers(0, 5)), max_size=24), st.integers(-5, 60))
def test_no_line_is_cut_off_and_every_match_is_shown_or_counted(
    kinds: list[tuple[tuple[str, FixtureCollection], int]], lines: int
) -> None:
    day = [match(number, kind, goals) for number, (kind, goals) in enumerate(kinds)]
    kept, left_out = select_fitting_matches(day, lines)
    assert sum(1 + len(one.goals) for one in kept) <= max(0, lines)
    assert len(kept) + left_out == len(day)
