"""Frames are classified only while that can change whether a clip is taken for football."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from found_footy.vision.classifier.image_classifier import ClassifierOutput, ImageClassifier
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import Pixels
from found_footy.vision.local.football import is_football, load_soccer_head
from found_footy.vision.local.pitch import measure_pitch
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.verdict import Accepted, Verdict
from tests.support.vision.scripted_recognizer import CLIP, TOP_LEFT, ScriptedRecognizer

CLOCKS = {1: [("34:10", TOP_LEFT)], 2: [("34:15", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]}
GRASS, CROWD = 1.0, -1.0


@dataclass
class ScriptedClassifier(ImageClassifier):
    """Sees football, or something else, in the picture whose first pixel is the key."""

    looks: dict[int, float]
    seen: list[int] = field(default_factory=list)

    def classify(self, pictures: Sequence[Pixels]) -> ClassifierOutput:
        keys = [int(picture[0, 0, 0]) for picture in pictures]
        self.seen += keys
        towards = load_soccer_head().weights[:2048]
        rows = np.array([towards * self.looks[key] for key in keys], np.float32)
        return ClassifierOutput(np.zeros((len(keys), 1000), np.float32), rows)


async def check(classifier: ScriptedClassifier, minute: int) -> Verdict:
    return await LocalReader(ScriptedRecognizer(CLOCKS), classifier).read(CLIP, ExpectedGoal(minute))


@pytest.mark.parametrize("others", [GRASS, CROWD])
async def test_a_first_frame_that_suffices_with_the_goals_clock_is_the_only_one(others: float) -> None:
    classifier = ScriptedClassifier({1: GRASS, 2: others, 3: others})
    assert isinstance(await check(classifier, 34), Accepted)
    assert classifier.seen == [1]


async def test_without_the_goals_clock_both_frames_are_classified() -> None:
    classifier = ScriptedClassifier({1: GRASS, 2: GRASS, 3: GRASS})
    await check(classifier, 70)
    assert classifier.seen == [1, 3]


async def test_where_the_frames_differ_the_middle_one_is_classified_too() -> None:
    classifier = ScriptedClassifier({1: CROWD, 2: GRASS, 3: GRASS})
    await check(classifier, 34)
    assert classifier.seen == [1, 3, 2]


def test_such_a_first_frame_passes_whatever_the_others_show() -> None:
    pitch = measure_pitch(CLIP.outer_frames[0].pixels)
    assert is_football((0.901 + 0 + 0) / 3, [pitch], load_soccer_head().threshold, has_goal_clock=True)
