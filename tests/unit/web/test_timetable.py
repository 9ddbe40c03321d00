"""Where a match stands on the page depends on where its viewer is."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.views import phrases
from found_footy.views.fixture_views import FixtureView, StoredFixture, build_fixture_view
from found_footy.views.timetable import PageSection, find_time_zone, group_by_league
from found_footy.web.deps import next_daily_ingest
from tests.support.web import matchday

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)


def match(fixture_id: int, hours: float, status: str = "FT", league: str = "Premier League") -> FixtureView:
    document = matchday.fixture(
        fixture_id, kickoff=NOW + timedelta(hours=hours), status=status, league={"id": 1, "name": league}
    )
    return build_fixture_view(
        StoredFixture(FixtureCollection.STAGING if status == "NS" else FixtureCollection.ACTIVE, document),
        attempts_wanted=10,
    )


def test_leagues_are_apart_and_in_order() -> None:
    matches = [match(1, -3, league="Serie A"), match(2, -3, league="La Liga"), match(3, -2, league="Serie A")]
    blocks = group_by_league(matches)
    assert [(block.league.name, len(block.matches)) for block in blocks] == [("La Liga", 1), ("Serie A", 2)]
    assert PageSection("finished", "Finished", blocks).fixture_count == 3


@pytest.mark.parametrize("name", [None, "", "Mars/Olympus", "../../etc/passwd", "/etc/passwd", "x" * 5000, "a\0b", "."])
def test_a_zone_nobody_knows_is_utc(name: str | None) -> None:
    assert find_time_zone(name) is UTC


def test_a_known_zone_is_used() -> None:
    assert find_time_zone("Europe/Madrid") == ZoneInfo("Europe/Madrid")


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (datetime(2026, 11, 15, 0, 4, 59, tzinfo=UTC), datetime(2026, 11, 15, 0, 5, tzinfo=UTC)),
        (datetime(2026, 11, 15, 0, 5, tzinfo=UTC), datetime(2026, 11, 16, 0, 5, tzinfo=UTC)),
        (datetime(2026, 12, 31, 23, 0, tzinfo=UTC), datetime(2027, 1, 1, 0, 5, tzinfo=UTC)),
    ],
)
def test_the_next_ingest_is_the_next_five_past_midnight(now: datetime, then: datetime) -> None:
    assert next_daily_ingest(now) == then


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (-5, "any moment"),
        (0.5, "any moment"),
        (1, "in 1 minute"),
        (25, "in 25 minutes"),
        (119, "in 119 minutes"),
        (120, "in 2 hours"),
        (47 * 60, "in 47 hours"),
        (48 * 60, "in 2 days"),
    ],
)
def test_waiting_times_are_said_in_words(minutes: float, words: str) -> None:
    assert phrases.format_time_until(NOW + timedelta(minutes=minutes), NOW) == words


@pytest.mark.parametrize(
    ("status", "elapsed", "extra", "words"),
    [
        ("1H", 23, None, "23'"),
        ("1H", 45, 3, "45+3'"),
        ("HT", 45, None, "Half-time"),
        ("LIVE", None, None, "Live"),
        ("FT", 90, None, "Full time"),
        ("XYZ", None, None, "XYZ"),
        ("", None, None, "Unknown"),
    ],
)
def test_a_match_says_how_far_it_is(status: str, elapsed: int | None, extra: int | None, words: str) -> None:
    assert phrases.describe_fixture_state(status, elapsed, extra) == words
