"""The verdict on a clip as a table over what its picture says of minute, half, teams and score. Pure."""

from dataclasses import dataclass

from found_footy.domain.outcomes import ClipOutcome, Finding, TimestampStatus
from found_footy.domain.proof import ClipProof


@dataclass(frozen=True)
class ProofCase:
    """`is_direct` if the picture is known not to be a filmed screen. `is_doubtful` if teams or score leave another
    match or goal possible. `witnesses_needed` is how many of half, teams and score must be confirmed to make up for an
    unknown minute: None if nothing does.
    """

    proof: ClipProof
    is_direct: bool
    is_doubtful: bool = False
    witnesses_needed: int | None = None

    @property
    def is_minute_proven(self) -> bool:
        if self.proof.minute_finding is Finding.CONFIRMED:
            return True
        witnesses = (self.proof.half_finding, self.proof.teams_finding, self.proof.score_finding)
        return self.witnesses_needed is not None and witnesses.count(Finding.CONFIRMED) >= self.witnesses_needed


def find_rejection(proof: ClipProof) -> ClipOutcome | None:
    """Another match before another minute before another goal: the outcome names what is furthest off."""
    if proof.teams_finding is Finding.CONTRADICTED:
        return ClipOutcome.WRONG_MATCH
    if Finding.CONTRADICTED in (proof.minute_finding, proof.half_finding):
        return ClipOutcome.WRONG_MINUTE
    return ClipOutcome.WRONG_GOAL if proof.score_finding is Finding.CONTRADICTED else None


def decide_proof(case: ProofCase) -> ClipOutcome | TimestampStatus:
    """The outcome of a rejection, else whether the clip is verified."""
    rejection = find_rejection(case.proof)
    if rejection is not None:
        return rejection
    is_verified = case.is_minute_proven and case.is_direct and not case.is_doubtful
    return TimestampStatus.VERIFIED if is_verified else TimestampStatus.UNVERIFIED
