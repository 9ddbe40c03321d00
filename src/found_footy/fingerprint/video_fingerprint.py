"""The fingerprint of a video, and its computation."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from found_footy.fingerprint.dense_fingerprint import DenseFingerprint, compute_dense_fingerprint
from found_footy.fingerprint.frame_sampler import GRID_STEP, ProgressCallback, SampledVideo, sample_video
from found_footy.fingerprint.motion_alignment import MotionTrack
from found_footy.fingerprint.motion_signature import MOTION_VERSION, MotionView, compute_views
from found_footy.fingerprint.picture_area import find_picture_boxes
from found_footy.fingerprint.serialization import FingerprintParts, pack_fingerprint, unpack_fingerprint
from found_footy.fingerprint.stills import extract_still_frames


@dataclass(frozen=True, eq=False)
class Fingerprint:
    """`views` are the motion within several boxes; `aspect` is the picture's width divided by its height, without bars;
    `stills` are the frames of a clip without motion.

    `dense` is the text fingerprint of the same decode pass, for records that store both.
    """

    duration: float
    aspect: float
    views: tuple[MotionView, ...]
    stills: NDArray[np.uint8]
    dense: DenseFingerprint

    @property
    def hash_version(self) -> str:
        return MOTION_VERSION

    def to_bytes(self) -> bytes:
        return pack_fingerprint(FingerprintParts(self.duration, self.aspect, self.views, self.stills, self.dense))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Fingerprint":
        """Raises CorruptFingerprint, or VersionMismatch for a fingerprint of another algorithm."""
        return cls(*unpack_fingerprint(data))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())


def compute_fingerprint(path: Path | str, *, progress: ProgressCallback | None = None) -> Fingerprint:
    """`progress` is called with the number of grid points done, every few of them, from the calling thread; an
    exception from it ends the work. Raises NotFound, Undecodable or VideoTooLong.
    """
    return build_fingerprint(sample_video(path, progress=progress))


def build_fingerprint(sampled: SampledVideo) -> Fingerprint:
    pictures = sampled.pictures
    active, *guesses = find_picture_boxes(pictures, sampled.aspect)
    aspect = sampled.aspect * active.width / active.height
    seen = compute_views(pictures, active, guesses, aspect)
    return Fingerprint(
        duration=sampled.duration,
        aspect=aspect,
        views=seen,
        stills=extract_still_frames(pictures if MotionTrack(seen[0]).is_still else pictures[:0], active),
        dense=compute_dense_fingerprint(pictures, float(GRID_STEP)),
    )
