"""The reader that needs no server, on clips of the media factory."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.embedded.endpoints import default_data_dir
from found_footy.vision.classifier.builder import is_model_built
from found_footy.vision.classifier.image_classifier import ImageClassifier
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames, Frame
from found_footy.vision.local.ocr import RapidOcrRecognizer
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.local.text_boxes import RelativeBox
from found_footy.vision.reader_factory import build_local_reader
from found_footy.vision.settings import VisionSettings
from found_footy.vision.verdict import Accepted, Rejected, Verdict
from found_footy_sim.media.clip_spec import ClipChange
from tests.support.vision.clip_frames import clip_of, goal, studio

MODELS = default_data_dir() / "models"
COARSE = ClipChange(width=854, height=480, crf=31)


@pytest.fixture(scope="module")
def ocr() -> RapidOcrRecognizer:
    return RapidOcrRecognizer()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clips")


@pytest.fixture(scope="module")
def weaker(ocr: RapidOcrRecognizer) -> LocalReader:
    """Without the picture model, as on a machine where it has not been made."""
    return LocalReader(ocr)


@pytest.fixture(scope="module")
def reader(ocr: RapidOcrRecognizer) -> LocalReader:
    if not is_model_built(MODELS):
        pytest.skip("the picture model has not been made: found-footy setup")
    return LocalReader(ocr, ImageClassifier(MODELS))


def clocks(verdict: Verdict) -> set[str]:
    return {answer.clock for answer in verdict.evidence.readings if answer.clock}


async def test_a_goal_is_verified_with_the_exact_clock(reader: LocalReader, folder: Path) -> None:
    verdict = await reader.read(clip_of(folder, goal()), ExpectedGoal(34))
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.VERIFIED, 34)
    assert clocks(verdict) == {"34:11", "34:13"}
    assert {answer.screen for answer in verdict.evidence.readings} == {False}


async def test_a_standing_clock_and_its_timer_are_read_through_coarse_compression(
    reader: LocalReader, folder: Path
) -> None:
    scene = goal("stack", clock=90 * 60 + 137, regular=90, width=1280)
    verdict = await reader.read(clip_of(folder, scene, COARSE), ExpectedGoal(90, 3))
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.VERIFIED, 92)
    assert {answer.stoppage_clock for answer in verdict.evidence.readings if answer.clock} == {"02:16", "02:18"}


def test_text_is_recognized_and_searched_for_in_no_more_pixels_than_it_needs(
    ocr: RapidOcrRecognizer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cost of a model grows with the pixels that it is given: a clock is not padded to a sentence."""
    shapes: dict[str, list[tuple[int, ...]]] = {"lines": [], "search": []}
    picture = clip_of(folder, goal()).outer_frames[0].pixels
    ocr.recognize_text(picture)
    engine: Any = ocr._engine
    for kind, part in (("lines", engine.text_rec), ("search", engine.text_det)):
        monkeypatch.setattr(part, "session", _record_shapes(part.session, shapes[kind]))
    found = ocr.recognize_text(picture, RelativeBox(0.0, 0.0, 1.0, 1 / 3))
    assert "34:11" in {box.text for box in found}
    assert {shape[0] for shape in shapes["lines"]} == {1}
    assert min(shape[3] for shape in shapes["lines"]) < 200
    ocr.recognize_text(picture, RelativeBox(0.0, 0.0, 1.0, 1 / 3), thorough=True)
    fast, thorough = (shape[2] * shape[3] for shape in shapes["search"])
    assert fast < thorough < 6 * fast


def _record_shapes(session: Callable[[Any], Any], shapes: list[tuple[int, ...]]) -> Callable[[Any], Any]:
    def run(pixels: Any) -> Any:
        shapes.append(pixels.shape)
        return session(pixels)

    return run


async def test_another_minute_is_rejected_with_what_was_read(reader: LocalReader, folder: Path) -> None:
    verdict = await reader.read(clip_of(folder, goal()), ExpectedGoal(61))
    assert isinstance(verdict, Rejected)
    assert (verdict.outcome, verdict.minute) == (ClipOutcome.WRONG_MINUTE, 34)
    assert "34" in verdict.reason
    assert "61" in verdict.reason


async def test_a_studio_is_no_football(reader: LocalReader, weaker: LocalReader, folder: Path) -> None:
    for looking in (reader, weaker):
        verdict = await looking.read(clip_of(folder, studio()), ExpectedGoal(34))
        assert isinstance(verdict, Rejected)
        assert verdict.outcome is ClipOutcome.NOT_SOCCER


async def test_a_filmed_screen_is_never_verified(reader: LocalReader, folder: Path) -> None:
    verdict = await reader.read(clip_of(folder, goal(width=1280), ClipChange(filmed=True)), ExpectedGoal(34))
    assert isinstance(verdict, Rejected)
    assert verdict.outcome is ClipOutcome.PHONE_SCREEN


async def test_a_handle_over_a_filmed_goal_and_its_replay_does_not_verify_it(reader: LocalReader, folder: Path) -> None:
    scene = replace(goal(width=854), duration=8.0, moment=0.3, replay=4.0)
    clip = clip_of(folder, scene, ClipChange(filmed=True), ClipChange(corner="@goals_daily", seed=1))
    verdict = await reader.read(clip, ExpectedGoal(34))
    assert not (isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED)


async def test_an_edited_clip_is_verified_for_each_minute_that_it_shows(reader: LocalReader, folder: Path) -> None:
    second = goal(clock=67 * 60 + 12, regular=90, seed=43)
    clip = clip_of(folder, goal(), ClipChange(then=second))
    for minute in (34, 67):
        verdict = await reader.read(clip, ExpectedGoal(minute))
        assert isinstance(verdict, Accepted)
        assert (verdict.status, verdict.minute) == (TimestampStatus.VERIFIED, minute)
    assert isinstance(await reader.read(clip, ExpectedGoal(50)), Rejected)


async def test_a_mirrored_goal_is_verified_with_the_exact_clock(reader: LocalReader, folder: Path) -> None:
    verdict = await reader.read(clip_of(folder, goal(), ClipChange(mirror=True)), ExpectedGoal(34))
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.VERIFIED, 34)
    assert clocks(verdict) == {"34:11", "34:13"}
    assert any("mirrored" in note for note in verdict.evidence.notes)


async def test_a_goal_without_a_bug_passes_unverified(reader: LocalReader, folder: Path) -> None:
    verdict = await reader.read(clip_of(folder, goal("none")), ExpectedGoal(34))
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.UNVERIFIED, None)


async def test_without_frames_for_the_screen_test_nothing_is_verified(weaker: LocalReader, folder: Path) -> None:
    clip = clip_of(folder, goal())
    verdict = await weaker.read(ClipFrames(clip.outer_frames, clip.middle_frame), ExpectedGoal(34))
    assert isinstance(verdict, Accepted)
    assert (verdict.status, verdict.minute) == (TimestampStatus.UNVERIFIED, 34)


async def test_the_weaker_rule_says_that_it_is_one(weaker: LocalReader, folder: Path) -> None:
    verdict = await weaker.read(clip_of(folder, goal()), ExpectedGoal(34))
    assert isinstance(verdict, Accepted)
    assert any("weaker rule" in note for note in verdict.evidence.notes)


@pytest.mark.parametrize(("minute", "searches"), [(64, "0 readings"), (34, "1 readings")])
async def test_the_next_clip_of_a_broadcast_needs_no_search_but_in_the_first_half_one_for_what_names_it(
    weaker: LocalReader, folder: Path, minute: int, searches: str
) -> None:
    clip = clip_of(folder, goal(clock=minute * 60 + 12))
    first = await weaker.read(clip, ExpectedGoal(minute), broadcast="match 1")
    second = await weaker.read(clip, ExpectedGoal(minute), broadcast="match 1")
    assert clocks(first) == clocks(second) == {f"{minute}:11", f"{minute}:13"}
    assert any(searches in note for note in second.evidence.notes)


async def test_no_frames_are_unavailable_and_not_a_no(weaker: LocalReader) -> None:
    with pytest.raises(VisionUnavailable):
        await weaker.read(ClipFrames(()), ExpectedGoal(34))


@pytest.mark.parametrize("shape", [(1, 1), (2, 300), (300, 2)])
async def test_pictures_of_unusual_sizes_are_checked(weaker: LocalReader, shape: tuple[int, int]) -> None:
    odd = tuple(Frame(float(at), np.zeros((*shape, 3), np.uint8)) for at in range(8))
    verdict = await weaker.read(ClipFrames((odd[0], odd[2]), odd[1], odd), ExpectedGoal(34))
    assert isinstance(verdict, Rejected)


def test_a_machine_without_the_model_gets_the_weaker_rule(tmp_path: Path) -> None:
    made = build_local_reader(VisionSettings(), tmp_path)
    assert isinstance(made, LocalReader)
