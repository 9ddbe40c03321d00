from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from found_footy.fingerprint import Fingerprint, FingerprintIndex, VersionMismatch, compare_fingerprints
from found_footy.fingerprint import fingerprint_index as indexing
from found_footy.fingerprint.frame_sampler import SampledVideo
from found_footy.fingerprint.video_fingerprint import build_fingerprint
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.scenes import Film, Scene

MANY = 54


def quick_print(film: Film) -> Fingerprint:
    """Without a file between: the pictures are taken on the grid right away."""
    height, width = film.pictures.shape[1:]
    return build_fingerprint(SampledVideo(film.pictures, film.seconds, width / height))


def scene(place: int, seconds: float = 5) -> Film:
    return Scene(place, seconds=seconds, width=48, height=27, fps=8).film()


@pytest.fixture(scope="module")
def stored() -> dict[str, Fingerprint]:
    return {f"clip {place}": quick_print(scene(place)) for place in range(MANY)}


@pytest.fixture
def index(stored: dict[str, Fingerprint]) -> FingerprintIndex[str]:
    filled: FingerprintIndex[str] = FingerprintIndex()
    for key, made in stored.items():
        filled.add(key, made)
    return filled


def copies(place: int) -> Iterator[Film]:
    film = scene(place)
    yield s.trimmed(film, 1, 4)
    yield s.mirrored(film)
    yield s.cropped(film, 0.08)
    yield s.gamma(film, 1.3)


@pytest.mark.parametrize("place", [3, 33, 51])
def test_copies_are_found_among_many(index: FingerprintIndex[str], place: int) -> None:
    assert len(index) == MANY > indexing.MAX_EXHAUSTIVE_CLIPS
    for copy in copies(place):
        assert [key for key, _ in index.query(quick_print(copy))] == [f"clip {place}"]


def test_what_the_index_says_is_what_comparing_says(
    index: FingerprintIndex[str], stored: dict[str, Fingerprint]
) -> None:
    asked = quick_print(s.trimmed(scene(5), 1, 5))
    [(key, match)] = index.query(asked)
    assert match == compare_fingerprints(asked, stored[key])
    assert match.offset == pytest.approx(-1, abs=0.13)


def test_an_index_keeps_no_vectors_of_the_clips_it_has_compared(index: FingerprintIndex[str]) -> None:
    """They are ten times the size of a fingerprint, and are computed again when they are needed."""
    assert index.query(quick_print(s.mirrored(scene(5))))
    tracks = [track for stored in index._stored.values() for track in stored.prepared.tracks]
    assert not [name for track in tracks for name, value in vars(track).items() if np.ndim(value) == 2]


MANY_COPIES: dict[str, Callable[[Film], Film]] = {
    "itself": lambda f: f,
    "start": lambda f: s.trimmed(f, 0, 3.5),
    "middle": lambda f: s.trimmed(f, 1, 4.5),
    "end": lambda f: s.trimmed(f, 2, 6),
    "mirrored": s.mirrored,
    "cropped by 8 %": lambda f: s.cropped(f, 0.08),
    "cropped by 12 %": lambda f: s.cropped(f, 0.12),
    "darker": lambda f: s.gamma(f, 1.6),
    "brighter": lambda f: s.gamma(f, 0.7),
    "letterbox": s.letterboxed,
    "upright": s.upright,
    "banner": s.bannered,
    "caption": s.captioned,
    "faster": lambda f: s.sped(f, 1.03),
    "wipe": lambda f: s.wiped(f, 3.0),
    "corner": s.inset,
    "cropped, mirrored, caption": lambda f: s.captioned(s.mirrored(s.cropped(f, 0.1))),
    "middle under a banner": lambda f: s.bannered(s.trimmed(f, 1, 4)),
}


def test_every_copy_is_found_however_many_are_stored() -> None:
    """What comparing one by one finds, and nothing else."""
    films = {place: Scene(place, seconds=6, width=96, height=54, fps=8).film() for place in (0, 2, 4)}
    stored = {(p, n): quick_print(change(film)) for p, film in films.items() for n, change in MANY_COPIES.items()}
    index: FingerprintIndex[tuple[int, str]] = FingerprintIndex()
    for key, made in stored.items():
        index.add(key, made)
    assert len(index) > indexing.MAX_EXHAUSTIVE_CLIPS
    for asked in ("itself", "middle", "cropped by 12 %", "upright", "middle under a banner"):
        for place in films:
            alike = {key for key in stored if compare_fingerprints(stored[place, asked], stored[key]).matched}
            assert len(alike) > 8
            assert {key for key, _ in index.query(stored[place, asked])} == alike


def test_an_unrelated_clip_matches_nothing(index: FingerprintIndex[str]) -> None:
    assert index.query(quick_print(scene(MANY + 1))) == []


def test_few_clips_are_compared_one_by_one(stored: dict[str, Fingerprint], monkeypatch: pytest.MonkeyPatch) -> None:
    few: FingerprintIndex[str] = FingerprintIndex()
    for key in list(stored)[:5]:
        few.add(key, stored[key])
    monkeypatch.setattr(few, "_find_candidates", lambda *_: pytest.fail("no need"))
    assert [key for key, _ in few.query(stored["clip 2"])] == ["clip 2"]


def test_the_best_match_comes_first() -> None:
    film = scene(80)
    index: FingerprintIndex[int] = FingerprintIndex()
    for number, version in enumerate([s.cropped(film, 0.12), film, s.gamma(film, 1.4)]):
        index.add(number, quick_print(version))
    answer = index.query(quick_print(film))
    assert answer[0][0] == 1
    assert [match.score for _, match in answer] == sorted((match.score for _, match in answer), reverse=True)


def test_what_was_removed_is_not_found(index: FingerprintIndex[str], stored: dict[str, Fingerprint]) -> None:
    index.remove("clip 3")
    index.remove("clip 3")
    assert "clip 3" not in index
    assert index.query(stored["clip 3"]) == []
    assert [key for key, _ in index.query(stored["clip 4"])] == ["clip 4"]


def test_adding_under_the_same_key_replaces(index: FingerprintIndex[str], stored: dict[str, Fingerprint]) -> None:
    index.add("clip 3", stored["clip 3"])
    index.add("clip 4", quick_print(scene(81)))
    assert len(index) == MANY
    assert [key for key, _ in index.query(stored["clip 3"])] == ["clip 3"]
    assert index.query(stored["clip 4"]) == []


def test_an_index_that_was_emptied_and_filled_again_still_answers(
    index: FingerprintIndex[str], stored: dict[str, Fingerprint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "MAX_EXHAUSTIVE_CLIPS", 0)
    for key in list(stored)[: MANY - 5]:
        index.remove(key)
    index.add("back", stored["clip 1"])
    assert [key for key, _ in index.query(stored["clip 1"])] == ["back"]
    assert [key for key, _ in index.query(stored[f"clip {MANY - 1}"])] == [f"clip {MANY - 1}"]


def test_still_clips_are_found_among_many(index: FingerprintIndex[str]) -> None:
    card = quick_print(s.still(s.card("FULL TIME", 96, 54), 4, fps=8))
    index.add("card", card)
    assert [key for key, _ in index.query(card)] == ["card"]


def test_a_clip_too_short_to_move_can_be_stored_and_asked_for(index: FingerprintIndex[str]) -> None:
    blink = quick_print(Film(np.zeros((2, 27, 48), np.uint8), 8))
    index.add("blink", blink)
    assert index.query(blink) == []


def test_other_versions_are_refused(index: FingerprintIndex[str], stored: dict[str, Fingerprint], clip: Path) -> None:
    other = stored["clip 1"].dense
    with pytest.raises(VersionMismatch):
        index.add("other", other)  # type: ignore[arg-type]
    with pytest.raises(VersionMismatch):
        index.query(other)  # type: ignore[arg-type]
