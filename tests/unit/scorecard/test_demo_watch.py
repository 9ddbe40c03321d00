"""When the demo's day is over, and when the first goal is searched for."""

from datetime import UTC, datetime, timedelta

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.views.fixture_views import StoredFixture
from found_footy_sim.demo.day_progress import DayProgress, is_day_settled

NOW = datetime(2026, 11, 14, 15, tzinfo=UTC)


def match(collection: FixtureCollection, status: str = "NS", begins_in: float = 0, **fields: object) -> StoredFixture:
    kickoff = NOW + timedelta(minutes=begins_in)
    return StoredFixture(collection, {"_id": 1, "fixture": {"status": {"short": status}}, "kickoff": kickoff, **fields})


PLAYED = match(FixtureCollection.COMPLETED, "FT", -120)


@pytest.mark.parametrize(
    ("stored", "over"),
    [
        ([], False),
        ([PLAYED], True),
        ([PLAYED, match(FixtureCollection.ACTIVE, "FT", -100)], False),
        ([PLAYED, match(FixtureCollection.STAGING, begins_in=5)], False),
        ([PLAYED, match(FixtureCollection.STAGING, "PST", 5)], True),
        ([PLAYED, match(FixtureCollection.ACTIVE, "PST", -100)], True),
        ([PLAYED, match(FixtureCollection.STAGING, begins_in=24 * 60)], True),
        ([match(FixtureCollection.STAGING, "PST", 5)], False),
    ],
)
def test_the_day_is_over_when_all_that_is_played_today_is_archived(stored: list[StoredFixture], over: bool) -> None:
    assert is_day_settled(stored, NOW) == over


def test_the_day_is_under_way_once_a_goal_is_searched_for() -> None:
    course = DayProgress()
    course.update([match(FixtureCollection.ACTIVE, "1H", events=[{"_event_id": "a"}])])
    assert not course.search_started.is_set()
    course.update([match(FixtureCollection.ACTIVE, "1H", events=[{"_event_id": "a", "_monitor_complete": True}])])
    assert course.search_started.is_set()
