"""Recordings and their copies, as those see them who look for copies: by what moves in the picture."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from found_footy.fingerprint import Fingerprint, compare, fingerprint
from found_footy.sim.media.files import render
from found_footy.sim.media.spec import Change, Club, Scene, Show

HOME, AWAY = Club("LIV", "#c8102e", "#c8102e"), Club("ARS", "#ffffff", "#101820")
GOAL = Scene(Show.GOAL, HOME, AWAY, width=320, height=180, fps=10, duration=5.0, seed=61, style=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clips")


@pytest.fixture(scope="module")
def original(folder: Path) -> Fingerprint:
    return fingerprint(render(GOAL, (), folder))


@pytest.mark.parametrize(
    "change",
    [
        Change(crf=34, width=240, height=136),
        Change(start=1.0, end=4.4),
        Change(mirror=True),
        Change(letterbox=True, stamp="GOAL"),
        Change(blurred=True),
        Change(portrait=True),
        Change(banner="GOALS DAILY", seed=6),
        Change(crop=0.04, light=1.15, corner="@fan"),
        Change(speed=1.03, fps=10),
    ],
    ids=str,
)
def test_a_copy_is_the_same_recording(folder: Path, original: Fingerprint, change: Change) -> None:
    assert compare(original, fingerprint(render(GOAL, (change,), folder))).matched


def test_another_bug_on_the_same_pictures_is_still_the_same_recording(folder: Path, original: Fingerprint) -> None:
    other = replace(GOAL, design="ticker", style=9)
    assert compare(original, fingerprint(render(other, (), folder))).matched


def test_other_cameras_and_other_goals_are_other_recordings(folder: Path, original: Fingerprint) -> None:
    others = [replace(GOAL, angle=angle) for angle in (2, 4)]
    others += [replace(GOAL, seed=seed, scorer_home=home) for seed, home in ((62, True), (63, False))]
    others += [replace(GOAL, show=Show.REPLAY), replace(GOAL, show=Show.FAN_CAM)]
    prints = [original, *(fingerprint(render(scene, (), folder)) for scene in others)]
    assert not [pair for pair in combinations(range(len(prints)), 2) if compare(*(prints[n] for n in pair)).matched]
