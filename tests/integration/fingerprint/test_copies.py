"""A copy is found whatever was done to it before it was posted."""

from collections.abc import Callable

import pytest

from found_footy.fingerprint import Fingerprint, MatchEvidence, compare_fingerprints
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.encoded_films import PrintOf
from tests.support.fingerprint.scenes import Film

Originals = dict[int, tuple[Film, Fingerprint]]

CHANGES: dict[str, Callable[[Film], Film]] = {
    "shrunk": lambda f: s.resized(f, 128, 72),
    "trimmed": lambda f: s.trimmed(f, 1.2, 5.1),
    "its second half": lambda f: s.trimmed(f, 2.9, 6.0),
    "at 30 frames a second": lambda f: s.at_rate(f, 30),
    "at 15 frames a second": lambda f: s.at_rate(f, 15),
    "darker": lambda f: s.gamma(f, 1.5),
    "cropped by 4 %": lambda f: s.cropped(f, 0.04),
    "cropped by 8 %": lambda f: s.cropped(f, 0.08),
    "letterboxed": s.letterboxed,
    "upright with black bars": s.upright,
    "upright with blurred bars": s.upright_blurred,
    "cut to 9:16": lambda f: s.cut_to(f, 9 / 16),
    "cut to a square": lambda f: s.cut_to(f, 1.0),
    "with text on it": s.captioned,
    "with a picture in a corner": s.inset,
    "under a fan page's banner": s.bannered,
    "3 % faster": lambda f: s.sped(f, 1.03),
    "3 % slower": lambda f: s.sped(f, 0.97),
    "with a wipe put over it": lambda f: s.wiped(f, 2.2),
    "several things at once": lambda f: s.captioned(
        s.cropped(s.gamma(s.at_rate(s.trimmed(f, 0.6, 5.4), 30), 1.25), 0.04)
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_copy_is_found(change: Callable[[Film], Film], originals: Originals, print_of: PrintOf) -> None:
    film, original = originals[31]
    found = compare_fingerprints(original, print_of(change(film), crf=30))
    assert found.matched
    assert found.evidence is MatchEvidence.MOTION
    assert not found.mirrored


def test_a_mirrored_copy_is_found_and_said_to_be_mirrored(originals: Originals, print_of: PrintOf) -> None:
    film, original = originals[31]
    found = compare_fingerprints(original, print_of(s.trimmed(s.mirrored(film), 0.8, 6.0)))
    assert (found.matched, found.mirrored) == (True, True)
    assert found.offset == pytest.approx(0.8, abs=0.2)


def test_the_offset_says_where_the_copy_begins(originals: Originals, print_of: PrintOf) -> None:
    film, original = originals[32]
    copy = print_of(s.trimmed(film, 1.5, 5.5))
    assert compare_fingerprints(original, copy).offset == pytest.approx(1.5, abs=0.15)
    assert compare_fingerprints(copy, original).offset == pytest.approx(-1.5, abs=0.15)
    assert compare_fingerprints(original, copy).overlap == pytest.approx(4.0, abs=0.3)


def test_a_copy_with_a_piece_cut_out_is_found_in_pieces(originals: Originals, print_of: PrintOf) -> None:
    film, original = originals[31]
    found = compare_fingerprints(original, print_of(s.joined(s.trimmed(film, 0, 2.7), s.trimmed(film, 3.6, 6))))
    assert found.matched
    assert found.evidence is MatchEvidence.PIECES


def test_two_trims_that_share_half_of_the_shorter_are_one_clip(originals: Originals, print_of: PrintOf) -> None:
    film, _ = originals[32]
    assert compare_fingerprints(print_of(s.trimmed(film, 0, 4.2)), print_of(s.trimmed(film, 2, 6))).matched


def test_the_same_still_card_is_found_mirrored_too(print_of: PrintOf) -> None:
    card = s.still(s.card("HALF TIME", seed=4), 3)
    stored = print_of(card)
    assert compare_fingerprints(stored, print_of(card, crf=32)).evidence is MatchEvidence.STILL
    assert compare_fingerprints(stored, print_of(s.mirrored(card))).mirrored
