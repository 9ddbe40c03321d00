"""Between a clip's file and the vision library."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from found_footy.clips import reader as reading
from found_footy.clips.decoding import outcome_of
from found_footy.clips.gallery import Gallery
from found_footy.clips.messages import ClipFile, LookAtClip
from found_footy.clips.reader import AcceptAll, ClipReader
from found_footy.model.handoff import Goal
from found_footy.model.outcome import TimestampStatus
from found_footy.platform.errors import Unavailable
from found_footy.platform.media import MediaFault, Unusable
from found_footy.platform.media_frames import Picture, Pictures
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.frames import ClipFrames, Expected, Frame
from found_footy.vision.verdict import Accepted, Evidence, FrameAnswer, Verdict
from tests.pipeline.goals import a_goal

GOAL = a_goal()
LOOK = LookAtClip(GOAL, ClipFile("a" * 32, "scratch/e/a.mp4", "https://x.com/1", 320, 180, 4.0, 1000, 800, 10.0))
BLACK = np.zeros((18, 32, 3), np.uint8)
PICTURES = Pictures(Picture(1.0, BLACK), None, Picture(3.0, BLACK), ())
HALF = Picture(2.0, BLACK)


class Watcher:
    """A reader of the vision library that sees the outer frames only, and remembers what it was asked."""

    name = "watcher"

    def __init__(self, *, away: bool = False) -> None:
        self.asked: list[tuple[Expected, str]] = []
        self._away = away

    async def read(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        self.asked.append((expected, broadcast))
        if self._away:
            raise VisionUnavailable(self.name, "away")
        answers = tuple(FrameAnswer(frame.at, soccer=True) for frame in clip.outer)
        return Accepted(TimestampStatus.VERIFIED, 23, Evidence("somebody", str(expected), answers, "rule"))

    async def aclose(self) -> None:
        return


class Wall:
    """A gallery that only remembers what was hung."""

    def __init__(self) -> None:
        self.hung: list[float] = []

    async def keep(self, goal: Goal, md5: str, frames: list[Frame]) -> dict[float, str]:
        del goal, md5
        self.hung = [frame.at for frame in frames]
        return {frame.at: f"{frame.at}.jpg" for frame in frames}


def a_reader(watcher: Watcher, wall: Wall, folder: Path) -> ClipReader:
    @asynccontextmanager
    async def workspace() -> AsyncIterator[Path]:
        yield folder

    return ClipReader(watcher, cast("Gallery", wall), workspace, tolerance=5)


async def a_file() -> Path:
    return Path("clip.mp4")


def gives(
    monkeypatch: pytest.MonkeyPatch,
    pictures: Pictures | Unusable,
    half: Picture | Unusable = HALF,
    beside: Pictures | Unusable = PICTURES,
) -> None:
    async def taken(source: Path, folder: Path) -> Pictures | Unusable:
        del source, folder
        return pictures

    async def taken_later(source: Path, folder: Path) -> Picture | Unusable:
        del source, folder
        return half

    async def taken_beside(source: Path, folder: Path, at: float) -> Pictures | Unusable:
        del source, folder, at
        return beside

    monkeypatch.setattr(reading, "take_beside", taken_beside)
    monkeypatch.setattr(reading, "take_pictures", taken)
    monkeypatch.setattr(reading, "take_half", taken_later)


async def test_the_goals_minute_is_expected_and_its_fixture_is_the_broadcast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gives(monkeypatch, PICTURES)
    watcher, wall = Watcher(), Wall()
    seen = await a_reader(watcher, wall, tmp_path).look(LOOK, a_file)
    assert watcher.asked == [(Expected(23, None, 5), str(GOAL.fixture_id))]
    assert (seen.reader, seen.extracted_minute) == ("somebody", 23)
    assert wall.hung == [1.0, 3.0], "only what was looked at is kept"


class Doubter(Watcher):
    """One that wants the frame in the middle, too."""

    async def read(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        assert clip.middle is None
        return await super().read(ClipFrames((await clip.whole()).all), expected, broadcast=broadcast)


@pytest.mark.parametrize(("half", "hung"), [(HALF, [1.0, 2.0, 3.0]), (Unusable(MediaFault.CORRUPT, "why"), [1.0, 3.0])])
async def test_the_middle_is_taken_out_for_who_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: Picture | Unusable, hung: list[float]
) -> None:
    gives(monkeypatch, PICTURES, half)
    wall = Wall()
    await a_reader(Doubter(), wall, tmp_path).look(LOOK, a_file)
    assert wall.hung == hung


async def test_a_middle_that_the_machine_could_not_take_out_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gives(monkeypatch, PICTURES, Unusable(MediaFault.TOO_SLOW, "why"))
    with pytest.raises(Unavailable):
        await a_reader(Doubter(), Wall(), tmp_path).look(LOOK, a_file)


class Confirmer(Watcher):
    """One that wants a frame beside the first, too."""

    async def read(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        more = await clip.with_beside(clip.outer[0].at)
        self.small = [frame.at for frame in more.beside(clip.outer[0].at).small]
        return await super().read(ClipFrames(more.all), expected, broadcast=broadcast)


BESIDE = Pictures(None, None, None, (Picture(1.5, BLACK), Picture(2.0, BLACK)), Picture(2.5, BLACK))


@pytest.mark.parametrize(
    ("taken", "hung"), [(BESIDE, [1.0, 2.5, 3.0]), (Unusable(MediaFault.CORRUPT, "why"), [1.0, 3.0])]
)
async def test_a_frame_beside_another_is_taken_out_for_who_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: Pictures | Unusable, hung: list[float]
) -> None:
    gives(monkeypatch, PICTURES, beside=taken)
    wall, reader = Wall(), Confirmer()
    await a_reader(reader, wall, tmp_path).look(LOOK, a_file)
    assert wall.hung == hung
    assert reader.small == ([1.5, 2.0] if taken is BESIDE else [])


async def test_a_frame_beside_another_that_the_machine_could_not_take_out_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gives(monkeypatch, PICTURES, beside=Unusable(MediaFault.TOO_SLOW, "why"))
    with pytest.raises(Unavailable):
        await a_reader(Confirmer(), Wall(), tmp_path).look(LOOK, a_file)


async def test_nobody_to_look_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(monkeypatch, PICTURES)
    wall = Wall()
    with pytest.raises(VisionUnavailable):
        await a_reader(Watcher(away=True), wall, tmp_path).look(LOOK, a_file)
    assert wall.hung == []


@pytest.mark.parametrize("fault", list(MediaFault))
async def test_a_file_is_blamed_only_for_what_it_says_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: MediaFault
) -> None:
    gives(monkeypatch, Unusable(fault, "why"))
    watcher = Watcher()
    looking = a_reader(watcher, Wall(), tmp_path).look(LOOK, a_file)
    if fault in (MediaFault.TOO_SLOW, MediaFault.CRASHED, MediaFault.MACHINE):
        with pytest.raises(Unavailable):
            await looking
    else:
        seen = await looking
        assert (seen.rejected, seen.reason) == (outcome_of(fault), f"{fault}: why")
    assert watcher.asked == []


async def test_accepting_all_says_that_nothing_was_checked() -> None:
    seen = await AcceptAll().look(LOOK, a_file)
    assert (seen.timestamp_status, seen.reason) == (TimestampStatus.UNVERIFIED, "not checked")
