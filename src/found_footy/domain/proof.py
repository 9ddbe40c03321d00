"""What the picture of a clip proves about its goal."""

from dataclasses import dataclass

from found_footy.domain.outcomes import Finding


@dataclass(frozen=True)
class ClipProof:
    """Clock, teams and score as printed in the picture and the half that it names, empty where they were not read; and
    what each says about the goal.
    """

    clock: str = ""
    half: str = ""
    teams: str = ""
    score: str = ""
    minute_finding: Finding = Finding.UNKNOWN
    half_finding: Finding = Finding.UNKNOWN
    teams_finding: Finding = Finding.UNKNOWN
    score_finding: Finding = Finding.UNKNOWN
