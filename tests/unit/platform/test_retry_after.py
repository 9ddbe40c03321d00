"""The Retry-After header in both of its forms."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from found_footy.platform.http.retry_after import parse_retry_after

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("17", 17.0),
        (" 17 ", 17.0),
        ("0", 0.0),
        ("901", 900.0),
        ("9" * 400, 900.0),
        ("Sun, 01 Mar 2026 12:00:40 GMT", 40.0),
        ("Sunday, 01-Mar-26 12:00:40 GMT", 40.0),
        ("Sun Mar  1 12:00:40 2026", 40.0),
        ("Sun, 01 Mar 2027 12:00:00 GMT", 900.0),
        ("Sun, 01 Mar 2026 11:59:00 GMT", 60.0),
        ("Sun, 99 Mar 2026 11:59:00 GMT", 60.0),
        ("Sun, 01 Mar 99999 11:59:00 GMT", 60.0),
        ("", 60.0),
        ("-5", 60.0),
        ("1.5", 60.0),
        ("١٧", 60.0),
        ("soon", 60.0),
    ],
)
def test_seconds_and_dates_are_parsed_and_other_values_give_the_default(text: str, seconds: float) -> None:
    assert parse_retry_after({"retry-after": text}, NOW, default=60.0, max_seconds=900.0) == seconds


def test_a_missing_header_gives_the_default() -> None:
    assert parse_retry_after({}, NOW, default=7.0, max_seconds=900.0) == 7.0


def test_the_time_zone_of_now_does_not_matter() -> None:
    here = NOW.astimezone(timezone(timedelta(hours=-5)))
    headers = {"retry-after": "Sun, 01 Mar 2026 12:00:40 GMT"}
    assert parse_retry_after(headers, here, default=60.0, max_seconds=900.0) == 40.0
