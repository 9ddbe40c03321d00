"""Which goals a search selects, in which order, and where a page ends."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.outcomes import GoalStatus
from found_footy.views.catalogue import WordMatch
from found_footy.views.fixture_views import FixtureView, StoredFixture, build_fixture_view
from found_footy.views.search import (
    FoundGoal,
    GoalFilter,
    GoalKind,
    GoalListCursor,
    cut_page,
    format_goal_cursor,
    locate_goal,
    parse_goal_cursor,
    select_goals,
)
from tests.support.web import matchday


def view(*goals: matchday.Document, fixture_id: int = 5000, **changes: Any) -> FixtureView:
    document = matchday.fixture(fixture_id, events=list(goals), **changes)
    return build_fixture_view(StoredFixture(FixtureCollection.ACTIVE, document), attempts_wanted=10)


def word(text: str, *team_ids: int, players: frozenset[str] = frozenset()) -> WordMatch:
    return WordMatch(text, frozenset(team_ids), players)


MATCH = view(
    matchday.goal(player=1, name="Mesut Özil", minute=10),
    matchday.goal(player=2, name="Florian Wirtz", minute=80, assist={"id": 1, "name": "Mesut Özil"}),
)


@pytest.mark.parametrize(
    ("wanted", "minutes"),
    [
        (GoalFilter(), [80, 10]),
        (GoalFilter(words=(word("ozil"),)), [10]),
        (GoalFilter(words=(word("liv", matchday.HOME),)), [80, 10]),
        (GoalFilter(words=(word("liv", matchday.HOME), word("wirtz"))), [80]),
        (GoalFilter(words=(word("ozil"), word("wirtz"))), []),
        (GoalFilter(team_id=matchday.AWAY), [80, 10]),
        (GoalFilter(team_id=1), []),
        (GoalFilter(player_id=1), [80, 10]),
        (GoalFilter(player_id=2), [80]),
        (GoalFilter(league_id=39), [80, 10]),
        (GoalFilter(league_id=40), []),
        (GoalFilter(since=MATCH.kickoff), [80, 10]),
        (GoalFilter(since=MATCH.kickoff + timedelta(seconds=1)), []),
        (GoalFilter(until=MATCH.kickoff), []),
        (GoalFilter(until=MATCH.kickoff + timedelta(seconds=1)), [80, 10]),
        (GoalFilter(status=GoalStatus.SEARCHING), [80, 10]),
        (GoalFilter(kind=GoalKind.OPEN_PLAY), [80, 10]),
        (GoalFilter(kind=GoalKind.PENALTY), []),
        (GoalFilter(is_verified=True), []),
        (GoalFilter(min_resolution=480), []),
        (GoalFilter(status=GoalStatus.WATCHABLE), []),
    ],
)
def test_every_condition_must_hold(wanted: GoalFilter, minutes: list[int]) -> None:
    assert [found.goal.elapsed for found in select_goals(MATCH, wanted)] == minutes


def test_a_word_that_means_nothing_selects_nothing() -> None:
    assert GoalFilter(words=(word("nobody"),)).is_unmatchable
    assert not GoalFilter(words=(word("liv", 40),)).is_unmatchable
    assert not GoalFilter().is_unmatchable


def found_goals(places: list[tuple[int, int, int]]) -> list[FoundGoal]:
    """Goals at (hours, minute, player); some at the same time."""
    return [
        goal
        for number, (hours, minute, player) in enumerate(places)
        for goal in select_goals(
            view(
                matchday.goal(6000 + number, player, minute=minute),
                fixture_id=6000 + number,
                kickoff=matchday.NOW + timedelta(hours=hours),
            ),
            GoalFilter(),
        )
    ]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3), st.integers(1, 3)), max_size=20), st.integers(1, 5))
def test_pages_have_every_goal_once_in_order(places: list[tuple[int, int, int]], limit: int) -> None:
    goals = found_goals(places)
    listed: list[FoundGoal] = []
    cursor: GoalListCursor | None = None
    while page := cut_page(goals, cursor, limit):
        listed += page
        cursor = parse_goal_cursor(format_goal_cursor(locate_goal(page[-1])))
        assert cursor is not None
    assert listed == cut_page(goals, None, len(goals))
    assert len(listed) == len(goals)
    kickoffs = [one.match.kickoff for one in listed]
    assert kickoffs == sorted(kickoffs, reverse=True)


@given(
    st.datetimes(datetime(1970, 1, 1), datetime(2900, 1, 1)),  # noqa: DTZ001
    st.tuples(st.integers(0, 130), st.integers(0, 20), st.integers(0, 30)),
    st.integers(1, 10**12 - 1),
)
def test_a_cursor_reads_back(moment: datetime, place: tuple[int, int, int], fixture_id: int) -> None:
    kickoff = moment.replace(tzinfo=UTC, microsecond=moment.microsecond // 1000 * 1000)
    cursor = GoalListCursor(kickoff, *place, f"{fixture_id}_40_1_Goal_1")
    assert parse_goal_cursor(format_goal_cursor(cursor)) == cursor
    assert cursor.fixture_id == fixture_id


@pytest.mark.parametrize("text", ["", "1-2-3-4-5", "x", "1-1-1-1-1_2_3_Goal_1\n", "999999999999999-1-1-1-1_2_3_Goal_1"])
def test_a_foreign_cursor_is_refused(text: str) -> None:
    assert parse_goal_cursor(text) is None


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"kind": GoalKind.PENALTY}, True),
        ({"kind": GoalKind.OWN_GOAL}, False),
        ({"kind": GoalKind.OPEN_PLAY}, False),
        ({"is_verified": True}, True),
        ({"min_resolution": 720}, True),
        # Two clips have one each: none of them is both.
        ({"is_verified": True, "min_resolution": 720}, False),
        ({"is_verified": True, "min_resolution": 360}, True),
        ({"min_resolution": 1080}, False),
    ],
)
def test_a_goal_is_selected_by_how_it_was_scored_and_by_its_clips(wanted: dict[str, Any], found: bool) -> None:
    event = "5000_40_234_Goal_1"
    clips = [
        matchday.clip(event, "a" * 32, width=640, height=360),
        # An upright picture has as many lines as its shorter side.
        matchday.clip(event, "b" * 32, width=720, height=1280, timestamp_verified=False, timestamp_status="unverified"),
    ]
    match = view(matchday.goal(detail="Penalty", _s3_videos=clips))
    assert bool(select_goals(match, GoalFilter(**wanted))) is found
