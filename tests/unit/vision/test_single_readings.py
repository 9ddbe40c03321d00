"""What becomes of a clock that one frame shows alone, and of several that do not agree."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames, Frame, NeighbourFrames
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.local.scoreboard_search import read_scoreboard
from found_footy.vision.local.text_boxes import RelativeBox
from found_footy.vision.verdict import Accepted, Rejected
from tests.support.vision.scripted_recognizer import CLIP, FOOT, GARBLED, MIRROR, TOP_LEFT, ScriptedRecognizer

GREEN = (60, 160, 40)


def marked(seed: int = 1) -> tuple[Frame, ...]:
    """Eight small frames in which everything moves but a mark that somebody has put in, and two bars."""
    dice, frames = np.random.default_rng(seed), []
    for number in range(8):
        pixels = dice.integers(0, 255, (360, 640, 3), np.uint8)
        pixels[300:330, 400:600] = 0
        pixels[306:324, 410:590:6] = 255
        pixels[:20] = pixels[-20:] = 0
        frames.append(Frame(12 + 0.35 * number, pixels))
    return tuple(frames)


def green(at: float, key: int) -> Frame:
    pixels = np.empty((90, 640, 3), np.uint8)
    pixels[:] = GREEN
    pixels[0, 0] = (key, *GREEN[1:])
    pixels[:, -1] = (key + MIRROR, *GREEN[1:])
    return Frame(at, pixels)


@dataclass
class NeighbourDecoder:
    """Returns the frame two seconds after another; its key is that of the other and 50. Records the calls."""

    small: tuple[Frame, ...] = ()
    asked: list[float] = field(default_factory=list)

    async def __call__(self, at: float) -> NeighbourFrames:
        self.asked.append(at)
        return NeighbourFrames(green(at + 2.0, {5.0: 51, 10.0: 52, 15.0: 53}[at]), self.small)


MARKED = ClipFrames((green(5.0, 1), green(15.0, 3)), None, marked())


@pytest.mark.parametrize("clock", ["53:30", "00:02", "20:45"])
@pytest.mark.parametrize(
    "goal", [ExpectedGoal(53), ExpectedGoal(2), ExpectedGoal(60), ExpectedGoal(45, 1), ExpectedGoal(90, 2)]
)
async def test_a_reading_that_nothing_confirms_verifies_and_refuses_nothing_whatever_else_stands_still(
    clock: str, goal: ExpectedGoal
) -> None:
    recognizer, taking = ScriptedRecognizer({1: [(clock, TOP_LEFT)]}), NeighbourDecoder()
    for clip in (MARKED, replace(MARKED, load_neighbour=taking)):
        verdict = await LocalReader(recognizer).read(clip, goal)
        if isinstance(verdict, Rejected):
            assert verdict.outcome is ClipOutcome.NOT_SOCCER, (
                "by the weaker rule, for which a recorder's timer is no clock"
            )
            assert clock == "00:02"
            continue
        assert (verdict.status, verdict.minute) == (TimestampStatus.UNVERIFIED, None)
        assert [answer.screen for answer in verdict.evidence.readings] == [None] * len(verdict.evidence.readings)
    assert len(taking.asked) <= 1


async def test_one_more_frame_confirms_the_clock_of_a_single_one() -> None:
    recognizer, taking = ScriptedRecognizer({1: [("53:30", TOP_LEFT)], 51: [("53:32", TOP_LEFT)]}), NeighbourDecoder()
    verdict = await LocalReader(recognizer).read(replace(MARKED, load_neighbour=taking), ExpectedGoal(53))
    assert [(answer.clock, answer.is_confirmed) for answer in verdict.evidence.readings] == [
        ("53:30", True),
        ("53:32", True),
        (None, False),
    ]
    assert verdict.minute == 53
    assert isinstance(
        await LocalReader(recognizer).read(replace(MARKED, load_neighbour=taking), ExpectedGoal(80)), Rejected
    )
    assert taking.asked == [5.0, 5.0], "once each, for the frame that shows the clock"


async def test_a_misread_clock_gives_way_to_what_its_neighbours_show() -> None:
    """65:27, read as 85:26 in one frame."""
    recognizer = ScriptedRecognizer({1: [("85:26", TOP_LEFT)], 51: [("65:29", TOP_LEFT)], 3: [("65:37", TOP_LEFT)]})
    verdict = await LocalReader(recognizer).read(replace(MARKED, load_neighbour=NeighbourDecoder()), ExpectedGoal(86))
    assert isinstance(verdict, Rejected)
    assert verdict.minute == 65
    assert (
        await LocalReader(recognizer).read(replace(MARKED, load_neighbour=NeighbourDecoder()), ExpectedGoal(65))
    ).minute == 65


EDITED = {1: [("34:10", TOP_LEFT)], 51: [("34:12", TOP_LEFT)], 3: [("67:30", FOOT)], 53: [("67:32", FOOT)]}


@pytest.mark.parametrize(("minute", "asked"), [(34, [5.0]), (67, [15.0]), (80, [5.0])])
async def test_an_edited_clip_is_of_every_minute_that_it_shows(minute: int, asked: list[float]) -> None:
    taking = NeighbourDecoder()
    verdict = await LocalReader(ScriptedRecognizer(EDITED)).read(
        replace(MARKED, load_neighbour=taking), ExpectedGoal(minute)
    )
    assert isinstance(verdict, Rejected) is (minute == 80)
    assert verdict.minute == (minute if minute != 80 else 34)
    assert taking.asked == asked


async def test_the_half_that_was_read_before_a_cut_is_not_that_of_the_clock_after_it() -> None:
    beside = RelativeBox(0.12, 0.05, 0.15, 0.09)
    halves = {
        1: [("1H", beside), ("34:10", TOP_LEFT)],
        51: [("1H", beside), ("34:12", TOP_LEFT)],
        3: [("2H", beside), ("52:30", TOP_LEFT)],
        53: [("2H", beside), ("52:32", TOP_LEFT)],
    }
    verdict = await LocalReader(ScriptedRecognizer(halves)).read(
        replace(MARKED, load_neighbour=NeighbourDecoder()), ExpectedGoal(52)
    )
    assert isinstance(verdict, Accepted)
    assert verdict.minute == 52


async def test_the_goals_minute_is_confirmed_even_if_another_one_was_seen_to_run() -> None:
    """The first shot shows the goal, and the middle and the end another minute."""
    recognizer, taking = ScriptedRecognizer({**EDITED, 2: [("67:25", FOOT)]}), NeighbourDecoder()
    clip = ClipFrames(MARKED.outer_frames, green(10.0, 2), load_neighbour=taking)
    verdict = await LocalReader(recognizer).read(clip, ExpectedGoal(34))
    assert isinstance(verdict, Accepted)
    assert verdict.minute == 34
    assert taking.asked == [5.0]


async def test_no_more_than_two_neighbouring_frames_are_decoded() -> None:
    recognizer = ScriptedRecognizer({key: [(f"{key}:10", TOP_LEFT)] for key in (1, 2, 3, 51, 52, 53)})
    taking = NeighbourDecoder()
    clip = ClipFrames(MARKED.outer_frames, green(10.0, 2), load_neighbour=taking)
    await LocalReader(recognizer).read(clip, ExpectedGoal(60))
    assert len(taking.asked) == 2


def test_what_reads_like_a_clock_both_ways_round_waits_for_another_frame() -> None:
    written = {1: [("53:30", TOP_LEFT)], 101: [("06:32", TOP_LEFT)]}
    board = read_scoreboard(ScriptedRecognizer(written), CLIP)
    assert (board.confirmed_clocks, [clock.clock for clock in board.unconfirmed_clocks.values()]) == ({}, ["53:30"])
    besides = {5.0: NeighbourFrames(green(7.0, 51))}
    right = read_scoreboard(
        ScriptedRecognizer({**written, 51: [("53:32", TOP_LEFT)]}), replace(CLIP, neighbours=besides)
    )
    assert ([clock.clock for clock in right.confirmed_clocks.values()], right.is_mirrored) == (
        ["53:30", "53:32"],
        False,
    )
    mirrored = read_scoreboard(
        ScriptedRecognizer({**written, 151: [("06:34", TOP_LEFT)]}), replace(CLIP, neighbours=besides)
    )
    assert ([clock.clock for clock in mirrored.confirmed_clocks.values()], mirrored.is_mirrored) == (
        ["06:32", "06:34"],
        True,
    )


def test_the_mirror_image_is_read_even_if_the_first_frame_has_no_clock() -> None:
    recognizer = ScriptedRecognizer({1: GARBLED, 3: GARBLED, 103: [("34:20", TOP_LEFT)], 153: [("34:22", TOP_LEFT)]})
    board = read_scoreboard(
        recognizer, ClipFrames(CLIP.outer_frames, neighbours={15.0: NeighbourFrames(green(17.0, 53))})
    )
    assert board.is_mirrored
    assert [clock.clock for clock in board.confirmed_clocks.values()] == ["34:20", "34:22"]


@pytest.mark.parametrize("goal", [ExpectedGoal(2), ExpectedGoal(60), ExpectedGoal(45, 1), ExpectedGoal(90, 2)])
async def test_a_recorders_timer_that_runs_is_no_match_clock(goal: ExpectedGoal) -> None:
    recognizer = ScriptedRecognizer(
        {1: [("REC 00:05", TOP_LEFT), ("60:10", FOOT)], 3: [("REC 00:15", TOP_LEFT), ("60:20", FOOT)]}
    )
    board = read_scoreboard(recognizer, MARKED)
    assert [clock.clock for clock in board.confirmed_clocks.values()] == ["60:10", "60:20"]
    alone = ScriptedRecognizer({1: [("REC 00:05", TOP_LEFT)], 3: [("REC 00:15", TOP_LEFT)]})
    assert read_scoreboard(alone, MARKED).confirmed_clocks == {}
    verdict = await LocalReader(alone).read(MARKED, goal)
    assert verdict.minute is None


@pytest.mark.parametrize(("minute", "outcome"), [(67, None), (20, ClipOutcome.NOT_SOCCER)])
async def test_no_caption_contradicts_a_clock_that_runs_to_the_goals_minute(
    minute: int, outcome: ClipOutcome | None
) -> None:
    below = RelativeBox(0.05, 0.1, 0.11, 0.14)
    recognizer = ScriptedRecognizer({key: [(f"67:{10 * key}", TOP_LEFT), ("SET 2", below)] for key in (1, 3)})
    clip = ClipFrames((green(5.0, 1), green(25.0, 3)))
    verdict = await LocalReader(recognizer).read(clip, ExpectedGoal(minute))
    assert (verdict.outcome if isinstance(verdict, Rejected) else None) is outcome
