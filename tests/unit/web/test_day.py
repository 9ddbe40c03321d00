"""Which matches a calendar day has, wherever the viewer is and whatever the clocks do."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from found_footy.domain.collections import FixtureCollection
from found_footy.views.day import (
    MAX_DAY,
    MIN_DAY,
    DaySummary,
    build_day_view,
    day_span,
    list_newest_goals,
    local_day,
    summarize_days,
)
from found_footy.views.fixture_views import FixtureView, StoredFixture, build_fixture_view
from tests.support.web import matchday

ZONES = sorted(available_timezones())
NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)


def match(
    fixture_id: int, kickoff: datetime, status: str = "FT", collection: FixtureCollection = FixtureCollection.ACTIVE
) -> FixtureView:
    document = matchday.fixture(fixture_id, kickoff=kickoff, status=status)
    return build_fixture_view(StoredFixture(collection, document), attempts_wanted=10)


@given(
    st.sampled_from(ZONES),
    st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
# Midnight is skipped, comes twice, the hour before it comes twice, and a whole day is skipped.
@example("Africa/Cairo", datetime(2026, 4, 23, 22, 0, tzinfo=UTC))
@example("America/Havana", datetime(2026, 11, 1, 4, 30, tzinfo=UTC))
@example("America/Havana", datetime(2026, 11, 1, 5, 30, tzinfo=UTC))
@example("America/Sao_Paulo", datetime(2018, 2, 18, 1, 30, tzinfo=UTC))
@example("Pacific/Apia", datetime(2011, 12, 30, 10, 0, tzinfo=UTC))
def test_an_instant_is_inside_its_own_day_and_no_other(zone_name: str, moment: datetime) -> None:
    zone = ZoneInfo(zone_name)
    own = local_day(moment, zone)
    for offset in (-2, -1, 0, 1, 2):
        span = day_span(own + timedelta(days=offset), zone)
        assert (span.start <= moment < span.end) == (offset == 0)


@pytest.mark.parametrize(
    ("day", "hours"),
    [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 6, 1), 24), (date(2028, 2, 29), 24)],
)
def test_a_day_is_shorter_or_longer_where_clocks_change(day: date, hours: int) -> None:
    span = day_span(day, ZoneInfo("Europe/London"))
    assert span.end - span.start == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("kickoff", "zone", "day"),
    [
        (datetime(2028, 2, 29, 0, 0, tzinfo=UTC), "UTC", date(2028, 2, 29)),
        (datetime(2028, 2, 29, 23, 59, tzinfo=UTC), "UTC", date(2028, 2, 29)),
        (datetime(2028, 2, 28, 20, 0, tzinfo=UTC), "Asia/Tokyo", date(2028, 2, 29)),
        (datetime(2028, 3, 1, 2, 0, tzinfo=UTC), "America/New_York", date(2028, 2, 29)),
        (datetime(2028, 2, 29, 23, 30, tzinfo=UTC), "Europe/Madrid", date(2028, 3, 1)),
        (datetime(2027, 2, 28, 23, 30, tzinfo=UTC), "Europe/Madrid", date(2027, 3, 1)),
    ],
)
def test_a_match_around_29_february_is_on_one_day(kickoff: datetime, zone: str, day: date) -> None:
    assert local_day(kickoff, ZoneInfo(zone)) == day
    assert summarize_days([kickoff], ZoneInfo(zone)) == (DaySummary(day, 1),)


@pytest.mark.parametrize("day", [MIN_DAY, MAX_DAY])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue", "UTC"])
def test_the_first_and_the_last_day_can_be_shown_everywhere(day: date, zone: str) -> None:
    span = day_span(day, ZoneInfo(zone))
    assert span.start < span.end


def test_live_ones_come_first_then_finished_then_upcoming_then_called_off() -> None:
    noon = NOW.replace(hour=12)
    fixtures = [
        match(1, noon, "CANC"),
        match(2, noon, "NS", FixtureCollection.STAGING),
        match(3, noon + timedelta(hours=2)),
        match(4, noon),
        match(5, noon + timedelta(hours=7), "2H"),
    ]
    view = build_day_view(NOW.date(), UTC, NOW, fixtures, previous_kickoff=None, next_kickoff=None)
    assert [one.fixture_id for one in view.matches] == [5, 4, 3, 2, 1]


def test_a_match_belongs_to_the_day_on_which_it_begins_for_the_viewer() -> None:
    late = match(1, datetime(2026, 11, 15, 23, 30, tzinfo=UTC))
    for zone, expected in (("Europe/London", [1]), ("Europe/Berlin", []), ("America/New_York", [1])):
        view = build_day_view(date(2026, 11, 15), ZoneInfo(zone), NOW, [late], previous_kickoff=None, next_kickoff=None)
        assert [one.fixture_id for one in view.matches] == expected, zone


def test_a_match_that_runs_past_midnight_is_still_shown_today_and_on_no_other_day() -> None:
    """It kicked off yesterday and is being played now."""
    now = datetime(2026, 11, 16, 0, 20, tzinfo=UTC)
    running, over = match(1, now - timedelta(minutes=70), "2H"), match(2, now - timedelta(hours=3))
    today, later = (
        build_day_view(day, UTC, now, [], previous_kickoff=None, next_kickoff=None, active=[running, over])
        for day in (date(2026, 11, 16), date(2026, 11, 17))
    )
    assert [one.fixture_id for one in today.still_live] == [1]
    assert (today.is_today, later.is_today, later.still_live) == (True, False, ())


def test_the_neighbouring_days_are_those_of_the_viewer() -> None:
    before, after = datetime(2026, 11, 13, 23, 30, tzinfo=UTC), datetime(2026, 11, 18, 23, 30, tzinfo=UTC)
    view = build_day_view(
        date(2026, 11, 16), ZoneInfo("Europe/Berlin"), NOW, [], previous_kickoff=before, next_kickoff=after
    )
    assert (view.previous_day, view.next_day, view.zone) == (date(2026, 11, 14), date(2026, 11, 19), "Europe/Berlin")


def test_days_are_counted_by_the_calendar_of_the_viewer() -> None:
    kickoffs = [datetime(2026, 11, 15, hour, 30, tzinfo=UTC) for hour in (3, 12, 23)]
    assert summarize_days(kickoffs, ZoneInfo("America/New_York")) == (
        DaySummary(date(2026, 11, 14), 1),
        DaySummary(date(2026, 11, 15), 2),
    )


def test_the_goal_whose_clip_came_last_is_the_newest() -> None:
    """A goal without a clip cannot be played."""
    documents = []
    for number, minutes in ((1, 5), (2, 20), (3, None)):
        goal = matchday.goal(number)
        added = NOW - timedelta(minutes=minutes) if minutes else None
        goal["_s3_videos"] = [matchday.clip(goal["_event_id"], added_at=added)] if minutes else []
        documents.append(matchday.fixture(number, events=[goal]))
    views = [build_fixture_view(StoredFixture(FixtureCollection.ACTIVE, one), attempts_wanted=10) for one in documents]
    view = build_day_view(date(2026, 11, 15), UTC, NOW, views, previous_kickoff=None, next_kickoff=None)
    assert [found.match.fixture_id for found in list_newest_goals(view, 9)] == [1, 2]
    assert [found.match.fixture_id for found in list_newest_goals(view, 1)] == [1]
