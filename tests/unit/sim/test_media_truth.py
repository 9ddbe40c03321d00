"""What the factory says about its own files."""

import pytest

from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind, TeamKit
from found_footy_sim.media.clip_truth import compute_clip_truth, file_seconds, scene_second_at, score_bug_at
from found_footy_sim.media.editing.derivation import duration_after

HOME, AWAY = TeamKit("LIV", "#c8102e", "#c8102e"), TeamKit("ARS", "#f2d21b", "#1b2a6b")
GOAL = ClipScene(SceneKind.GOAL, HOME, AWAY, clock=1350)


def test_the_clock_of_a_copy_is_that_of_the_recording_at_that_moment() -> None:
    reading = score_bug_at(GOAL, (ClipChange(start=2.0),), 3.0)
    assert reading is not None
    assert reading.main_clock == "22:30"
    faster = score_bug_at(GOAL, (ClipChange(start=1.0), ClipChange(speed=1.5)), 2.0)
    assert faster is not None
    assert faster.main_clock == "22:29"


def test_time_goes_back_through_all_changes() -> None:
    changes = ClipChange(start=1.0, end=9.0), ClipChange(speed=2.0), ClipChange(start=0.5)
    assert scene_second_at(changes, 1.0) == 1.0 + 2.0 * 1.5
    assert file_seconds(GOAL, changes) == pytest.approx(3.5)
    assert duration_after(changes[0], GOAL.duration) == 8.0


@pytest.mark.parametrize(
    ("scene", "change"),
    [
        (GOAL, ClipChange(mirror=True)),
        (GOAL, ClipChange(portrait=True)),
        (GOAL, ClipChange(crop=0.1)),
        (ClipScene(SceneKind.GOAL, HOME, AWAY, design="none"), ClipChange()),
        (ClipScene(SceneKind.REPLAY, HOME, AWAY), ClipChange()),
        (ClipScene(SceneKind.FAN_CAM, HOME, AWAY), ClipChange()),
        (ClipScene(SceneKind.TENNIS, HOME, AWAY), ClipChange()),
    ],
)
def test_a_clock_that_is_cut_off_or_turned_around_or_not_there_cannot_be_read(
    scene: ClipScene, change: ClipChange
) -> None:
    assert score_bug_at(scene, (change,), 1.0) is None
    assert not compute_clip_truth(scene, (change,)).has_clock


def test_a_bug_in_the_middle_stays_when_the_sides_are_cut_off() -> None:
    assert (
        score_bug_at(ClipScene(SceneKind.GOAL, HOME, AWAY, design="pill"), (ClipChange(portrait=True),), 1.0)
        is not None
    )


def test_the_replay_at_the_end_has_no_clock() -> None:
    scene = ClipScene(SceneKind.GOAL, HOME, AWAY, replay=4.0)
    assert [score_bug_at(scene, (), at) is not None for at in (1.0, 5.0, 5.9, 7.0)] == [True, True, False, False]
    assert compute_clip_truth(scene).has_clock


def test_an_edited_clip_has_the_clock_of_each_of_its_scenes() -> None:
    then = ClipScene(SceneKind.GOAL, HOME, AWAY, clock=3000, regular=90, duration=6.0)
    changes = (ClipChange(start=2.0, end=7.0, then=then),)
    assert file_seconds(GOAL, changes) == 5.0 + 6.0
    shown = [score_bug_at(GOAL, changes, at) for at in (0.0, 4.9, 5.0, 10.9)]
    assert [reading.running_clock if reading else None for reading in shown] == ["22:27", "22:31", "49:57", "50:02"]


@pytest.mark.parametrize(
    ("show", "football"),
    [
        (SceneKind.GOAL, True),
        (SceneKind.REPLAY, True),
        (SceneKind.FAN_CAM, True),
        (SceneKind.AMERICAN_FOOTBALL, False),
        (SceneKind.CARD, False),
    ],
)
def test_what_is_football_and_what_is_filmed(show: SceneKind, football: bool) -> None:
    truth = compute_clip_truth(ClipScene(show, HOME, AWAY), (ClipChange(filmed=True),))
    assert (truth.is_football, truth.is_filmed) == (football, True)
    assert not compute_clip_truth(ClipScene(show, HOME, AWAY)).is_filmed
