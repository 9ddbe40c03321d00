"""The fingerprint of a video, and how it is made."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.decode import STEP, Progress, Sampled, sample
from found_footy.fingerprint.dense import DenseHash, dense_hash
from found_footy.fingerprint.motion import Track
from found_footy.fingerprint.picture import boxes
from found_footy.fingerprint.signature import MOTION_VERSION, View, views
from found_footy.fingerprint.stills import still_frames
from found_footy.fingerprint.wire import Parts, pack, unpack


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """`views` are the motion seen through several frames; `aspect` is the picture's width by height, without bars;
    `stills` is what a clip shows in which nothing moves.

    `dense` is the text fingerprint of the same decode pass, for records that want it beside this one.
    """

    duration: float
    aspect: float
    views: tuple[View, ...]
    stills: NDArray[np.uint8]
    dense: DenseHash

    @property
    def hash_version(self) -> str:
        return MOTION_VERSION

    def to_bytes(self) -> bytes:
        return pack(Parts(self.duration, self.aspect, self.views, self.stills, self.dense))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Fingerprint":
        """Raises CorruptFingerprint, or VersionMismatch for a fingerprint of another algorithm."""
        return cls(*unpack(data))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())


def fingerprint(path: Path | str, *, progress: Progress | None = None) -> Fingerprint:
    """`progress` is called with the number of grid points done, every few of them, from the calling thread; what it
    raises ends the work. Raises NotFound, Undecodable or TooLong."""
    return from_pictures(sample(path, progress=progress))


def from_pictures(sampled: Sampled) -> Fingerprint:
    pictures = sampled.pictures
    active, *guesses = boxes(pictures, sampled.aspect)
    aspect = sampled.aspect * active.width / active.height
    seen = views(pictures, active, guesses, aspect)
    return Fingerprint(
        duration=sampled.duration,
        aspect=aspect,
        views=seen,
        stills=still_frames(pictures if Track(seen[0]).still else pictures[:0], active),
        dense=dense_hash(pictures, float(STEP)),
    )
