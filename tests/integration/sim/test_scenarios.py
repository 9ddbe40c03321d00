"""Every named scenario, poll by poll, against what it says itself, read from the feed as a client would read it."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from found_footy_sim import list_scenarios, load_scenario
from found_footy_sim.clock import ClockMode, SimulatedClock
from found_footy_sim.feed.fixture import build_fixture, get_timeline
from found_footy_sim.feed.timeline import TimelineMoment
from found_footy_sim.script.model import GoalTruth, MatchSide, Scenario, SimulatedMatch

START = datetime(2026, 11, 15, 15, 0, tzinfo=UTC)
LONG_AFTER = 3000.0
Json = dict[str, Any]


def end_of(match: SimulatedMatch) -> Json:
    """The feed when every window that ever closes has closed."""
    payload = build_fixture(match, TimelineMoment(get_timeline(match).end + LONG_AFTER, 10_000), START)
    assert payload is not None
    return payload


def goals_in(payload: Json) -> list[GoalTruth]:
    """What stands by the contract: no misses, no kicks of a shoot-out, nothing that a Var row removes."""
    removed_goal = Counter(_key(payload, row) for row in payload.get("events", []) if row["type"] == "Var")
    standing = []
    for row in payload.get("events", []):
        if row["type"] != "Goal" or row["detail"] == "Missed Penalty" or row["comments"] == "Penalty Shootout":
            continue
        key = _key(payload, row)
        if removed_goal[key]:
            removed_goal[key] -= 1
        else:
            standing.append(key)
    return standing


def _key(payload: Json, row: Json) -> GoalTruth:
    side = MatchSide.HOME if row["team"]["id"] == payload["teams"]["home"]["id"] else MatchSide.AWAY
    return GoalTruth(side, row["player"]["id"], row["time"]["elapsed"], row["time"]["extra"])


def polls_of(scenario: Scenario, match: SimulatedMatch, count: int) -> Iterator[Json | None]:
    clock = SimulatedClock(scenario, ClockMode.POLLED, 1.0, lambda: START)
    for _ in range(count):
        yield build_fixture(match, clock.count_poll(match), START)


def goal_polls(name: str, count: int = 24) -> list[list[int | None] | None]:
    """Per poll, the scorers in the rows of goals; None where the fixture or its events are absent."""
    scenario = load_scenario(name)
    reported = polls_of(scenario, scenario.matches[0], count)
    return [
        [row["player"]["id"] for row in payload["events"] if row["type"] == "Goal"]
        if payload and "events" in payload
        else None
        for payload in reported
    ]


def scores(name: str, count: int = 24) -> list[tuple[int | None, int | None]]:
    scenario = load_scenario(name)
    reported = [payload for payload in polls_of(scenario, scenario.matches[0], count) if payload]
    return [(payload["goals"]["home"], payload["goals"]["away"]) for payload in reported]


def statuses(name: str, count: int = 30) -> list[str]:
    scenario = load_scenario(name)
    reported = [payload for payload in polls_of(scenario, scenario.matches[0], count) if payload]
    return list(dict.fromkeys(payload["fixture"]["status"]["short"] for payload in reported))


@pytest.mark.parametrize("name", list_scenarios())
def test_the_feed_ends_where_the_script_says_it_does(name: str) -> None:
    for match in load_scenario(name).matches:
        payload = end_of(match)
        assert Counter(goals_in(payload)) == Counter(match.truth.goals)
        assert (payload["goals"]["home"], payload["goals"]["away"]) == match.truth.score
        assert payload["fixture"]["status"]["short"] == match.truth.status


@pytest.mark.parametrize("name", list_scenarios())
def test_every_scenario_describes_itself_and_its_final_truth(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.about.endswith(".")
    for match in scenario.matches:
        assert match.truth.status
        assert match.truth.score


@pytest.mark.parametrize("name", list_scenarios())
def test_polled_time_brings_every_scenario_to_its_end(name: str) -> None:
    scenario = load_scenario(name)
    for match in scenario.matches:
        last = [payload for payload in polls_of(scenario, match, 130) if payload][-1]
        assert last["fixture"]["status"]["short"] == match.truth.status
        assert Counter(goals_in(last)) == Counter(match.truth.goals)


@pytest.mark.parametrize("name", list_scenarios())
def test_goals_that_were_removed_were_once_there(name: str) -> None:
    scenario = load_scenario(name)
    for match in scenario.matches:
        seen = {goal for payload in polls_of(scenario, match, 60) if payload for goal in goals_in(payload)}
        assert set(match.truth.removed) <= seen


@pytest.mark.parametrize("name", list_scenarios())
def test_the_same_moment_always_gives_the_same_answer(name: str) -> None:
    scenario = load_scenario(name)
    first = list(polls_of(scenario, scenario.matches[0], 30))
    assert first == list(polls_of(load_scenario(name), load_scenario(name).matches[0], 30))


def test_a_goal_is_stable_for_three_polls_in_a_row_before_the_match_ends() -> None:
    assert goal_polls("normal-goal", 6) == [[], [], [234], [234], [234], [234]]


def test_the_new_row_may_come_before_the_old_one_goes() -> None:
    assert goal_polls("reattributed-new-first")[7:13] == [
        [234],
        [234, 203224],
        [234, 203224],
        [203224],
        [203224],
        [203224],
    ]


def test_the_new_row_may_come_as_the_old_one_goes() -> None:
    assert goal_polls("reattributed-same-poll")[7:10] == [[234], [203224], [203224]]


def test_the_old_row_may_go_before_the_new_one_comes_while_the_score_stays() -> None:
    assert goal_polls("reattributed-old-first")[7:12] == [[234], [], [], [203224], [203224]]
    assert set(scores("reattributed-old-first")[4:]) == {(1, 0)}


def test_the_score_may_lead_the_rows_and_the_rows_the_score() -> None:
    assert list(zip(goal_polls("score-leads-events", 6), scores("score-leads-events", 6), strict=True))[2:] == [
        ([], (1, 0)),
        ([], (1, 0)),
        ([], (1, 0)),
        ([234], (1, 0)),
    ]
    assert list(zip(goal_polls("events-lead-score", 6), scores("events-lead-score", 6), strict=True))[2:] == [
        ([234], (0, 0)),
        ([234], (0, 0)),
        ([234], (0, 0)),
        ([234], (1, 0)),
    ]


def test_a_flickering_goal_is_missing_ten_times_and_never_three_times_in_a_row() -> None:
    reported = goal_polls("var-flicker", 27)[2:]
    assert reported.count([]) == 10
    assert all(reported[i] != [] or reported[i + 1] == [234] for i in range(len(reported) - 1))


def test_a_goal_that_is_restored_is_missing_for_at_least_three_polls() -> None:
    reported = goal_polls("goal-given-back")
    assert [[]] * 3 in [reported[i : i + 3] for i in range(4, len(reported))]
    assert reported[-1] == [234]


def test_empty_events_contradict_the_score() -> None:
    reported, score = goal_polls("events-empty", 14), scores("events-empty", 14)
    assert reported[7:11] == [[]] * 4
    assert reported[12] is None
    assert set(score[7:14]) == {(1, 1)}


def test_duplicated_rows_do_not_change_the_score() -> None:
    assert goal_polls("goals-duplicated")[3] == [234, 234]
    assert set(scores("goals-duplicated")[2:]) == {(1, 0)}


def test_rows_change_their_order() -> None:
    reported = goal_polls("goals-reordered")
    assert reported[5] == [234, 234, 1460]
    assert reported[6] == [1460, 234, 234]


def test_a_fixture_that_is_left_out_is_absent_not_empty() -> None:
    scenario = load_scenario("fixture-absent")
    assert [payload is None for payload in polls_of(scenario, scenario.matches[0], 12)].count(True) == 7


@pytest.mark.parametrize(
    ("name", "walk"),
    [
        ("normal-goal", ["1H", "FT"]),
        ("postponed", ["NS", "PST"]),
        ("rescheduled", ["NS", "PST", "1H", "FT"]),
        ("suspended-and-resumed", ["1H", "SUSP", "2H", "FT"]),
        ("interrupted", ["1H", "INT", "FT"]),
        ("abandoned", ["1H", "2H", "ABD"]),
        ("cancelled", ["NS", "CANC"]),
        ("awarded", ["AWD"]),
        ("walkover", ["WO"]),
        ("status-unknown-word", ["1H", "COOL", "FT"]),
        ("jumps-to-full-time", ["NS", "FT"]),
        ("status-stuck", ["1H", "2H"]),
        ("extra-time", ["1H", "2H", "ET", "BT", "AET"]),
        ("shoot-out", ["1H", "2H", "ET", "P", "PEN"]),
    ],
)
def test_a_match_passes_through_its_statuses_in_order(name: str, walk: list[str]) -> None:
    assert statuses(name) == walk


def test_a_rescheduled_match_keeps_its_id_and_changes_its_date() -> None:
    scenario = load_scenario("rescheduled")
    reported = [payload["fixture"] for payload in polls_of(scenario, scenario.matches[0], 12) if payload]
    assert len({head["id"] for head in reported}) == 1
    assert len({head["date"] for head in reported}) == 2


def test_kicks_of_a_shoot_out_are_marked_and_counted_apart() -> None:
    payload = end_of(load_scenario("shoot-out").matches[0])
    kicks = [row for row in payload["events"] if row["comments"] == "Penalty Shootout"]
    assert {row["time"]["elapsed"] for row in kicks} == {120}
    assert [row["time"]["extra"] for row in kicks] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert payload["score"]["penalty"] == {"home": 3, "away": 2}
    assert payload["goals"] == {"home": 2, "away": 2}
    assert payload["score"]["fulltime"] == {"home": 1, "away": 1}


def test_an_own_goal_names_the_side_that_gains() -> None:
    payload = end_of(load_scenario("own-goal").matches[0])
    (row,) = payload["events"]
    assert (row["team"]["name"], row["player"]["name"], row["detail"]) == ("Liverpool", "W. Saliba", "Own Goal")
