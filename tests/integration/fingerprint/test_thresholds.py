"""How many copies are found and how many strangers are not, on drawn films: what a changed threshold shows first."""

from collections.abc import Callable
from itertools import combinations

import pytest

from found_footy.fingerprint import Fingerprint, compare_fingerprints
from found_footy.fingerprint.frame_sampler import SampledVideo
from found_footy.fingerprint.video_fingerprint import build_fingerprint
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.scenes import Film, Scene

PLACES = range(700, 706)
MOMENTS = range(3)
CHANGES: dict[str, Callable[[Film], Film]] = {
    "itself": lambda f: f,
    "trimmed": lambda f: s.trimmed(f, 1.0, 5.0),
    "cropped": lambda f: s.cropped(f, 0.08),
    "letterbox": s.letterboxed,
    "mirrored, darker": lambda f: s.gamma(s.mirrored(f), 1.5),
    "banner": lambda f: s.bannered(f, 0.3),
    "faster, caption": lambda f: s.captioned(s.sped(f, 1.03)),
    "wipe": lambda f: s.wiped(f, 2.5),
}


def quick_print(film: Film) -> Fingerprint:
    height, width = film.pictures.shape[1:]
    return build_fingerprint(SampledVideo(film.pictures, film.seconds, width / height))


@pytest.fixture(scope="module")
def prints() -> dict[tuple[int, int, str], Fingerprint]:
    """Copies of the first moment of each place; the other moments as they are."""
    wanted = [(place, moment) for place in PLACES for moment in MOMENTS]
    films = {key: Scene(*key, seconds=6, width=96, height=54, fps=8).film() for key in wanted}
    return {
        (*key, name): quick_print(change(film))
        for key, film in films.items()
        for name, change in CHANGES.items()
        if key[1] == 0 or name == "itself"
    }


def test_copies_are_found(prints: dict[tuple[int, int, str], Fingerprint]) -> None:
    """Two of them against each other as well, which were changed in different ways."""
    pairs = [(place, *names) for place in PLACES for names in combinations(CHANGES, 2)]
    missed = [
        (place, one, other)
        for place, one, other in pairs
        if not compare_fingerprints(prints[place, 0, one], prints[place, 0, other]).matched
    ]
    assert len(missed) <= 0.04 * len(pairs), missed


def test_other_moments_and_other_places_are_not(prints: dict[tuple[int, int, str], Fingerprint]) -> None:
    strangers = [(a, b) for a, b in combinations(prints, 2) if a[:2] != b[:2] and a[2] == b[2]]
    assert len(strangers) > 200
    assert [pair for pair in strangers if compare_fingerprints(prints[pair[0]], prints[pair[1]]).matched] == []
