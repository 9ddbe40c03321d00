"""How much text recognition it takes to read teams and score, and where they are looked for."""

from dataclasses import replace

import pytest

from found_footy.domain.outcomes import Finding
from found_footy.domain.scores import Score
from found_footy.vision.bug_text import BugText
from found_footy.vision.expectation import ExpectedGoal, MatchTeams, ScoreChange
from found_footy.vision.local.bug_reading import read_bugs
from found_footy.vision.local.scoreboard import ScoreBugLocation
from found_footy.vision.local.scoreboard_search import read_scoreboard
from found_footy.vision.local.text_boxes import RelativeBox
from found_footy.vision.teams import judge_teams
from tests.support.vision.scripted_recognizer import CLIP, MIRROR, TOP_LEFT, ScriptedRecognizer

TEAMS = MatchTeams(("Sevilla",), ("Manchester City",))
GOAL = ExpectedGoal(64, teams=TEAMS, change=ScoreChange(64, Score(0, 1), Score(0, 2)))
BESIDE = RelativeBox(0.12, 0.05, 0.25, 0.09)
BELOW, FURTHER_BELOW = RelativeBox(0.05, 0.1, 0.11, 0.14), RelativeBox(0.05, 0.15, 0.11, 0.19)
CAPTION = RelativeBox(0.1, 0.2, 0.6, 0.32)
SEEN = BugText("SEV", "MCI", Score(0, 1))


def bug(clock: str, text: str, place: RelativeBox = BESIDE) -> list[tuple[str, RelativeBox]]:
    return [(clock, TOP_LEFT), (text, place)]


def read(recognizer: ScriptedRecognizer, expected: ExpectedGoal, *known: ScoreBugLocation) -> dict[float, BugText]:
    return read_bugs(recognizer, CLIP, read_scoreboard(recognizer, CLIP, known), expected)


def test_what_the_search_has_read_is_not_read_again() -> None:
    recognizer = ScriptedRecognizer({1: bug("64:10", "SEV 0-1 MCI"), 3: bug("64:20", "SEV 0-2 MCI")})
    assert read(recognizer, GOAL) == {5.0: SEEN}
    assert len(recognizer.reads) == 1


def test_names_and_score_may_be_in_rows_of_their_own() -> None:
    rows = [("SEV 0", BELOW), ("MCI 1", FURTHER_BELOW), ("VALENCIA 3-0 REAL MADRID", CAPTION)]
    recognizer = ScriptedRecognizer({1: [("64:10", TOP_LEFT), *rows], 3: [("64:20", TOP_LEFT), *rows]})
    assert read(recognizer, GOAL) == {5.0: SEEN}


def test_at_a_known_place_the_bug_is_read_in_one_frame() -> None:
    recognizer = ScriptedRecognizer({1: bug("64:10", "SEV 0-1 MCI"), 3: bug("64:20", "SEV 0-2 MCI")})
    place = ScoreBugLocation(TOP_LEFT, TOP_LEFT, panel=RelativeBox(0.05, 0.05, 0.25, 0.09))
    assert read(recognizer, GOAL, place) == {5.0: SEEN}
    [part] = recognizer.reads
    assert part.width < 0.3, "the place of the bug, not the top of the picture"


@pytest.mark.parametrize("others", [(), (ScoreChange(65, Score(0, 0), Score(0, 1)),)])
def test_a_second_frame_is_read_where_the_first_does_not_decide(others: tuple[ScoreChange, ...]) -> None:
    text = "SEV 0-1 MCI" if others else "SEV 0-0 MCI"
    recognizer = ScriptedRecognizer({1: bug("64:10", text), 3: bug("64:20", text)})
    assert list(read(recognizer, replace(GOAL, others=others))) == [5.0, 15.0]
    assert len(recognizer.reads) == 2


def test_nothing_is_read_if_nothing_is_expected() -> None:
    recognizer = ScriptedRecognizer({1: bug("64:10", "SEV 0-1 MCI"), 3: bug("64:20", "SEV 0-2 MCI")})
    assert read(recognizer, ExpectedGoal(64)) == {}


def test_of_a_mirrored_clip_the_mirror_image_is_read() -> None:
    garbled = [("IƆM 1-0 VƎƧ", TOP_LEFT)]
    recognizer = ScriptedRecognizer(
        {1: garbled, 3: garbled, 1 + MIRROR: bug("64:10", "SEV 0-0 MCI"), 3 + MIRROR: bug("64:20", "SEV 0-0 MCI")}
    )
    found = read(recognizer, GOAL)
    assert [one.score for one in found.values()] == [Score(0, 0)] * 2
    assert judge_teams([(one.first, one.second) for one in found.values()], TEAMS).finding is Finding.CONFIRMED


def test_a_score_that_the_search_has_missed_is_looked_for_at_the_place_of_the_bug() -> None:
    recognizer = ScriptedRecognizer({1: bug("64:10", "SEV MCI"), 3: bug("64:20", "SEV 0-2 MCI")})
    assert read(recognizer, GOAL) == {5.0: BugText("SEV", "MCI"), 15.0: BugText("SEV", "MCI", Score(0, 2))}
    assert len(recognizer.reads) == 3


def test_names_among_those_of_boards_count_only_if_they_are_those_of_the_match() -> None:
    boards = [("BEST BANK", BELOW), ("BIG BEER", FURTHER_BELOW)]
    shown = {1: [*bug("64:10", "VAL RMA"), *boards], 3: [*bug("64:20", "VAL RMA"), *boards]}
    assert [(one.first, one.second) for one in read(ScriptedRecognizer(shown), GOAL).values()] == []
    apart = [("SEV", BESIDE), ("MCI", RelativeBox(0.26, 0.05, 0.31, 0.09)), *boards]
    shown = {1: [("64:10", TOP_LEFT), *apart], 3: [("64:20", TOP_LEFT), *apart]}
    assert [(one.first, one.second) for one in read(ScriptedRecognizer(shown), GOAL).values()] == [("SEV", "MCI")] * 2
