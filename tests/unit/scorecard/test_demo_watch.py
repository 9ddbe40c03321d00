"""When the demo's day is over, and when the first goal is searched for."""

from datetime import UTC, datetime, timedelta

import pytest

from found_footy.cli.demo_watch import Course, settled
from found_footy.model.fixture import Room
from found_footy.web.views import Stored

NOW = datetime(2026, 11, 14, 15, tzinfo=UTC)


def match(room: Room, status: str = "NS", begins_in: float = 0, **fields: object) -> Stored:
    kickoff = NOW + timedelta(minutes=begins_in)
    return Stored(room, {"_id": 1, "fixture": {"status": {"short": status}}, "kickoff": kickoff, **fields})


PLAYED = match(Room.COMPLETED, "FT", -120)


@pytest.mark.parametrize(
    ("stored", "over"),
    [
        ([], False),
        ([PLAYED], True),
        ([PLAYED, match(Room.ACTIVE, "FT", -100)], False),
        ([PLAYED, match(Room.STAGING, begins_in=5)], False),
        ([PLAYED, match(Room.STAGING, "PST", 5)], True),
        ([PLAYED, match(Room.ACTIVE, "PST", -100)], True),
        ([PLAYED, match(Room.STAGING, begins_in=24 * 60)], True),
        ([match(Room.STAGING, "PST", 5)], False),
    ],
)
def test_the_day_is_over_when_all_that_is_played_today_is_archived(stored: list[Stored], over: bool) -> None:
    assert settled(stored, NOW) == over


def test_the_day_is_under_way_once_a_goal_is_searched_for() -> None:
    course = Course()
    course.note([match(Room.ACTIVE, "1H", events=[{"_event_id": "a"}])])
    assert not course.under_way.is_set()
    course.note([match(Room.ACTIVE, "1H", events=[{"_event_id": "a", "_monitor_complete": True}])])
    assert course.under_way.is_set()
