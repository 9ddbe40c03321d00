"""What a comparison says."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Evidence(StrEnum):
    MOTION = "motion"  # the same motion over the whole overlap
    PIECES = "pieces"  # the same motion in pieces: something was cut out or put in between
    STILL = "still"  # two still clips that show the same picture
    FRAMES = "frames"  # the text fingerprint's rule
    NONE = "none"


@dataclass(frozen=True)
class Match:
    score: float  # 0 … 1, comparable among matches of one evidence only
    offset: float  # seconds into a at which b begins; negative if b begins earlier
    overlap: float  # seconds that both show
    mirrored: bool
    evidence: Evidence
    matched: bool

    @classmethod
    def none(cls, score: float = 0.0) -> "Match":
        return cls(score, 0.0, 0.0, mirrored=False, evidence=Evidence.NONE, matched=False)

    def flipped(self) -> "Match":
        """The same finding, told from b to a."""
        return replace(self, offset=0.0 - self.offset)
