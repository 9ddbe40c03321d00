"""The live scoreboard on a day that is larger than the terminal."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from found_footy.cli.scoreboard import fitting
from found_footy.model.fixture import Room
from found_footy.web.views import Match, Stored, match_view
from tests.unit.scorecard.days import KICKOFF

OVER, LIVE, TO_COME = ("FT", Room.COMPLETED), ("2H", Room.ACTIVE), ("NS", Room.STAGING)


def match(number: int, kind: tuple[str, Room], goals: int = 0, *, done: bool = True) -> Match:
    events = [
        {"_event_id": f"{number}_{goal}", "_monitor_complete": True, "_download_complete": done}
        for goal in range(goals)
    ]  # fmt: skip
    status = {"status": {"short": kind[0]}}
    document = {"_id": number, "kickoff": KICKOFF, "fixture": status, "events": events}
    return match_view(Stored(kind[1], document), attempts_wanted=10)


def shown(matches: Iterable[Match], lines: int) -> tuple[list[int], int]:
    kept, left_out = fitting(list(matches), lines)
    return [one.fixture_id for one in kept], left_out


def test_a_day_that_fits_is_shown_whole() -> None:
    assert shown([match(1, OVER, 2), match(2, LIVE), match(3, TO_COME)], 5) == ([1, 2, 3], 0)


def test_where_there_is_little_room_goals_at_work_come_first_and_then_matches_under_way() -> None:
    day = [match(1, OVER, 2), match(2, TO_COME), match(3, OVER, 1, done=False), match(4, LIVE), match(5, LIVE)]
    assert shown(day, 2) == ([3], 4)
    assert shown(day, 4) == ([3, 4, 5], 2)
    assert shown(day, 7) == ([1, 3, 4, 5], 1)


@given(st.lists(st.tuples(st.sampled_from([OVER, LIVE, TO_COME]), st.integers(0, 5)), max_size=24), st.integers(-5, 60))
def test_no_line_is_cut_off_and_every_match_is_shown_or_counted(
    kinds: list[tuple[tuple[str, Room], int]], lines: int
) -> None:
    day = [match(number, kind, goals) for number, (kind, goals) in enumerate(kinds)]
    kept, left_out = fitting(day, lines)
    assert sum(1 + len(one.goals) for one in kept) <= max(0, lines)
    assert len(kept) + left_out == len(day)
