"""Instants and fixture positions as text in the cursors of lists. Exact to the millisecond, as MongoDB stores times."""

import re
from datetime import UTC, datetime, timedelta

from found_footy.views.fixture_views import FixtureView
from found_footy.views.store import FixtureListCursor

FIXTURE_CURSOR_PATTERN = r"^\d{1,15}-\d{1,12}$"
_FIXTURE_CURSOR = re.compile(FIXTURE_CURSOR_PATTERN)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MILLISECOND


def from_milliseconds(milliseconds: int) -> datetime | None:
    """None for an instant later than a datetime can express."""
    try:
        return _EPOCH + milliseconds * _MILLISECOND
    except OverflowError:
        return None


def format_fixture_cursor(fixture: FixtureView) -> str:
    return f"{to_milliseconds(fixture.kickoff)}-{fixture.fixture_id}"


def parse_fixture_cursor(text: str) -> FixtureListCursor | None:
    """None for a text that `format_fixture_cursor` does not write."""
    if not _FIXTURE_CURSOR.fullmatch(text):
        return None
    milliseconds, fixture_id = text.split("-")
    kickoff = from_milliseconds(int(milliseconds))
    return FixtureListCursor(kickoff, int(fixture_id)) if kickoff else None
