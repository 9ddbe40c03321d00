"""The figures: what is counted, and what is not."""

from datetime import timedelta
from typing import Any

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.views.fixture_views import StoredFixture
from found_footy.views.stats import build_stats, sort_into_bins
from tests.support.web import matchday
from tests.support.web.matchday import NOW, Document

EVENT = "5000_40_234_Goal_1"


def stored(*goals: Document, **changes: Any) -> StoredFixture:
    return StoredFixture(FixtureCollection.COMPLETED, matchday.fixture(events=list(goals), **changes))


def watchable(player: int, seconds: int, **changes: Any) -> Document:
    """A goal whose first clip came after so many seconds."""
    first_seen = NOW - timedelta(hours=1)
    clips = [
        matchday.clip(EVENT, "b" * 32, added_at=first_seen + timedelta(seconds=seconds + 100)),
        matchday.clip(EVENT, "a" * 32, added_at=first_seen + timedelta(seconds=seconds)),
    ]
    return matchday.goal(player=player, _first_seen=first_seen, _s3_videos=clips, **changes)


def test_capture_counts_goals_with_a_clip_of_those_that_are_decided() -> None:
    goals = [
        watchable(1, 90),
        matchday.goal(player=2, _download_complete=True),
        matchday.goal(player=3),
        matchday.goal(player=4, _ghost_at=NOW),
    ]
    stats = build_stats([stored(*goals, removed_events=[matchday.goal(player=5)])], [])
    assert (stats.capture.goals, stats.capture.watchable, stats.capture.searching, stats.capture.empty) == (3, 1, 1, 1)
    assert stats.capture.rate == 0.5
    assert (stats.matches, stats.clips, stats.clip_bytes) == (1, 2, 2_000_000)


def test_capture_is_counted_per_league() -> None:
    other = {"id": 78, "name": "Bundesliga", "country": "Germany"}
    stats = build_stats([stored(watchable(1, 90)), stored(league=other)], [])
    assert [(one.name, one.matches, one.capture.rate) for one in stats.leagues] == [
        ("Premier League", 1, 1.0),
        ("Bundesliga", 1, None),
    ]


def test_the_delay_is_that_of_the_first_clip_from_when_the_goal_was_scored() -> None:
    late = watchable(2, 10, _fell_at=NOW - timedelta(hours=1, minutes=6))
    stats = build_stats([stored(watchable(1, 90), late)], [])
    counted = {one.below_seconds: one.goals for one in stats.delays if one.goals}
    assert counted == {120: 1, 600: 1}
    assert stats.median_delay_seconds == (90 + 370) / 2


@pytest.mark.parametrize(("seconds", "bound"), [(0, 60), (59, 60), (60, 120), (3599, 3600), (3600, None)])
def test_a_delay_is_in_one_bin(seconds: int, bound: int | None) -> None:
    bins = sort_into_bins([timedelta(seconds=seconds)])
    assert [one.below_seconds for one in bins if one.goals] == [bound]
    assert len(bins) == 9


def test_without_goals_there_is_no_rate_and_no_median() -> None:
    stats = build_stats([], [])
    assert (stats.capture.rate, stats.median_delay_seconds, stats.leagues) == (None, None, ())
