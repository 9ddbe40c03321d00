"""The message made from a stored goal, and which goals were removed."""

from datetime import UTC, datetime
from typing import Any, cast

from found_footy.domain.documents import FixtureDocument, GoalDocument
from found_footy.domain.goals import goal_from_document, select_removed_goals
from found_footy.fixtures.goals.snapshot import to_snapshot

SEEN = datetime(2026, 11, 15, 20, 30, tzinfo=UTC)
FELL = datetime(2026, 11, 15, 20, 2, tzinfo=UTC)


def stored_goal(**fields: Any) -> GoalDocument:
    document = {
        "_event_id": "5000_40_234_Goal_1",
        "_slug": "Liverpool|Salah|45+2min",
        "_event_hash": "abc",
        "_first_seen": SEEN,
        "_fell_at": FELL,
        "_score_before": {"home": 0, "away": 0},
        "_score_after": {"home": 1, "away": 0},
        "type": "Goal",
        "player": {"id": 234, "name": "M. Salah"},
        "team": {"id": 40, "name": "Liverpool"},
        "time": {"elapsed": 45, "extra": 2},
        **fields,
    }
    return cast(GoalDocument, document)


def stored_fixture(**goal_fields: Any) -> FixtureDocument:
    return {
        "_id": 5000,
        "fixture": {"status": {"short": "1H"}},
        "teams": {"home": {"id": 40, "name": "Liverpool"}, "away": {"id": 49, "name": "Chelsea"}},
        "events": [stored_goal(**goal_fields)],
    }


def test_a_stored_goal_gives_the_same_message_as_its_snapshot() -> None:
    for fields in ({}, {"_fell_at": None}, {"player": None}, {"time": {"elapsed": 12}}):
        fixture = stored_fixture(**fields)
        snapshot = to_snapshot(fixture)
        assert goal_from_document(fixture, fixture["events"][0]) == snapshot.to_goal(snapshot.events[0])


def test_a_stored_goal_keeps_the_time_it_was_scored_at() -> None:
    fixture = stored_fixture()
    assert goal_from_document(fixture, fixture["events"][0]).scored_at == FELL


def test_a_goal_that_continues_under_another_id_was_not_removed() -> None:
    removed, moved, matched, listed = ({"_event_id": name} for name in ("removed", "moved", "matched", "listed"))
    events = [{"_event_id": "new", "_matched_from": "matched"}, {"_event_id": "listed"}]
    tombstones = [removed, {**moved, "_moved_to": "new"}, matched, listed]
    assert select_removed_goals(events, tombstones) == [removed]
