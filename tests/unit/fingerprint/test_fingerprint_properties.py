"""What holds for any fingerprint, on scenes that nobody chose."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from found_footy.fingerprint import (
    CorruptFingerprint,
    DenseFingerprint,
    Fingerprint,
    VersionMismatch,
    compare_fingerprints,
)
from found_footy.fingerprint.frame_sampler import SampledVideo
from found_footy.fingerprint.motion_signature import MotionView
from found_footy.fingerprint.video_fingerprint import build_fingerprint
from tests.support.examples import times
from tests.support.fingerprint.scenes import Scene

FEW = settings(max_examples=12, deadline=None)
SEED = st.integers(0, 10_000)


def made(place: int, seconds: float = 4.0, start: float = 0.0) -> Fingerprint:
    film = Scene(place, seconds=6, width=48, height=27, fps=8).film()
    pictures = film.pictures[round(start * 8) : round((start + seconds) * 8)]
    return build_fingerprint(SampledVideo(pictures, len(pictures) / 8, 16 / 9))


def noisy(original: Fingerprint, share: float, seed: int) -> Fingerprint:
    """Some bits of every plane turned over, as another encoder might."""
    rng = np.random.default_rng(seed)

    def shaken(
        plane: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        return np.packbits(np.unpackbits(plane, axis=1) ^ (rng.random((len(plane), 144)) < share), axis=1)

    views = tuple(MotionView(v.role, shaken(v.brighter), shaken(v.darker), v.energy) for v in original.views)
    return Fingerprint(original.duration, original.aspect, views, original.stills, original.dense)


@FEW
@given(SEED)
def test_a_clip_is_a_copy_of_itself(place: int) -> None:
    found = compare_fingerprints(made(place), made(place))
    assert found.matched
    assert found.score == pytest.approx(1.0)
    assert (found.offset, found.mirrored) == (0.0, False)


@FEW
@given(SEED, SEED, st.floats(1.5, 6.0), st.floats(1.5, 6.0))
def test_comparing_is_symmetric(place: int, other: int, one_length: float, other_length: float) -> None:
    one, two = made(place, one_length), made(other, other_length)
    there, back = compare_fingerprints(one, two), compare_fingerprints(two, one)
    assert there == back.reverse()
    assert compare_fingerprints(one.dense, two.dense) == compare_fingerprints(two.dense, one.dense).reverse()


@FEW
@example(place=8201, start=1.0, length=3.0)  # only this part of it looks as if it had a blurred fill
@given(SEED, st.floats(0, 3.0), st.floats(3.0, 6.0))
def test_a_trim_is_found_where_it_was_taken(place: int, start: float, length: float) -> None:
    found = compare_fingerprints(made(place, 6.0), made(place, length, start))
    assert found.matched
    assert found.offset == pytest.approx(round(start * 8) / 8, abs=0.125)


@FEW
@given(SEED, st.floats(0, 0.04), SEED)
def test_a_little_noise_does_not_hide_a_copy(place: int, share: float, seed: int) -> None:
    original = made(place)
    assert compare_fingerprints(original, noisy(original, share, seed)).matched


@FEW
@given(SEED, SEED)
def test_unrelated_clips_do_not_match(place: int, other: int) -> None:
    assert compare_fingerprints(made(place), made(other)).matched is (place == other)


@FEW
@given(SEED, st.floats(0.1, 6.0))
def test_bytes_and_text_come_back_the_same(place: int, seconds: float) -> None:
    original = made(place, seconds)
    assert Fingerprint.from_bytes(original.to_bytes()) == original
    assert DenseFingerprint.from_text(original.dense.to_text()) == original.dense


SAMPLE = made(1).to_bytes()


@times(1.5)
@given(st.data())
def test_changed_bytes_are_refused_and_never_crash(data: st.DataObject) -> None:
    mutated = bytearray(SAMPLE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(mutated) - 1))
        mutated[at] ^= data.draw(st.integers(1, 255))
    if bytes(mutated) != SAMPLE:
        with pytest.raises((CorruptFingerprint, VersionMismatch)):
            Fingerprint.from_bytes(bytes(mutated))


@times(1)
@given(st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(lambda tail: SAMPLE[:24] + tail)))
def test_any_bytes_are_refused_and_never_crash(data: bytes) -> None:
    with pytest.raises((CorruptFingerprint, VersionMismatch)):
        Fingerprint.from_bytes(data)


@times(1)
@given(st.one_of(st.text(max_size=60), st.text("0123456789abcdef=.,:-", max_size=60).map(lambda t: "dense:0.25:" + t)))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = DenseFingerprint.from_text(text)
    except CorruptFingerprint:
        return
    assert DenseFingerprint.from_text(read.to_text()) == read
