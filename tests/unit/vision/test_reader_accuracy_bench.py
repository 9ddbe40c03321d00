"""The bench for people's own recordings: how its truth file is read, and what counts as right."""

from dataclasses import replace

import pytest

from bench.reader_accuracy import Answer, BadTruth, Recording, Table, judge, parse_truth
from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.vision.verdict import Accepted, FrameReading, Rejected, Verdict, VerdictEvidence

HEAD = "file,minute,clock,home,away,score,half,filmed,football,group"


def test_a_line_says_what_a_clip_shows() -> None:
    lines = [HEAD, "a.mp4,45+2,46:20,SEV,MCI,0-1|0-2,1,,,sky 720", "b.mp4,67,,,,,,yes,,", "c.mp4,3,,,,,,,no,"]
    direct, filmed, other = parse_truth(lines)
    printed = {"home": "SEV", "away": "MCI", "score": "0-1|0-2", "half": "1"}
    assert direct == Recording("a.mp4", 45, 2, 46 * 60 + 20, printed, group="sky 720")
    assert [one.wanted for one in (direct, filmed, other)] == ["verified", "phone_screen", "not_soccer"]
    assert parse_truth(["file,minute", "d.mp4,12"])[0].wanted == "unverified"


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([], "no clip is named"),
        ([HEAD], "no clip is named"),
        (["file,minute,colour", "a,1,red"], "line 1: unknown column colour"),
        (["minute", "67"], "line 2: no file is named"),
        ([HEAD, "a.mp4,"], "line 2: '' is no minute"),
        ([HEAD, "a.mp4,1", "b.mp4,soon"], "line 3: 'soon' is no minute"),
        ([HEAD, "a.mp4,1,12.30"], "line 2: '12.30' is no clock"),
        ([HEAD, "a.mp4,1,,,,,,perhaps"], "line 2: filmed is yes or no"),
        (["file,minute", "a.mp4,1,2"], "line 2: more fields than columns"),
    ],
)
def test_a_truth_that_cannot_be_used_names_its_line(lines: list[str], fault: str) -> None:
    with pytest.raises(BadTruth, match=fault):
        parse_truth(lines)


def accepted(*readings: FrameReading, status: TimestampStatus = TimestampStatus.VERIFIED) -> Verdict:
    return Accepted(status, None, VerdictEvidence("local", "67", readings, "clock"))


def rejected(outcome: ClipOutcome) -> Verdict:
    return Rejected(outcome, "", None, VerdictEvidence("local", "67", (), "clock"))


GOAL = Recording("a.mp4", 67, clock=66 * 60 + 20, printed={"home": "SEV", "score": "0-1|0-2"})


@pytest.mark.parametrize(
    ("clocks", "answer"),
    [
        (("66:22", "66:27"), Answer.RIGHT),
        (("66:21", None), Answer.RIGHT),
        ((None, None), Answer.UNREAD),
        (("66:22", "56:27"), Answer.WRONG),
    ],
)
def test_a_clock_is_right_to_a_second_wherever_it_was_read(clocks: tuple[str | None, ...], answer: Answer) -> None:
    readings = [FrameReading(at, clock=clock) for at, clock in zip((2.0, 7.5), clocks, strict=True)]
    assert judge(GOAL, accepted(*readings))["clock"] is answer


@pytest.mark.parametrize(
    ("recording", "verdict", "answer"),
    [
        (GOAL, accepted(), Answer.RIGHT),
        (GOAL, accepted(status=TimestampStatus.UNVERIFIED), Answer.UNREAD),
        (GOAL, rejected(ClipOutcome.WRONG_MINUTE), Answer.WRONG),
        (Recording("b.mp4", 67, is_filmed=True), accepted(), Answer.WRONG),
        (Recording("b.mp4", 67, is_filmed=True), rejected(ClipOutcome.PHONE_SCREEN), Answer.RIGHT),
        (Recording("c.mp4", 67, is_football=False), rejected(ClipOutcome.NOT_SOCCER), Answer.RIGHT),
        (Recording("d.mp4", 67), accepted(), Answer.WRONG),
    ],
)
def test_a_verdict_is_wrong_if_it_rejects_what_is_right_or_verifies_what_is_not(
    recording: Recording, verdict: Verdict, answer: Answer
) -> None:
    assert judge(recording, verdict)["verdict"] is answer


def test_what_is_printed_is_compared_and_what_a_reader_does_not_read_is_unread() -> None:
    assert judge(GOAL, accepted(FrameReading(2.0)))["home"] is Answer.UNREAD
    reading = FrameReading(2.0, teams="sev–mci", score="0–2")
    answers = judge(GOAL, accepted(FrameReading(1.0), reading))
    assert (answers["home"], answers["score"]) == (Answer.RIGHT, Answer.RIGHT)
    assert judge(GOAL, accepted(replace(reading, score="1–2")))["score"] is Answer.WRONG
    assert "half" not in answers


def test_the_table_adds_up_groups() -> None:
    table = Table(unchecked=1)
    table.add("sky", {"verdict": Answer.RIGHT, "clock": Answer.UNREAD})
    table.add("dazn", {"verdict": Answer.WRONG})
    lines = [line.split() for line in table.render().splitlines()]
    assert lines[1:4] == [
        ["dazn", "0/0/1", "-", "-", "-", "-", "-"],
        ["sky", "1/0/0", "0/1/0", "-", "-", "-", "-"],
        ["all", "1/0/1", "0/1/0", "-", "-", "-", "-"],
    ]
    assert lines[4] == ["not", "checked:", "1"]
