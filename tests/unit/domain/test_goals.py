"""The message made from a stored goal, and which goals were removed."""

from datetime import UTC, datetime
from typing import Any, cast

from found_footy.domain.documents import FixtureDocument, GoalDocument
from found_footy.domain.goals import goal_from_document, select_removed_goals
from found_footy.domain.messages import OtherGoal
from found_footy.domain.scores import Score
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


def test_a_goal_knows_its_scores_and_the_other_goals_of_the_match() -> None:
    fixture, score = stored_fixture(), {"home": 1, "away": 1}
    other = stored_goal(
        _event_id="5000_49_7_Goal_1", time={"elapsed": 47}, _score_before={"home": 1, "away": 0}, _score_after=score
    )
    ghost = stored_goal(_event_id="5000_40_234_Goal_2", _ghost_at=SEEN, _score_before=score, _score_after=score)
    events = fixture["events"] = [*fixture["events"], other, ghost]
    goal = goal_from_document(fixture, events[0], events)
    assert (goal.score_before, goal.score_after) == (Score(0, 0), Score(1, 0))
    assert goal.other_goals == (OtherGoal(47, None, Score(1, 0), Score(1, 1)),)
    snapshot = to_snapshot(fixture)
    assert snapshot.to_goal(snapshot.events[0]) == goal


def test_a_goal_without_stored_scores_has_none() -> None:
    fixture = stored_fixture(_score_before=None, _score_after=None)
    goal = goal_from_document(fixture, fixture["events"][0], fixture["events"])
    assert (goal.score_before, goal.score_after, goal.other_goals) == (None, None, ())


def test_the_aliases_that_were_searched_for_are_those_of_the_scoring_side() -> None:
    fixture = stored_fixture(_twitter_aliases=["Reds"])
    assert goal_from_document(fixture, fixture["events"][0]).home_aliases == ("Reds",)
    away = stored_fixture(_twitter_aliases=["Blues"], team={"id": 49, "name": "Chelsea"})
    goal = goal_from_document(away, away["events"][0])
    assert (goal.home_aliases, goal.away_aliases) == ((), ("Blues",))


def test_a_stored_goal_keeps_the_time_it_was_scored_at() -> None:
    fixture = stored_fixture()
    assert goal_from_document(fixture, fixture["events"][0]).scored_at == FELL


def test_a_goal_that_continues_under_another_id_was_not_removed() -> None:
    removed, moved, matched, listed = ({"_event_id": name} for name in ("removed", "moved", "matched", "listed"))
    events = [{"_event_id": "new", "_matched_from": "matched"}, {"_event_id": "listed"}]
    tombstones = [removed, {**moved, "_moved_to": "new"}, matched, listed]
    assert select_removed_goals(events, tombstones) == [removed]
