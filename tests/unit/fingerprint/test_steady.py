"""Motion that is only a little alike is believed where it is so all the time, and nowhere else."""

import numpy as np
import pytest

from found_footy.fingerprint import Fingerprint, MatchEvidence, compare_fingerprints, comparison, matrix_products
from found_footy.fingerprint.comparison import MIN_MATCH_RATING
from found_footy.fingerprint.frame_sampler import SampledVideo
from found_footy.fingerprint.motion_alignment import MotionAlignment
from found_footy.fingerprint.motion_signature import MotionView
from found_footy.fingerprint.video_fingerprint import build_fingerprint
from tests.support.fingerprint.scenes import Film, Scene


def quick_print(film: Film) -> Fingerprint:
    return build_fingerprint(SampledVideo(film.pictures, film.seconds, 16 / 9))


def scene(place: int, moment: int = 0, *, pan: float = 0.22, figures: int = 9) -> Film:
    return Scene(place, moment, seconds=6, width=96, height=54, fps=8, pan=pan, figures=figures).film()


def shaken(original: Fingerprint, share: float, since: int = 0) -> Fingerprint:
    """Some cells say something else, from one grid point on."""
    rng = np.random.default_rng(5)

    def worse(view: MotionView) -> MotionView:
        turned = rng.random((len(view), 144)) < share
        turned[:since] = False
        planes = [np.unpackbits(plane, axis=1).astype(bool) for plane in (view.brighter, view.darker)]
        other = rng.random((len(view), 144)) < 0.5
        up, down = np.where(turned, other, planes[0]), np.where(turned, ~other, planes[1])
        return MotionView(view.role, np.packbits(up, axis=1), np.packbits(down, axis=1), view.energy)

    views = tuple(worse(view) for view in original.views)
    return Fingerprint(original.duration, original.aspect, views, original.stills, original.dense)


def test_a_copy_that_is_a_little_alike_all_the_time_is_found() -> None:
    original = quick_print(scene(61))
    found = compare_fingerprints(original, shaken(original, 0.37))
    assert found.score < MIN_MATCH_RATING
    assert (found.matched, found.evidence, found.offset) == (True, MatchEvidence.MOTION, 0.0)


def test_a_clip_as_much_alike_but_in_its_first_part_only_is_not() -> None:
    original = quick_print(scene(61))
    found = compare_fingerprints(original, shaken(original, 1.0, since=20))
    assert found.score > 0.33
    assert not found.matched


@pytest.mark.parametrize(
    ("rating", "lead", "overlap", "believed"),
    [(0.41, 0.4, 5.0, True), (0.39, 0.39, 6.0, False), (0.41, 0.38, 6.0, False), (0.41, 0.41, 4.9, False)],
    ids=["all three", "too faint", "alike elsewhere", "too short"],
)
def test_what_is_a_little_alike_must_be_so_for_long_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, rating: float, lead: float, overlap: float, believed: bool
) -> None:
    monkeypatch.setattr(comparison, "align_tracks", lambda *_: MotionAlignment(rating, rating, 0, overlap, lead))
    original = quick_print(scene(61))
    assert (compare_fingerprints(original, original).evidence is MatchEvidence.MOTION) is believed


def test_calm_clips_with_the_same_moving_picture_in_a_corner_do_not_match() -> None:
    face = Scene(62, seconds=6, width=28, height=16, fps=8).film().pictures
    calm = [scene(place, pan=0.0, figures=0).pictures.copy() for place in (63, 64)]
    for pictures in calm:
        pictures[:, -16:, -28:] = face
    one, other = (quick_print(Film(pictures, 8)) for pictures in calm)
    assert not compare_fingerprints(one, other).matched


@pytest.mark.parametrize("shape", [(0, 5, 144), (1, 1, 144), (41, 97, 144), (200, 130, 7), (3, 2, 300_000)])
def test_a_product_in_tiles_is_the_product(shape: tuple[int, int, int]) -> None:
    rows, columns, length = shape
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-1, 2, (count, length)).astype(np.float32) for count in (rows, columns))
    assert np.array_equal(matrix_products.multiply_transposed(a, b), a @ b.T)
