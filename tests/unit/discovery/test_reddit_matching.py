"""A title is compared with a goal of the feed, and says by what it was recognized."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.discovery.sources.goal_facts import GoalFacts, read_goal_facts
from found_footy.discovery.sources.reddit.matching import MatchGrade, is_suspicion_of, match_title
from found_footy.discovery.sources.reddit.titles import parse_post_title

GOAL = GoalFacts(("Manchester United", "MUFC"), ("Nottingham Forest", "NFFC"), 2, 1, True, "Bruno Fernandes", 72)


def grade(text: str, goal: GoalFacts = GOAL) -> MatchGrade:
    title = parse_post_title(text)
    assert title is not None, text
    return match_title(title, goal).grade


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Manchester United [2] - 1 Nottingham Forest - Bruno Fernandes 72'", MatchGrade.CONFIRMED),
        ("Man Utd [2]-1 Nottingham - B. Fernandes 72'", MatchGrade.CONFIRMED),
        ("Manchester Utd [2]-1 Forest - Fernandes B. 73'", MatchGrade.CONFIRMED),
        ("Nottingham Forest 1-[2] Manchester United - Bruno 72'", MatchGrade.CONFIRMED),
        ("MUFC [2]-1 NFFC - Fernandez 72'", MatchGrade.CONFIRMED),
        ("Manchester United 2-1 Nottingham Forest - Bruno Fernandes 72'", MatchGrade.CONFIRMED),
        ("Manchester United [2] - 1 Nottingham Forest - Amad Diallo 72'", MatchGrade.CONFIRMED),
        ("Manchester United [2] - 1 Nottingham Forest - Bruno Fernandes", MatchGrade.CONFIRMED),
        ("Manchester United [2] - 1 Nottingham Forest - Amad Diallo 12'", MatchGrade.WEAK),
        ("Fernandes goal vs Nottingham Forest ([2]-1) 72'", MatchGrade.WEAK),
        ("Manchester United [1] - 0 Nottingham Forest - Bruno Fernandes 72'", MatchGrade.NONE),
        ("Manchester United 2 - [1] Nottingham Forest - Chris Wood 72'", MatchGrade.NONE),
        ("Manchester City [2] - 1 Nottingham Forest - Bruno Fernandes 72'", MatchGrade.NONE),
        ("Manchester United W [2] - 1 Nottingham Forest W - Ella Toone 72'", MatchGrade.NONE),
        ("Manchester United U21 [2] - 1 Nottingham Forest U21 - Bruno Fernandes 72'", MatchGrade.NONE),
    ],
)
def test_a_title_is_graded(text: str, expected: MatchGrade) -> None:
    assert grade(text) is expected


@pytest.mark.parametrize(
    ("written", "scorer"),
    [
        ("Kang-in Lee", "Lee Kang-In"),
        ("Neves J.", "João Neves"),
        ("Toni Rudiger", "A. Rüdiger"),
        ("Ronado", "Cristiano Ronaldo"),
        ("Maquire", "H. Maguire"),
        ("Vini Jr", "Vinícius Júnior"),
    ],
)
def test_scorers_are_recognized_however_they_are_written(written: str, scorer: str) -> None:
    goal = replace(GOAL, scorer=scorer, elapsed=10)
    expected = MatchGrade.WEAK if written == "Vini Jr" else MatchGrade.CONFIRMED
    assert grade(f"Manchester United [2]-1 Nottingham Forest - {written}", goal) is expected


@pytest.mark.parametrize("minute", ["93'", "90+3'", "90'", "90+4'", "90'+'"])
def test_added_time_may_be_missing_or_counted_on(minute: str) -> None:
    goal = replace(GOAL, elapsed=90, extra=3)
    assert grade(f"Man United [2]-1 Nottingham - Amad {minute}", goal) is MatchGrade.CONFIRMED


def test_the_reason_is_kept() -> None:
    title = parse_post_title("Man United [2]-1 Nottingham - Bruno Fernandes 72'")
    assert title is not None
    assert match_title(title, GOAL).reason == "teams, score and scorer and minute agree"
    assert match_title(replace(title, home_score=3), GOAL).reason == "score 3-1"


@pytest.mark.parametrize(
    ("text", "suspicion"),
    [
        ("Bruno Fernandes disallowed goal for Manchester United 72'", True),
        ("Manchester United disallowed goal against Nottingham Forest 72'", True),
        ("Manchester United disallowed goal against Nottingham Forest 12'", False),
        ("Manchester United disallowed goal against Chelsea 72'", False),
        ("VAR Rules out Fernandes's winner for MUFC", True),
        ("Manchester United [2]-1 Nottingham Forest - Bruno Fernandes 72'", False),
    ],
)
def test_a_disallowed_goal_is_a_suspicion_of_the_goal_that_it_names(text: str, suspicion: bool) -> None:
    assert is_suspicion_of(text, GOAL) is suspicion


@given(
    st.integers(0, 6), st.integers(0, 6), st.booleans(), st.integers(1, 90), st.booleans(),
    st.integers(0, 6), st.integers(0, 6)
)  # fmt: skip
def test_no_order_of_teams_confirms_another_score(
    home: int, away: int, home_scored: bool, minute: int, turned: bool, other_home: int, other_away: int
) -> None:
    after = (home + 1, away) if home_scored else (home, away + 1)
    goal = replace(GOAL, home_score=after[0], away_score=after[1], home_scored=home_scored, elapsed=minute)
    written = (other_home + 1, other_away) if home_scored else (other_home, other_away + 1)
    marks = (f"[{written[0]}]", str(written[1])) if home_scored else (str(written[0]), f"[{written[1]}]")
    teams = ("Manchester United", "Nottingham Forest")
    text = (
        f"{teams[1]} {marks[1]}-{marks[0]} {teams[0]} - Bruno Fernandes {minute}'"
        if turned
        else f"{teams[0]} {marks[0]}-{marks[1]} {teams[1]} - Bruno Fernandes {minute}'"
    )
    assert (grade(text, goal) is MatchGrade.CONFIRMED) == (written == after)


def test_the_facts_of_a_stored_goal_are_read() -> None:
    event = {
        "_score_before": {"home": 1, "away": 1},
        "_score_after": {"home": 2, "away": 1},
        "player": {"name": "Bruno Fernandes"},
        "time": {"elapsed": 72, "extra": None},
    }
    teams = {"home": {"name": "Manchester United"}, "away": {"name": "Nottingham Forest"}}
    assert read_goal_facts({"teams": teams, "events": [event]}, ["MUFC"], ["NFFC"]) == GOAL
    assert read_goal_facts({"teams": teams, "events": [event | {"_score_after": None}]}, [], []) is None
