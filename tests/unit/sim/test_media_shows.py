"""Everything that a clip can show, drawn small."""

from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest

from found_footy.sim.media.camera import cameras
from found_footy.sim.media.filming import film
from found_footy.sim.media.frames import frames_of
from found_footy.sim.media.spec import Club, Scene, Show

HOME, AWAY = Club("BVB", "#fde100", "#101820"), Club("ARS", "#ffffff", "#101820")
SHAPES = (192, 108), (108, 192)


def scene(show: Show, **more: Any) -> Scene:
    return Scene(show, HOME, AWAY, **{"width": 192, "height": 108, "fps": 4, "duration": 2.0} | more)


def pictures(wanted: Scene) -> list["np.ndarray[Any, Any]"]:
    return [np.asarray(image).astype(int) for image in frames_of(wanted)]


@pytest.mark.parametrize("show", list(Show))
@pytest.mark.parametrize("size", SHAPES)
def test_everything_comes_in_both_shapes_and_the_same_every_time(show: Show, size: tuple[int, int]) -> None:
    wanted = scene(show, width=size[0], height=size[1])
    first, second = pictures(wanted), [np.asarray(image) for image in islice(frames_of(wanted), 3)]
    assert len(first) == 8
    assert {picture.shape for picture in first} == {(size[1], size[0], 3)}
    assert all((one == other).all() for one, other in zip(first, second, strict=False))


@pytest.mark.parametrize("show", sorted(set(Show) - {Show.BLANK}))
def test_another_seed_looks_different(show: Show) -> None:
    one, other = (pictures(scene(show, seed=seed))[4] for seed in (1, 2))
    assert np.abs(one - other).mean() > 3


@pytest.mark.parametrize("show", sorted(set(Show) - {Show.CARD}))
def test_only_cards_stand_still(show: Show) -> None:
    first, *_, last = pictures(scene(show))
    assert np.abs(first - last).mean() > 0.4
    first, *_, last = pictures(scene(Show.CARD))
    assert (first == last).all()


def test_a_replay_at_the_end_comes_from_another_camera_behind_a_wipe() -> None:
    plain, again = pictures(scene(Show.GOAL, duration=6.0)), pictures(scene(Show.GOAL, duration=6.0, replay=3.0))
    assert len(again) == len(plain) == 24
    assert (plain[6] == again[6]).all()
    changes = [np.abs(one - other).mean() for one, other in zip(plain, again, strict=True)]
    assert min(changes[12:]) > 5


def test_stadiums_differ_from_club_to_club() -> None:
    one, other = (pictures(Scene(Show.GOAL, Club(name, "#c8102e", "#ffffff"), AWAY, width=192, height=108, fps=1,
                                 duration=1.0))[0] for name in ("LIV", "MUN"))  # fmt: skip
    assert np.abs(one - other).mean() > 8


def test_a_filmed_screen_never_stands_still_and_has_something_around_it() -> None:
    still = next(frames_of(scene(Show.CARD)))
    for seed in range(3):
        filmed = film(still.size, seed, 25)
        shots = [np.asarray(filmed.shot(still, number)).astype(int) for number in (0, 9, 18, 27)]
        assert min(np.abs(one - other).mean() for one, other in pairwise(shots)) > 1


def test_there_are_five_cameras_on_either_side() -> None:
    assert [sorted(cameras(right)) for right in (True, False)] == [[1, 2, 3, 4, 5]] * 2
