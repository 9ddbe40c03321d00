"""What two clips share besides the recording does not make them one."""

from collections.abc import Callable

import pytest

from found_footy.fingerprint import compare_fingerprints
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.encoded_films import PrintOf
from tests.support.fingerprint.scenes import Film, Scene

INTRO = Scene(90, seconds=1.2).film()

FURNITURE: dict[str, Callable[[Film], Film]] = {
    "nothing": lambda f: f,
    "black before it": lambda f: s.joined(s.black(2), f),
    "an end card": lambda f: s.joined(f, s.still(s.card("THANKS"), 2)),
    "a fade from black": s.faded_in,
    "a wipe": lambda f: s.wiped(f, 2.0),
    "an intro": lambda f: s.joined(INTRO, f),
    "a banner": s.bannered,
    "a caption": s.captioned,
    "blurred bars": s.upright_blurred,
    "a cut to 9:16": lambda f: s.cut_to(f, 9 / 16),
}


@pytest.mark.parametrize("dress", FURNITURE.values(), ids=FURNITURE.keys())
def test_another_moment_on_the_same_ground_is_another_clip(dress: Callable[[Film], Film], print_of: PrintOf) -> None:
    one, other = (Scene(41, moment, seconds=4).film() for moment in (0, 1))
    assert not compare_fingerprints(print_of(dress(one)), print_of(dress(other))).matched


@pytest.mark.parametrize("name", ["black before it", "an end card", "a wipe", "an intro", "a banner"])
def test_the_same_frame_and_banners_around_other_pictures_are_another_clip(name: str, print_of: PrintOf) -> None:
    one, other = (FURNITURE[name](Scene(place, seconds=4).film()) for place in (42, 43))
    assert not compare_fingerprints(print_of(one), print_of(other)).matched


def test_a_calm_clip_is_not_its_lively_intro(print_of: PrintOf) -> None:
    calm = [s.joined(INTRO, Scene(44, moment, pan=0.004, figures=1).film()) for moment in (0, 1)]
    assert not compare_fingerprints(print_of(calm[0]), print_of(calm[1])).matched


def test_an_overlap_of_a_second_is_not_enough(print_of: PrintOf) -> None:
    film = Scene(45).film()
    assert not compare_fingerprints(print_of(s.trimmed(film, 0, 3.5)), print_of(s.trimmed(film, 2.5, 6))).matched


@pytest.mark.parametrize("text", ["2 - 0", "1 - 1", "HALF TIME"])
def test_still_cards_of_one_design_with_other_text_do_not_match(text: str, print_of: PrintOf) -> None:
    one, other = (s.still(s.card(said, 480, 270, seed=4), 1) for said in ("1 - 0", text))
    assert compare_fingerprints(print_of(one), print_of(one, crf=34)).matched
    assert not compare_fingerprints(print_of(one), print_of(other)).matched


def test_black_clips_match_nothing_not_even_each_other(print_of: PrintOf) -> None:
    black, longer = print_of(s.black(3)), print_of(s.black(4))
    assert not compare_fingerprints(black, longer).matched
    assert not compare_fingerprints(black, print_of(Scene(46, seconds=3).film())).matched
