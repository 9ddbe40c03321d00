"""The text fingerprint `dense:0.25:<seconds>=<hash>,…`: a 64-bit difference hash of an equalized frame every 0.25 s.

Kept readable and writable for records that carry it. It has its own rule of comparison: three frames in a row within 10
bits at one offset. It confuses clips that share black frames or a camera position; new decisions use motion.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from found_footy.fingerprint.diagonals import diagonal_shifts, skew_matrix
from found_footy.fingerprint.errors import CorruptFingerprint
from found_footy.fingerprint.match_result import FingerprintMatch, MatchEvidence

DENSE_VERSION = "dense:0.25"
FRAME_INTERVAL_SECONDS = 0.25
MAX_DIFFERENT_BITS = 10
MIN_CONSECUTIVE_FRAMES = 3
MAX_GRID_POINTS = 4 * 600  # grid points


@dataclass(frozen=True)
class DenseFingerprint:
    """Frames by their position on the 0.25 s grid, in order."""

    frames: tuple[tuple[int, int], ...]

    @property
    def hash_version(self) -> str:
        return DENSE_VERSION

    @cached_property
    def grid(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Hash and presence by grid position, from the first position to the last frame's."""
        places = [place for place, _ in self.frames]
        values, present = np.zeros(places[-1] + 1, np.uint64), np.zeros(places[-1] + 1, bool)
        values[places] = np.array([value for _, value in self.frames], np.uint64)
        present[places] = True
        return values, present

    def to_text(self) -> str:
        return f"{DENSE_VERSION}:" + ",".join(
            f"{place * FRAME_INTERVAL_SECONDS:.2f}={value:016x}" for place, value in self.frames
        )

    @classmethod
    def from_text(cls, text: str) -> "DenseFingerprint":
        head, _, body = text.rpartition(":")
        if head != DENSE_VERSION:
            raise CorruptFingerprint(f"not a {DENSE_VERSION} fingerprint: {text[:24]!r}")
        return cls(tuple(sorted(dict(_parse_frame(part) for part in body.split(",") if part).items())))


def _parse_frame(part: str) -> tuple[int, int]:
    seconds, _, digits = part.partition("=")
    try:
        place, value = round(float(seconds) / FRAME_INTERVAL_SECONDS), int(digits, 16)
    except (ValueError, OverflowError) as error:
        raise CorruptFingerprint(f"not a frame of a {DENSE_VERSION} fingerprint: {part[:40]!r}") from error
    if not (0 <= place <= MAX_GRID_POINTS and len(digits) == 16 and value >= 0):
        raise CorruptFingerprint(f"not a frame of a {DENSE_VERSION} fingerprint: {part[:40]!r}")
    return place, value


def compute_dense_fingerprint(pictures: NDArray[np.uint8], step: float) -> DenseFingerprint:
    """`pictures` are thumbnails on a grid of `step` seconds, of which the interval is a multiple. The first frame is
    left out, as in stored fingerprints.
    """
    chosen = pictures[:: round(FRAME_INTERVAL_SECONDS / step)][1:]
    return DenseFingerprint(tuple((place, _difference_hash(picture)) for place, picture in enumerate(chosen, start=1)))


def _difference_hash(picture: NDArray[np.uint8]) -> int:
    equalized = ImageOps.equalize(Image.fromarray(picture))
    cells = np.asarray(equalized.resize((9, 8), Image.Resampling.LANCZOS))
    return int.from_bytes(np.packbits(cells[:, :-1] < cells[:, 1:]).tobytes(), "big")


def compare_dense(a: DenseFingerprint, b: DenseFingerprint) -> FingerprintMatch:
    if not (a.frames and b.frames):
        return FingerprintMatch.no_match()
    columns = skew_matrix(_match_frames(a, b))
    rows = len(columns)
    padded = np.vstack([columns, np.zeros((MIN_CONSECUTIVE_FRAMES - 1, columns.shape[1]), bool)])
    runs = np.logical_and.reduce([padded[i : i + rows] for i in range(MIN_CONSECUTIVE_FRAMES)]).any(axis=0)
    hits = columns.sum(axis=0)
    best = int(np.argmax(hits + rows * runs))
    width = columns.shape[1] - rows + 1
    shift = int(diagonal_shifts(rows, width)[best])
    overlap = min(rows, width - shift) - max(0, -shift)
    score = float(hits[best] / overlap)
    if not runs.any():
        return FingerprintMatch.no_match(score)
    return FingerprintMatch(
        score,
        -shift * FRAME_INTERVAL_SECONDS,
        overlap * FRAME_INTERVAL_SECONDS,
        False,
        MatchEvidence.FRAMES,
        matched=True,
    )


def _match_frames(a: DenseFingerprint, b: DenseFingerprint) -> NDArray[np.bool_]:
    (one, has_one), (other, has_other) = a.grid, b.grid
    bits = np.bitwise_count(one[:, None] ^ other[None, :])
    near: NDArray[np.bool_] = (bits <= MAX_DIFFERENT_BITS) & has_one[:, None] & has_other[None, :]
    return near
