"""Everything that a clip can show, drawn small."""

from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest

from found_footy_sim.media.clip_spec import ClipScene, SceneKind, TeamKit
from found_footy_sim.media.editing.phone_capture import build_phone_capture
from found_footy_sim.media.frames import render_frames
from found_footy_sim.media.stadium.camera import build_cameras

HOME, AWAY = TeamKit("BVB", "#fde100", "#101820"), TeamKit("ARS", "#ffffff", "#101820")
SHAPES = (192, 108), (108, 192)


def scene(show: SceneKind, **more: Any) -> ClipScene:
    return ClipScene(show, HOME, AWAY, **{"width": 192, "height": 108, "fps": 4, "duration": 2.0} | more)


def pictures(wanted: ClipScene) -> list["np.ndarray[Any, Any]"]:
    return [np.asarray(image).astype(int) for image in render_frames(wanted)]


@pytest.mark.parametrize("show", list(SceneKind))
@pytest.mark.parametrize("size", SHAPES)
def test_everything_is_rendered_in_both_shapes_and_reproducibly(show: SceneKind, size: tuple[int, int]) -> None:
    wanted = scene(show, width=size[0], height=size[1])
    first, second = pictures(wanted), [np.asarray(image) for image in islice(render_frames(wanted), 3)]
    assert len(first) == 8
    assert {picture.shape for picture in first} == {(size[1], size[0], 3)}
    assert all((one == other).all() for one, other in zip(first, second, strict=False))


@pytest.mark.parametrize("show", sorted(set(SceneKind) - {SceneKind.BLANK}))
def test_another_seed_looks_different(show: SceneKind) -> None:
    one, other = (pictures(scene(show, seed=seed))[4] for seed in (1, 2))
    assert np.abs(one - other).mean() > 3


@pytest.mark.parametrize("show", sorted(set(SceneKind) - {SceneKind.CARD}))
def test_only_cards_stand_still(show: SceneKind) -> None:
    first, *_, last = pictures(scene(show))
    assert np.abs(first - last).mean() > 0.4
    first, *_, last = pictures(scene(SceneKind.CARD))
    assert (first == last).all()


def test_a_replay_at_the_end_comes_from_another_camera_behind_a_wipe() -> None:
    plain, again = (
        pictures(scene(SceneKind.GOAL, duration=6.0)),
        pictures(scene(SceneKind.GOAL, duration=6.0, replay=3.0)),
    )
    assert len(again) == len(plain) == 24
    assert (plain[6] == again[6]).all()
    changes = [np.abs(one - other).mean() for one, other in zip(plain, again, strict=True)]
    assert min(changes[12:]) > 5


def test_stadiums_differ_from_club_to_club() -> None:
    one, other = (
        pictures(
            ClipScene(
                SceneKind.GOAL, TeamKit(name, "#c8102e", "#ffffff"), AWAY, width=192, height=108, fps=1, duration=1.0
            )
        )[0]
        for name in ("LIV", "MUN")
    )
    assert np.abs(one - other).mean() > 8


def test_a_filmed_screen_never_stands_still_and_has_something_around_it() -> None:
    still = next(render_frames(scene(SceneKind.CARD)))
    for seed in range(3):
        filmed = build_phone_capture(still.size, seed, 25)
        shots = [np.asarray(filmed.capture_frame(still, number)).astype(int) for number in (0, 9, 18, 27)]
        assert min(np.abs(one - other).mean() for one, other in pairwise(shots)) > 1


def test_there_are_six_cameras_on_either_side() -> None:
    assert [sorted(build_cameras(right)) for right in (True, False)] == [[1, 2, 3, 4, 5, 6]] * 2
