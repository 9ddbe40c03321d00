"""The result of a comparison."""

from dataclasses import dataclass, replace
from enum import StrEnum


class MatchEvidence(StrEnum):
    MOTION = "motion"  # the same motion over the whole overlap
    PIECES = "pieces"  # the same motion in pieces: something was cut out or inserted
    STILL = "still"  # two still clips that show the same picture
    FRAMES = "frames"  # the rule of the text fingerprint
    NONE = "none"


@dataclass(frozen=True)
class FingerprintMatch:
    score: float  # 0 … 1, comparable only among matches of the same evidence
    offset: float  # seconds into a at which b begins; negative if b begins earlier
    overlap: float  # seconds that both show
    mirrored: bool
    evidence: MatchEvidence
    matched: bool

    @classmethod
    def no_match(cls, score: float = 0.0) -> "FingerprintMatch":
        return cls(score, 0.0, 0.0, mirrored=False, evidence=MatchEvidence.NONE, matched=False)

    def reverse(self) -> "FingerprintMatch":
        """The same result from b to a."""
        return replace(self, offset=0.0 - self.offset)
