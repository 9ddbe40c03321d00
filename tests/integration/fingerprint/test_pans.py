"""Cameras that pan alike over a pitch: no two recordings of different plays are one."""

from itertools import combinations

import pytest

from found_footy.fingerprint import Fingerprint, compare_fingerprints
from found_footy.fingerprint.frame_sampler import SampledVideo
from found_footy.fingerprint.video_fingerprint import build_fingerprint
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.pans import Pan
from tests.support.fingerprint.scenes import Film

# Of some forty shots those that are the most alike.
ONE_STADIUM = [
    Pan(1, 100, 100, seconds=4),
    Pan(1, 109, 109, seconds=7),
    Pan(1, 103, 103, seconds=7),
    Pan(1, 111, 111, seconds=9),
    Pan(1, 121, 121, seconds=7),
    Pan(1, 122, 122, seconds=8),
]
ONE_PATH = [Pan(1, 101, 101, seconds=5), Pan(3, 101, 2101, seconds=6), Pan(3, 101, 2101, seconds=6, unrest=0.01)]


def quick_print(film: Film) -> Fingerprint:
    """Without a file between: the pictures are taken on the grid right away."""
    return build_fingerprint(SampledVideo(film.pictures, film.seconds, 16 / 9))


@pytest.fixture(scope="module")
def prints() -> dict[Pan, Fingerprint]:
    return {shot: quick_print(shot.film()) for shot in (*ONE_STADIUM, *ONE_PATH)}


def test_different_plays_under_the_same_pan_do_not_match(prints: dict[Pan, Fingerprint]) -> None:
    alike = [
        pair for pair in combinations(ONE_STADIUM, 2) if compare_fingerprints(*(prints[shot] for shot in pair)).matched
    ]
    assert alike == []


def test_plays_in_two_stadiums_under_the_same_pan_do_not_match(prints: dict[Pan, Fingerprint]) -> None:
    here, *elsewhere = ONE_PATH
    assert [shot for shot in elsewhere if compare_fingerprints(prints[here], prints[shot]).matched] == []


def test_copies_of_such_a_shot_are_found(prints: dict[Pan, Fingerprint]) -> None:
    shot = ONE_STADIUM[2]
    film = shot.film()
    for copy in (s.trimmed(film, 1.5, 6.5), s.gamma(s.mirrored(film), 1.4), s.cropped(film, 0.06), s.captioned(film)):
        height, width = copy.pictures.shape[1:]
        made = build_fingerprint(SampledVideo(copy.pictures, copy.seconds, width / height))
        assert compare_fingerprints(prints[shot], made).matched
