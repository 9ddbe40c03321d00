"""The choreography and the camera that follows it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from found_footy_sim.media.clip_spec import ClipScene, SceneKind, TeamKit
from found_footy_sim.media.play.choreography import choreograph_goal
from found_footy_sim.media.stadium.camera import PITCH_LENGTH, PITCH_WIDTH, CameraLens, build_cameras
from found_footy_sim.media.stadium.camera_pan import compute_pan_windows
from found_footy_sim.media.stadium.stadium_view import mirror_play

CLUBS = TeamKit("LIV", "#c8102e", "#c8102e"), TeamKit("ARS", "#f2d21b", "#1b2a6b")


@given(st.integers(0, 10_000), st.floats(0.3, 0.7))
@settings(max_examples=20, deadline=None)
def test_the_ball_crosses_the_line_between_the_posts_at_the_moment_that_is_asked_for(seed: int, moment: float) -> None:
    play = choreograph_goal(seed, 10.0, moment * 10, 25)
    over = np.flatnonzero(play.ball[:, 0] > PITCH_LENGTH)
    assert over[0] / 25 == pytest.approx(moment * 10, abs=0.08)
    _, y, z = play.ball[over[0]]
    assert abs(y - PITCH_WIDTH / 2) < 3.66
    assert 0 < z < 2.44


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_nobody_moves_faster_than_people_run(seed: int) -> None:
    play = choreograph_goal(seed, 10.0, 5.0, 25)
    steps = np.diff(np.concatenate([play.attack, play.defence], axis=1), axis=0)
    assert np.hypot(steps[..., 0], steps[..., 1]).max() * 25 < 9.5


@pytest.mark.parametrize("angle", [1, 2, 3, 4, 5, 6])
@given(seed=st.integers(0, 10_000), scorer_home=st.booleans())
@settings(max_examples=10, deadline=None)
def test_the_camera_keeps_the_ball_in_the_picture_until_it_is_in(angle: int, seed: int, scorer_home: bool) -> None:
    scene = ClipScene(SceneKind.GOAL, *CLUBS, scorer_home=scorer_home, seed=seed, angle=angle)
    lens = CameraLens(build_cameras(scorer_home)[angle], scene.width, scene.height)
    play = mirror_play(choreograph_goal(seed, 10.0, 5.0, 25), scene)
    left, top, right, bottom = compute_pan_windows(lens, play, scene).T
    column, row, _ = lens.project(play.ball[:, 0], play.ball[:, 1], play.ball[:, 2])
    seen = (column > left) & (column < right) & (row > top) & (row < bottom)
    assert seen[110:135].all()
    # Only the main stand's reaches both corner flags.
    assert angle != 1 or seen[:125].mean() > 0.9
