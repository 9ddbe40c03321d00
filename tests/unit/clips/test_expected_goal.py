"""What a clip of a goal should show, by the goal and the rules."""

from dataclasses import replace

import pytest

from found_footy.clips.check.conversion import to_check_result
from found_footy.clips.messages import CandidateNote, ClipFile, ClipFingerprint
from found_footy.clips.outcomes import build_screened_clip
from found_footy.clips.store import _note_document
from found_footy.domain.messages import Goal, OtherGoal
from found_footy.domain.outcomes import Finding, TimestampStatus
from found_footy.domain.proof import ClipProof
from found_footy.domain.scores import Score
from found_footy.platform.temporal.client import DATA_CONVERTER
from found_footy.vision.expectation import ExpectedGoal, MatchTeams, ProofRules, ScoreChange
from found_footy.vision.goal_expectation import to_expected_goal
from found_footy.vision.verdict import Accepted, VerdictEvidence
from tests.support.pipeline.goals import make_goal

OTHER = OtherGoal(45, 2, Score(0, 0), Score(0, 1))
GOAL = replace(
    make_goal(), away_aliases=("Gunners",), score_before=Score(0, 1), score_after=Score(1, 1), other_goals=(OTHER,)
)
PROOF = ClipProof("23:14", "", "LIV–ARS", "0–1", Finding.CONFIRMED, Finding.UNKNOWN, Finding.CONFIRMED)
CLIP = ClipFile("a" * 32, "scratch/e/a.mp4", "https://x.com/1", 1280, 720, 10.0, 1000, 800, 25.0)


def test_teams_scores_and_the_other_goals_are_expected() -> None:
    assert to_expected_goal(GOAL, ProofRules()) == ExpectedGoal(
        23,
        None,
        teams=MatchTeams(("Liverpool",), ("Arsenal", "Gunners")),
        change=ScoreChange(23, Score(0, 1), Score(1, 1)),
        others=(ScoreChange(47, Score(0, 0), Score(0, 1)),),
    )


@pytest.mark.parametrize(
    ("rules", "field", "value"),
    [
        (ProofRules(teams=False), "teams", None),
        (ProofRules(score=False), "change", None),
        (ProofRules(other_goals=False), "others", ()),
        (ProofRules(half=False), "checks_half", False),
        (ProofRules(witnesses=False), "uses_witnesses", False),
    ],
)
def test_each_rule_can_be_switched_off_alone(rules: ProofRules, field: str, value: object) -> None:
    whole = to_expected_goal(GOAL, ProofRules())
    assert getattr(whole, field) != value
    assert to_expected_goal(GOAL, rules) == replace(whole, **{field: value})  # type: ignore[arg-type]


def test_what_the_feed_does_not_say_is_not_expected() -> None:
    bare = replace(GOAL, home_name="", score_after=None)
    assert to_expected_goal(bare, ProofRules()) == ExpectedGoal(23)


def test_womens_and_youth_teams_are_known_by_the_name_of_their_club() -> None:
    expected = to_expected_goal(replace(GOAL, home_name="Liverpool W"), ProofRules())
    assert expected.teams is not None
    assert expected.teams.home == ("Liverpool W", "Liverpool")


def test_a_goal_with_its_scores_survives_the_way_through_temporal() -> None:
    converter = DATA_CONVERTER.payload_converter
    assert converter.from_payload(converter.to_payload(GOAL), Goal) == GOAL


def test_the_proof_reaches_the_archive_and_the_telemetry() -> None:
    verdict = Accepted(TimestampStatus.VERIFIED, 23, VerdictEvidence("local", "23", (), "clock", proof=PROOF))
    check = to_check_result(verdict, {})
    screened = build_screened_clip(CLIP, check, ClipFingerprint(), 2)
    assert (screened.proof, screened.post_doubts) == (PROOF, 2)
    evidence = _note_document(CandidateNote("u", evidence=check.evidence))["evidence"]
    assert evidence["proof"] == {
        "clock": "23:14",
        "half": "",
        "teams": "LIV–ARS",
        "score": "0–1",
        "minute_finding": "confirmed",
        "half_finding": "unknown",
        "teams_finding": "confirmed",
        "score_finding": "unknown",
    }
    assert type(evidence["proof"]["minute_finding"]) is str


def test_long_texts_of_a_reader_are_cut() -> None:
    proof = replace(PROOF, teams="x" * 500)
    check = to_check_result(
        Accepted(TimestampStatus.VERIFIED, 23, VerdictEvidence("l", "23", (), "c", proof=proof)), {}
    )
    assert check.evidence is not None
    assert check.evidence.proof is not None
    assert len(check.evidence.proof.teams) == 80
