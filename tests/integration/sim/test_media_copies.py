"""Recordings and their copies, as those see them who look for copies: by what moves in the picture."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from found_footy.fingerprint import Fingerprint, compare_fingerprints, compute_fingerprint
from found_footy_sim.media.clip_library import render_clip
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind, TeamKit

HOME, AWAY = TeamKit("LIV", "#c8102e", "#c8102e"), TeamKit("ARS", "#ffffff", "#101820")
GOAL = ClipScene(SceneKind.GOAL, HOME, AWAY, width=320, height=180, fps=10, duration=5.0, seed=61, style=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clips")


@pytest.fixture(scope="module")
def original(folder: Path) -> Fingerprint:
    return compute_fingerprint(render_clip(GOAL, (), folder))


@pytest.mark.parametrize(
    "change",
    [
        ClipChange(crf=34, width=240, height=136),
        ClipChange(start=1.0, end=4.4),
        ClipChange(mirror=True),
        ClipChange(letterbox=True, stamp="GOAL"),
        ClipChange(blurred=True),
        ClipChange(portrait=True),
        ClipChange(banner="GOALS DAILY", seed=6),
        ClipChange(crop=0.04, light=1.15, corner="@fan"),
        ClipChange(speed=1.03, fps=10),
    ],
    ids=str,
)
def test_a_copy_is_the_same_recording(folder: Path, original: Fingerprint, change: ClipChange) -> None:
    assert compare_fingerprints(original, compute_fingerprint(render_clip(GOAL, (change,), folder))).matched


def test_another_bug_on_the_same_pictures_is_still_the_same_recording(folder: Path, original: Fingerprint) -> None:
    other = replace(GOAL, design="ticker", style=9)
    assert compare_fingerprints(original, compute_fingerprint(render_clip(other, (), folder))).matched


def test_other_cameras_and_other_goals_are_other_recordings(folder: Path, original: Fingerprint) -> None:
    others = [replace(GOAL, angle=angle) for angle in (2, 4)]
    others += [replace(GOAL, seed=seed, scorer_home=home) for seed, home in ((62, True), (63, False))]
    others += [replace(GOAL, show=SceneKind.REPLAY), replace(GOAL, show=SceneKind.FAN_CAM)]
    prints = [original, *(compute_fingerprint(render_clip(scene, (), folder)) for scene in others)]
    assert not [
        pair for pair in combinations(range(len(prints)), 2) if compare_fingerprints(*(prints[n] for n in pair)).matched
    ]
