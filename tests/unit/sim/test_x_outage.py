"""X is switched off half-way through a day, and what other sources find afterwards is counted."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.views.fixture_views import StoredFixture
from found_footy.views.source_figures import FormYield, SourceFigures
from found_footy_sim.demo.outage_injector import OutageKind, outage_environment, parse_outages
from found_footy_sim.demo.x_outage import count_goals_with_clips_since, is_half_over
from found_footy_sim.scorecard.html_parts import render_sources
from found_footy_sim.scorecard.text_parts import format_sources

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("published", "to_come", "half"), [(0, 0, False), (0, 9, False), (4, 5, False), (5, 5, True), (9, 0, True)]
)
def test_half_of_the_posts_are_half_of_the_day(published: int, to_come: int, half: bool) -> None:
    assert is_half_over({"posts": [{}] * published, "posts_to_come": to_come}) is half


def test_goals_seen_afterwards_that_have_a_clip_are_counted() -> None:
    later, clip = NOON + timedelta(minutes=1), [{"clip_id": "a"}]
    events: list[dict[str, Any]] = [
        {"_first_seen": later, "_s3_videos": clip},
        {"_first_seen": later, "_s3_videos": []},
        {"_first_seen": NOON, "_s3_videos": clip},
        {"_s3_videos": clip},
    ]
    stored = [StoredFixture(FixtureCollection.ACTIVE, {"_id": 1, "events": events})]
    assert count_goals_with_clips_since(stored, NOON) == 1


def test_a_day_without_x_has_a_deadline_that_ends_it() -> None:
    assert parse_outages("x-off") == (OutageKind.X_OFF,)
    assert "FOOTY_FIXTURES__EVENT_DEADLINE" in outage_environment([OutageKind.X_OFF])
    assert outage_environment([OutageKind.FREEZE_WORKER]) == {}


def test_the_scorecard_has_a_line_per_source_and_form() -> None:
    x = SourceFigures("x", 3, 9, 8, 4, 2, {"wrong_minute": 5}, 61.4, (FormYield("scorer", 7, 9, 4, 2),))
    reddit = SourceFigures("reddit", 0, 0, 0, 0, 0, {}, None)
    assert format_sources([reddit, x]) == [
        "",
        "  sources",
        "  reddit: 0 found for 0 goals, 0 kept, 0 verified, median delay –; refused: none",
        "  x: 9 found for 3 goals, 4 kept, 2 verified, median delay 61 s; refused: 5 wrong_minute",
        "    scorer: 7 searches, 9 found, 4 kept, 2 verified",
    ]
    assert "<td>x</td><td>3</td><td>9</td>" in render_sources([x])
    assert format_sources([]) == []
