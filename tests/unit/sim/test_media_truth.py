"""What the factory says about its own files."""

import pytest

from found_footy.sim.media.derive import duration_after
from found_footy.sim.media.spec import Change, Club, Scene, Show
from found_footy.sim.media.truth import clock_at, length_of, recorded_at, truth_of

HOME, AWAY = Club("LIV", "#c8102e", "#c8102e"), Club("ARS", "#f2d21b", "#1b2a6b")
GOAL = Scene(Show.GOAL, HOME, AWAY, clock=1350)


def test_the_clock_of_a_copy_is_that_of_the_recording_at_that_moment() -> None:
    reading = clock_at(GOAL, (Change(start=2.0),), 3.0)
    assert reading is not None
    assert reading.main == "22:30"
    faster = clock_at(GOAL, (Change(start=1.0), Change(speed=1.5)), 2.0)
    assert faster is not None
    assert faster.main == "22:29"


def test_time_goes_back_through_all_changes() -> None:
    changes = Change(start=1.0, end=9.0), Change(speed=2.0), Change(start=0.5)
    assert recorded_at(changes, 1.0) == 1.0 + 2.0 * 1.5
    assert length_of(GOAL, changes) == pytest.approx(3.5)
    assert duration_after(changes[0], GOAL.duration) == 8.0


@pytest.mark.parametrize(
    ("scene", "change"),
    [
        (GOAL, Change(mirror=True)),
        (GOAL, Change(portrait=True)),
        (GOAL, Change(crop=0.1)),
        (Scene(Show.GOAL, HOME, AWAY, design="none"), Change()),
        (Scene(Show.REPLAY, HOME, AWAY), Change()),
        (Scene(Show.FAN_CAM, HOME, AWAY), Change()),
        (Scene(Show.TENNIS, HOME, AWAY), Change()),
    ],
)
def test_a_clock_that_is_cut_off_or_turned_around_or_not_there_cannot_be_read(scene: Scene, change: Change) -> None:
    assert clock_at(scene, (change,), 1.0) is None
    assert not truth_of(scene, (change,)).clocked


def test_a_bug_in_the_middle_stays_when_the_sides_are_cut_off() -> None:
    assert clock_at(Scene(Show.GOAL, HOME, AWAY, design="pill"), (Change(portrait=True),), 1.0) is not None


def test_the_replay_at_the_end_has_no_clock() -> None:
    scene = Scene(Show.GOAL, HOME, AWAY, replay=4.0)
    assert [clock_at(scene, (), at) is not None for at in (1.0, 5.0, 5.9, 7.0)] == [True, True, False, False]
    assert truth_of(scene).clocked


def test_an_edited_clip_has_the_clock_of_each_of_its_scenes() -> None:
    then = Scene(Show.GOAL, HOME, AWAY, clock=3000, regular=90, duration=6.0)
    changes = (Change(start=2.0, end=7.0, then=then),)
    assert length_of(GOAL, changes) == 5.0 + 6.0
    shown = [clock_at(GOAL, changes, at) for at in (0.0, 4.9, 5.0, 10.9)]
    assert [reading.clock if reading else None for reading in shown] == ["22:27", "22:31", "49:57", "50:02"]


@pytest.mark.parametrize(
    ("show", "football"),
    [(Show.GOAL, True), (Show.REPLAY, True), (Show.FAN_CAM, True), (Show.AMERICAN_FOOTBALL, False), (Show.CARD, False)],
)
def test_what_is_football_and_what_is_filmed(show: Show, football: bool) -> None:
    truth = truth_of(Scene(show, HOME, AWAY), (Change(filmed=True),))
    assert (truth.football, truth.filmed) == (football, True)
    assert not truth_of(Scene(show, HOME, AWAY)).filmed
