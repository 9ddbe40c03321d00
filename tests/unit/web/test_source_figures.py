"""What each source of candidates is worth, and when its silence is suspicious."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from found_footy.views.source_figures import (
    ANSWERED,
    FormYield,
    FoundCandidate,
    GoalSearches,
    SearchAttempt,
    count_sources,
    describe_silence,
    read_goal_searches,
    read_search_record,
)
from found_footy.views.source_views import SourceState, build_source_views
from tests.support.web.matchday import NOW, Document


def minutes_later(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def searched(minute: float, results: Mapping[str, str], form: str = "scorer") -> SearchAttempt:
    return SearchAttempt(minutes_later(minute), results, form)


def found(source: str, minute: float = 1, **changes: Any) -> FoundCandidate:
    facts: dict[str, Any] = {"form": "scorer", "taken": True, "outcome": "", "kept": False, "right": False}
    return FoundCandidate(source=source, found_at=minutes_later(minute), **(facts | changes))


def test_a_source_is_failing_until_it_answers_again() -> None:
    records = (
        searched(1, {"x": "Blocked: at 10.0.0.1", "bluesky": ANSWERED}),
        searched(0, {"x": ANSWERED, "bluesky": "Unavailable: timeout"}),
    )
    bluesky, x = build_source_views([GoalSearches(NOW, records)], {}, minutes_later(3))
    assert (bluesky.name, bluesky.state, bluesky.last_error) == ("bluesky", SourceState.OK, None)
    assert (x.state, x.last_error, x.last_answer_at) == (SourceState.FAILING, "Blocked", NOW)
    assert (x.searches, x.failures) == (2, 1)


def test_the_poll_of_reddit_says_more_than_its_searches() -> None:
    poll = {"error": "Blocked", "worked_at": NOW, "next_at": NOW + timedelta(hours=1)}
    goal = GoalSearches(NOW, (searched(0, {"reddit": ANSWERED}),))
    (reddit,) = build_source_views([goal], poll, NOW)
    assert (reddit.state, reddit.last_error, reddit.rests_until) == (SourceState.FAILING, "Blocked", poll["next_at"])
    (reddit,) = build_source_views([GoalSearches(NOW, (), (found("reddit"),))], poll | {"error": ""}, NOW)
    assert (reddit.state, reddit.rests_until, reddit.last_answer_at) == (SourceState.OK, None, NOW)


def test_a_source_that_was_never_asked_is_unknown() -> None:
    (manual,) = build_source_views([GoalSearches(NOW, (), (found("manual"),))], {}, NOW)
    assert manual.state is SourceState.UNKNOWN


@pytest.mark.parametrize("row", [{}, {"searched_at": NOW}, {"searched_at": 5, "sources": {}}])
def test_a_damaged_record_of_a_search_is_left_out(row: Document) -> None:
    assert read_search_record(row) is None


def test_figures_tell_what_was_found_right_and_refused_and_how_soon() -> None:
    goals = [
        GoalSearches(
            NOW,
            (searched(1, {"x": ANSWERED}), searched(2, {"x": ANSWERED}, "wide"), searched(3, {"x": "Blocked: no"})),
            (
                found("x", 1, outcome="uploaded", kept=True, right=True),
                found("x", 2, outcome="wrong_minute", form="wide"),
                found("x", 2, outcome="duplicate", kept=True, form="wide"),
                found("reddit", 3, taken=False, outcome="filtered_duration"),
            ),
        ),
        GoalSearches(NOW, (searched(5, {"x": ANSWERED}),), (found("x", 5, outcome="wrong_minute"),)),
    ]
    reddit, x = count_sources(goals)
    assert (x.goals, x.found, x.fetched, x.kept, x.right) == (2, 4, 4, 2, 1)
    assert x.refused == {"wrong_minute": 2}
    assert x.median_delay_seconds == 180
    assert x.forms == (FormYield("scorer", 2, 2, 1, 1), FormYield("wide", 1, 2, 1, 0))
    assert (reddit.goals, reddit.found, reddit.fetched, reddit.kept, reddit.forms) == (1, 1, 0, 0, ())
    assert reddit.refused == {"filtered_duration": 1}


def test_a_stored_goal_is_read_with_the_last_verdict_on_each_candidate() -> None:
    long_url = f"https://x.com/{'a' * 200}"
    event: Document = {
        "_first_seen": NOW,
        "_discovered_videos": [
            {"url": long_url, "attempt": 1, "taken": True},
            {"url": "b", "source": "reddit", "attempt": 2, "taken": False, "refused": "filtered_aspect"},
        ],
        "_s3_videos": [{"_sources": [long_url], "timestamp_verified": True}],
        "attempts": [
            {"attempt": 2, "searched_at": minutes_later(2), "sources": {},
             "clips": [{"url": long_url, "outcome": "uploaded"}]},
            {"attempt": 1, "form": "wide", "searched_at": minutes_later(1), "sources": {"x": ANSWERED},
             "clips": [{"url": long_url, "outcome": "download_failed"}]},
        ],
    }  # fmt: skip
    read = read_goal_searches(event)
    assert read is not None
    assert read.candidates == (
        FoundCandidate("x", "wide", minutes_later(1), taken=True, outcome="uploaded", kept=True, right=True),
        FoundCandidate("reddit", "", minutes_later(2), taken=False, outcome="filtered_aspect", kept=False, right=False),
    )
    assert read.answering == {"x"}
    assert read_goal_searches({}) is None
    assert read_goal_searches({"_first_seen": NOW, "_discovered_videos": "damaged", "attempts": [5]}) is not None


def history(text: str, *, answered: bool = True) -> Sequence[GoalSearches]:
    """One goal per letter: r if Reddit found something and X too, x if only X did, R if only Reddit did, - if nobody
    did."""
    finding = {"r": ("x", "reddit"), "x": ("x",), "R": ("reddit",), "-": ()}
    told = {"x": ANSWERED, "reddit": ANSWERED if answered else "Blocked: a wall"}
    return [
        GoalSearches(minutes_later(at), (searched(at, told),), tuple(found(name, at) for name in finding[letter]))
        for at, letter in enumerate(text)
    ]


@pytest.mark.parametrize(
    ("goals", "suspected"),
    [
        ("", False),
        ("r" * 20, False),
        ("r" * 20 + "x" * 7, False),
        ("r" * 20 + "x" * 8, True),
        ("r" * 20 + "x" * 8 + "r", False),
        ("r" * 20 + "x" * 8 + "r" + "x" * 8, True),
        ("r" * 20 + "-" * 30, False),
        ("r" * 20 + "R" * 30, False),
        # It found something on a quarter of the goals: fourteen silent ones are not yet unlikely.
        ("rxxxx" * 6 + "x" * 10, False),
        ("rxxxx" * 6 + "x" * 40, True),
        # A source that has never found anything.
        ("x" * 11, False),
        ("x" * 12, True),
    ],
)
def test_a_source_that_finds_nothing_while_others_do_is_suspected(goals: str, suspected: bool) -> None:
    assert bool(describe_silence("reddit", history(goals))) is suspected


def test_a_source_that_fails_is_reported_as_failing_and_not_as_silent() -> None:
    assert describe_silence("reddit", history("x" * 40, answered=False)) == ""


def test_the_suspicion_says_since_when_and_what_was_usual() -> None:
    told = describe_silence("reddit", history("r" * 20 + "x" * 9))
    assert told == (
        "found nothing for the last 9 goals for which others found clips, though it answered; before, on 100% of 20"
    )
    (reddit, x) = build_source_views(history("r" * 20 + "x" * 9), {}, NOW)
    assert (reddit.suspicion, x.suspicion) == (told, None)
