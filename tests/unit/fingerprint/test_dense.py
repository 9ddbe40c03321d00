"""The text fingerprint and its own rule."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps

from found_footy.fingerprint import (
    CorruptFingerprint,
    DenseFingerprint,
    MatchEvidence,
    VersionMismatch,
    compare_fingerprints,
    compute_fingerprint,
)
from found_footy.fingerprint.dense_fingerprint import compute_dense_fingerprint
from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.scenes import Pictures, Scene


def dense(*values: int, start: int = 1) -> DenseFingerprint:
    return DenseFingerprint(tuple(enumerate(values, start)))


def test_it_is_written_in_its_format(clip: Path) -> None:
    text = compute_fingerprint(clip).dense.to_text()
    assert re.fullmatch(r"dense:0\.25:0\.25=[0-9a-f]{16},0\.50=[0-9a-f]{16}(,\d+\.\d\d=[0-9a-f]{16}){9}", text)
    assert DenseFingerprint.from_text(text) == compute_fingerprint(clip).dense


def test_it_is_close_to_a_hash_of_whole_frames() -> None:
    """The records it is compared with were made by equalizing and shrinking frames of full size."""
    film = Scene(37, seconds=2, width=640, height=360, fps=8).film()
    whole = [int.from_bytes(np.packbits(differences(picture)).tobytes(), "big") for picture in film.pictures[2::2]]
    ours = compute_dense_fingerprint(s.resized(film, 128, 128).pictures, 0.125)
    apart = [(value ^ other).bit_count() for (_, value), other in zip(ours.frames, whole, strict=True)]
    assert np.mean(apart) < 2


def differences(picture: Pictures) -> NDArray[np.bool_]:
    cells = np.asarray(ImageOps.equalize(Image.fromarray(picture)).resize((9, 8), Image.Resampling.LANCZOS))
    return cells[:, :-1] < cells[:, 1:]


def test_times_with_other_digits_and_holes_are_read() -> None:
    read = DenseFingerprint.from_text("dense:0.25:0.5=00000000000000ff,0.250=000000000000000f,1.75=0000000000000001")
    assert read.frames == ((1, 15), (2, 255), (7, 1))


def test_an_empty_fingerprint_is_valid_and_matches_nothing() -> None:
    empty = DenseFingerprint.from_text("dense:0.25:")
    assert empty.to_text() == "dense:0.25:"
    assert not compare_fingerprints(empty, empty).matched


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dense:0.5:0.25=00000000000000ff",
        "dense:0.25:0.25",
        "dense:0.25:0.25=ff",
        "dense:0.25:0.25=zzzzzzzzzzzzzzzz",
        "dense:0.25:0.25=-00000000000000f",
        "dense:0.25:nan=00000000000000ff",
        "dense:0.25:inf=00000000000000ff",
        "dense:0.25:-1=00000000000000ff",
        "dense:0.25:999999=00000000000000ff",
        "motion:0.125:0.25=00000000000000ff",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(CorruptFingerprint):
        DenseFingerprint.from_text(text)


FAR = 0xFFFFFFFF00000000
A, B, C, D = 0x0F0F, 0xF0F0F0F0F0F0F0F0, 0x3333333333333333, 0xFF00FF00FF00FF00


@pytest.mark.parametrize(
    ("one", "other", "matched"),
    [
        ((A, B, C), (A, B, C), True),
        ((A, B, C), (A ^ 0x3FF << 20, B, C), True),
        ((A, B, C), (A ^ 0x7FF << 20, B, C), False),
        ((A, B, C), (FAR, FAR, A, B, C), True),
        ((A, B), (A, B), False),
        ((A, B, FAR, C), (A, B, D, C), False),
    ],
    ids=["same", "10 bits", "11 bits", "shifted", "only two", "not in a row"],
)
def test_three_frames_in_a_row_within_ten_bits_match(
    one: tuple[int, ...], other: tuple[int, ...], matched: bool
) -> None:
    assert compare_fingerprints(dense(*one), dense(*other)).matched is matched
    assert compare_fingerprints(dense(*other), dense(*one)).matched is matched


def test_the_offset_is_returned() -> None:
    found = compare_fingerprints(dense(FAR, D, A, B, C), dense(A, B, C))
    assert (found.offset, found.evidence) == (0.5, MatchEvidence.FRAMES)
    assert compare_fingerprints(dense(A, B, C), dense(FAR, D, A, B, C)).offset == -0.5


def test_holes_are_no_match() -> None:
    holey = DenseFingerprint(((1, A), (2, B), (4, C)))
    assert not compare_fingerprints(holey, holey).matched


def test_versions_are_not_mixed(clip: Path) -> None:
    made = compute_fingerprint(clip)
    with pytest.raises(VersionMismatch, match=r"motion:0\.125 and dense:0\.25"):
        compare_fingerprints(made, made.dense)
    with pytest.raises(VersionMismatch):
        compare_fingerprints(made.dense, made)
