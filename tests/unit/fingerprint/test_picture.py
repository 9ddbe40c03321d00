"""Where in the frame the picture is."""

from collections.abc import Callable

import numpy as np
import pytest

from found_footy.fingerprint.picture_area import CropBox, find_picture_boxes
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.scenes import Film, Scene

SIDE = 128


def looked_at(film: Film) -> list[CropBox]:
    small = s.resized(film, SIDE, SIDE).pictures[::3]
    _, height, width = film.pictures.shape
    return find_picture_boxes(small, width / height)


@pytest.mark.parametrize(
    ("dress", "expected"),
    [
        (lambda f: f, (0, 128, 0, 128)),
        (s.letterboxed, (16, 112, 0, 128)),
        (s.upright, (43, 85, 0, 128)),
        (s.upright_blurred, (43, 85, 0, 128)),
        (s.captioned, (0, 128, 0, 128)),
        (s.faded_in, (0, 128, 0, 128)),
        (lambda f: s.joined(s.black(1), s.letterboxed(f)), (16, 112, 0, 128)),
    ],
    ids=["as it is", "letterbox", "upright", "blurred", "caption", "fade", "black and letterbox"],
)
def test_bars_and_fill_are_left_out(dress: Callable[[Film], Film], expected: tuple[float, ...]) -> None:
    assert looked_at(dress(Scene(51, seconds=3).film()))[0] == pytest.approx(expected, abs=2)


def test_a_still_banner_yields_a_second_guess() -> None:
    guesses = looked_at(s.bannered(Scene(52, seconds=3).film()))[1:]
    assert any(guess == pytest.approx((57.6, 128, 0, 128), abs=1) for guess in guesses)


def test_an_ordinary_clip_needs_no_second_guess() -> None:
    assert len(looked_at(Scene(53, seconds=3).film())) == 1


def test_a_blank_clip_is_all_picture() -> None:
    assert find_picture_boxes(np.full((20, SIDE, SIDE), 16, np.uint8), 16 / 9) == [CropBox(0, SIDE, 0, SIDE)]


def test_a_thin_line_of_picture_is_not_believed() -> None:
    pictures = np.zeros((20, SIDE, SIDE), np.uint8)
    pictures[:, 60:64] = 40 + np.arange(SIDE)
    assert find_picture_boxes(pictures, 16 / 9)[0] == CropBox(0, SIDE, 0, SIDE)
