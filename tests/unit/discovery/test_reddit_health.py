"""The owner is told what Reddit answered, until when the source rests, and what to do."""

from datetime import UTC, datetime

import pytest

from found_footy.discovery.sources.reddit.health import describe_reddit
from found_footy.discovery.sources.reddit.store import PollState

WORKED = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
RESTING = datetime(2026, 11, 15, 20, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        ("Blocked", "REDDIT_CLIENT_ID"),
        ("AuthFailed", "withdrawn"),
        ("RateLimited", "nothing"),
        ("Unavailable", "again"),
    ],
)
def test_a_failure_says_what_how_long_and_what_to_do(error: str, remedy: str) -> None:
    state = PollState(RESTING, error=error, message="status 403", failures=1, worked_at=WORKED)
    health = describe_reddit(state, has_key=False)
    assert not health.healthy
    assert health.text == (
        f"{error}: status 403; rests until 2026-11-15 20:16:00 UTC, last read at 2026-11-15 20:00:00 UTC"
        " (by its Atom feed, without a key)"
    )
    assert remedy in health.remedy


def test_a_source_that_works_says_when_it_was_read() -> None:
    assert describe_reddit(PollState(worked_at=WORKED), has_key=True).text == (
        "r/soccer last read at 2026-11-15 20:00:00 UTC (with a key)"
    )
    assert describe_reddit(PollState(), has_key=True).healthy
