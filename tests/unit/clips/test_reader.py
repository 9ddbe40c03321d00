"""Between a clip's file and the vision library."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from found_footy.clips.check import checker as reading
from found_footy.clips.check.checker import AcceptAllChecker, VisionClipChecker
from found_footy.clips.check.evidence import EvidenceStore
from found_footy.clips.decoding import outcome_for_fault
from found_footy.clips.messages import CheckClip, ClipFile
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import TimestampStatus
from found_footy.platform.errors import Unavailable
from found_footy.platform.media.frames import ExtractedFrame, ExtractedFrames
from found_footy.platform.media.probe import MediaFault, UnusableMedia
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal, MatchTeams, ProofRules
from found_footy.vision.frames import ClipFrames, Frame
from found_footy.vision.verdict import Accepted, FrameReading, Verdict, VerdictEvidence
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
