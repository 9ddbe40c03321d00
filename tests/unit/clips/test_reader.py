"""Between a clip's file and the vision library."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from found_footy.clips.check import checker as reading
from found_footy.clips.check.checker import AcceptAllChecker, VisionClipChecker
from found_footy.clips.check.conversion import to_check_result
from found_footy.clips.check.evidence import EvidenceStore
from found_footy.clips.check.memory import CheckMemory
from found_footy.clips.decoding import outcome_for_fault
from found_footy.clips.messages import CheckClip, ClipFile
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.platform.errors import Unavailable
from found_footy.platform.media.frames import ExtractedFrame, ExtractedFrames
from found_footy.platform.media.probe import MediaFault, UnusableMedia
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal, MatchTeams, ProofRules
from found_footy.vision.frames import ClipFrames, Frame
from found_footy.vision.verdict import Accepted, FrameReading, Rejected, Verdict, VerdictEvidence
from tests.support.pipeline.goals import make_goal

GOAL = make_goal()
LOOK = CheckClip(GOAL, ClipFile("a" * 32, "scratch/e/a.mp4", "https://x.com/1", 320, 180, 4.0, 1000, 800, 10.0))
BLACK = np.zeros((18, 32, 3), np.uint8)
TEAMS = MatchTeams(("Liverpool",), ("Arsenal",))
PICTURES = ExtractedFrames(ExtractedFrame(1.0, BLACK), None, ExtractedFrame(3.0, BLACK), ())
HALF = ExtractedFrame(2.0, BLACK)


class RecordingReader:
    """A reader of the vision library that sees the outer frames only, and remembers what it was asked."""

    name = "watcher"

    def __init__(self, *, away: bool = False) -> None:
        self.asked: list[tuple[ExpectedGoal, str]] = []
        self._away = away

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        self.asked.append((expected, broadcast))
        if self._away:
            raise VisionUnavailable(self.name, "away")
        answers = tuple(FrameReading(frame.at, soccer=True) for frame in clip.outer_frames)
        return Accepted(TimestampStatus.VERIFIED, 23, VerdictEvidence("somebody", str(expected), answers, "rule"))

    async def aclose(self) -> None:
        return


class RecordedEvidence:
    """An evidence store that only records what is stored."""

    def __init__(self) -> None:
        self.hung: list[float] = []

    async def save_frames(self, goal: Goal, md5: str, frames: list[Frame]) -> dict[float, str]:
        del goal, md5
        self.hung = [frame.at for frame in frames]
        return {frame.at: f"{frame.at}.jpg" for frame in frames}


def a_reader(watcher: RecordingReader, wall: RecordedEvidence, folder: Path) -> VisionClipChecker:
    @asynccontextmanager
    async def workspace() -> AsyncIterator[Path]:
        yield folder

    return VisionClipChecker(watcher, cast("EvidenceStore", wall), workspace, ProofRules(tolerance=5))


async def a_file() -> Path:
    return Path("clip.mp4")


async def no_file() -> Path:
    pytest.fail("nothing is decoded")


def gives(
    monkeypatch: pytest.MonkeyPatch,
    pictures: ExtractedFrames | UnusableMedia,
    half: ExtractedFrame | UnusableMedia = HALF,
    beside: ExtractedFrames | UnusableMedia = PICTURES,
) -> None:
    async def taken(source: Path, folder: Path) -> ExtractedFrames | UnusableMedia:
        del source, folder
        return pictures

    async def taken_later(source: Path, folder: Path) -> ExtractedFrame | UnusableMedia:
        del source, folder
        return half

    async def taken_beside(source: Path, folder: Path, at: float) -> ExtractedFrames | UnusableMedia:
        del source, folder, at
        return beside

    monkeypatch.setattr(reading, "extract_adjacent_frames", taken_beside)
    monkeypatch.setattr(reading, "extract_frames", taken)
    monkeypatch.setattr(reading, "extract_middle_frame", taken_later)


async def test_the_goals_minute_is_expected_and_its_fixture_is_the_broadcast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gives(monkeypatch, PICTURES)
    watcher, wall = RecordingReader(), RecordedEvidence()
    seen = await a_reader(watcher, wall, tmp_path).check(LOOK, a_file)
    assert watcher.asked == [(ExpectedGoal(23, None, 5, TEAMS), str(GOAL.fixture_id))]
    assert (seen.reader, seen.extracted_minute) == ("somebody", 23)
    assert wall.hung == [1.0, 3.0], "only what was looked at is kept"


class MiddleFrameReader(RecordingReader):
    """One that wants the frame in the middle, too."""

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        assert clip.middle_frame is None
        return await super().read(
            ClipFrames((await clip.with_middle()).full_size_frames), expected, broadcast=broadcast
        )


@pytest.mark.parametrize(
    ("half", "hung"), [(HALF, [1.0, 2.0, 3.0]), (UnusableMedia(MediaFault.CORRUPT, "why"), [1.0, 3.0])]
)
async def test_the_middle_frame_is_decoded_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: ExtractedFrame | UnusableMedia, hung: list[float]
) -> None:
    gives(monkeypatch, PICTURES, half)
    wall = RecordedEvidence()
    await a_reader(MiddleFrameReader(), wall, tmp_path).check(LOOK, a_file)
    assert wall.hung == hung


async def test_a_middle_frame_that_the_machine_could_not_decode_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gives(monkeypatch, PICTURES, UnusableMedia(MediaFault.TOO_SLOW, "why"))
    with pytest.raises(Unavailable):
        await a_reader(MiddleFrameReader(), RecordedEvidence(), tmp_path).check(LOOK, a_file)


class NeighbourFrameReader(RecordingReader):
    """One that wants a frame beside the first, too."""

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        more = await clip.with_neighbour(clip.outer_frames[0].at)
        self.small = [frame.at for frame in more.require_neighbour(clip.outer_frames[0].at).small_frames]
        return await super().read(ClipFrames(more.full_size_frames), expected, broadcast=broadcast)


BESIDE = ExtractedFrames(
    None, None, None, (ExtractedFrame(1.5, BLACK), ExtractedFrame(2.0, BLACK)), ExtractedFrame(2.5, BLACK)
)


@pytest.mark.parametrize(
    ("taken", "hung"), [(BESIDE, [1.0, 2.5, 3.0]), (UnusableMedia(MediaFault.CORRUPT, "why"), [1.0, 3.0])]
)
async def test_a_neighbouring_frame_is_decoded_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: ExtractedFrames | UnusableMedia, hung: list[float]
) -> None:
    gives(monkeypatch, PICTURES, beside=taken)
    wall, reader = RecordedEvidence(), NeighbourFrameReader()
    await a_reader(reader, wall, tmp_path).check(LOOK, a_file)
    assert wall.hung == hung
    assert reader.small == ([1.5, 2.0] if taken is BESIDE else [])


async def test_a_neighbouring_frame_that_the_machine_could_not_decode_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gives(monkeypatch, PICTURES, beside=UnusableMedia(MediaFault.TOO_SLOW, "why"))
    with pytest.raises(Unavailable):
        await a_reader(NeighbourFrameReader(), RecordedEvidence(), tmp_path).check(LOOK, a_file)


ANOTHER_GOAL = replace(LOOK, goal=replace(make_goal(), elapsed=61))


async def test_the_same_bytes_are_read_once_for_a_goal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, PICTURES)
    watcher = RecordingReader()
    checker = a_reader(watcher, RecordedEvidence(), tmp_path)
    first = await checker.check(LOOK, a_file)
    assert await checker.check(LOOK, no_file) == first
    assert len(watcher.asked) == 1
    await checker.check(replace(LOOK, clip=replace(LOOK.clip, md5="b" * 32)), a_file)
    await checker.check(ANOTHER_GOAL, a_file)
    assert [expected.elapsed for expected, _ in watcher.asked] == [23, 23, 61]


class RejectingReader(RecordingReader):
    """One that sees something else than football, with or without a clock."""

    def __init__(self, clock: str | None, outcome: ClipOutcome = ClipOutcome.NOT_SOCCER) -> None:
        super().__init__()
        self._clock, self._outcome = clock, outcome

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        self.asked.append((expected, broadcast))
        answers = tuple(FrameReading(frame.at, soccer=False, clock=self._clock) for frame in clip.outer_frames)
        return Rejected(self._outcome, "no football", None, VerdictEvidence("somebody", str(expected), answers, "rule"))


@pytest.mark.parametrize(
    ("clock", "outcome", "readings"),
    [
        (None, ClipOutcome.NOT_SOCCER, 1),
        ("61:10", ClipOutcome.NOT_SOCCER, 2),  # a clock of the other goal's minute may make it football
        (None, ClipOutcome.WRONG_GOAL, 2),
    ],
)
async def test_what_shows_neither_football_nor_a_clock_is_rejected_for_every_goal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: str | None, outcome: ClipOutcome, readings: int
) -> None:
    gives(monkeypatch, PICTURES)
    watcher = RejectingReader(clock, outcome)
    checker = a_reader(watcher, RecordedEvidence(), tmp_path)
    await checker.check(LOOK, a_file)
    again = await checker.check(ANOTHER_GOAL, a_file)
    assert len(watcher.asked) == readings
    assert again.rejected is outcome
    assert again.evidence is not None
    assert again.evidence.expected == "61"
    assert [frame.picture for frame in again.evidence.frames] == (["", ""] if readings == 1 else ["1.0.jpg", "3.0.jpg"])


async def test_a_failed_check_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, PICTURES)
    watcher = RecordingReader(away=True)
    checker = a_reader(watcher, RecordedEvidence(), tmp_path)
    for _ in range(2):
        with pytest.raises(VisionUnavailable):
            await checker.check(LOOK, a_file)
    assert len(watcher.asked) == 2


def test_the_oldest_results_are_forgotten() -> None:
    memory, evidence = CheckMemory(capacity=2), VerdictEvidence("somebody", "23", (), "rule")
    verdict, expected = Rejected(ClipOutcome.NOT_SOCCER, "no football", None, evidence), ExpectedGoal(23)
    for md5 in ("a", "b", "c"):
        memory.add_result(md5, GOAL, expected, verdict, to_check_result(verdict, {}))
    known = [memory.find_result(md5, goal, expected) for goal in (GOAL, ANOTHER_GOAL.goal) for md5 in ("a", "b", "c")]
    assert [result is not None for result in known] == [False, True, True] * 2


async def test_a_missing_reader_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, PICTURES)
    wall = RecordedEvidence()
    with pytest.raises(VisionUnavailable):
        await a_reader(RecordingReader(away=True), wall, tmp_path).check(LOOK, a_file)
    assert wall.hung == []


@pytest.mark.parametrize("fault", list(MediaFault))
async def test_a_file_is_blamed_only_for_its_own_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: MediaFault
) -> None:
    gives(monkeypatch, UnusableMedia(fault, "why"))
    watcher = RecordingReader()
    looking = a_reader(watcher, RecordedEvidence(), tmp_path).check(LOOK, a_file)
    if fault in (MediaFault.TOO_SLOW, MediaFault.CRASHED, MediaFault.MACHINE):
        with pytest.raises(Unavailable):
            await looking
    else:
        seen = await looking
        assert (seen.rejected, seen.reason) == (outcome_for_fault(fault), f"{fault}: why")
    assert watcher.asked == []


async def test_accepting_all_says_that_nothing_was_checked() -> None:
    seen = await AcceptAllChecker().check(LOOK, a_file)
    assert (seen.timestamp_status, seen.reason) == (TimestampStatus.UNVERIFIED, "not checked")
