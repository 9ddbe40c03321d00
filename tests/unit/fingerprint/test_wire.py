import pickle
import struct
import zlib
from pathlib import Path

import pytest

from found_footy.fingerprint import (
    CorruptFingerprint,
    Fingerprint,
    VersionMismatch,
    compare_fingerprints,
    compute_fingerprint,
    serialization,
)
from tests.support.fingerprint import scenes as s


@pytest.fixture(scope="module")
def made(encoded: Path) -> Fingerprint:
    return compute_fingerprint(encoded)


def test_bytes_come_back_as_the_same_fingerprint(made: Fingerprint) -> None:
    back = Fingerprint.from_bytes(made.to_bytes())
    assert back == made
    assert hash(back) == hash(made)
    assert (back.hash_version, back.duration, back.dense) == ("motion:0.125", made.duration, made.dense)
    assert compare_fingerprints(back, made).score == pytest.approx(1.0)


def test_only_still_clips_keep_what_they_show(made: Fingerprint, tmp_path: Path) -> None:
    card = compute_fingerprint(s.write(s.still(s.card("HALF TIME"), 3), tmp_path / "card.mp4"))
    assert (len(made.stills), len(card.stills)) == (0, 3)


def test_a_second_of_video_takes_little_more_than_a_kilobyte(made: Fingerprint) -> None:
    assert len(made.to_bytes()) < 1200 * made.duration


def test_bytes_of_another_algorithm_are_refused_by_name(made: Fingerprint) -> None:
    data = made.to_bytes().replace(b"motion:0.125", b"motion:0.250", 1)
    with pytest.raises(VersionMismatch, match=r"motion:0\.250"):
        Fingerprint.from_bytes(data)


@pytest.mark.parametrize("cut", [0, 3, 10, 30, -1])
def test_bytes_cut_short_are_refused(made: Fingerprint, cut: int) -> None:
    with pytest.raises(CorruptFingerprint):
        Fingerprint.from_bytes(made.to_bytes()[:cut])


def packed(body: bytes) -> bytes:
    data = zlib.compress(body)
    return struct.pack(">4s16sI", serialization.MAGIC, b"motion:0.125", zlib.crc32(data)) + data


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"x" * 100,
        struct.pack(">ddBIII", 1.0, 1.0, 0, 0, 0, 0),
        struct.pack(">ddBIII", float("nan"), 1.0, 1, 0, 0, 0) + b"\0",
        struct.pack(">ddBIII", 1.0, 1.0, 1, 0, 0, 0) + b"\1",
        struct.pack(">ddBIII", 1.0, 1.0, 1, 0, 0, 0) + b"\xff",
        struct.pack(">ddBIII", 1.0, 1.0, 1, 2**32 - 1, 0, 0) + b"\0",
        bytes(5_000_000),
    ],
    ids=["nothing", "noise", "no view", "no duration", "not the whole", "unknown view", "too many", "a bomb"],
)
def test_well_packed_nonsense_is_refused(body: bytes) -> None:
    with pytest.raises(CorruptFingerprint):
        Fingerprint.from_bytes(packed(body))


def test_version_errors_survive_being_sent(made: Fingerprint) -> None:
    error = pickle.loads(pickle.dumps(VersionMismatch("a", "b")))  # noqa: S301
    assert (error.one, error.other) == ("a", "b")
