"""What the picture of a clip proves about its goal."""

from dataclasses import dataclass, replace

from found_footy.domain.outcomes import Finding

# What a picture prints is stored with the clip, whatever it prints.
_MAX_TEXT_LENGTH = 80


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

    def truncate_texts(self) -> "ClipProof":
        return replace(
            self,
            clock=self.clock[:_MAX_TEXT_LENGTH],
            half=self.half[:_MAX_TEXT_LENGTH],
            teams=self.teams[:_MAX_TEXT_LENGTH],
            score=self.score[:_MAX_TEXT_LENGTH],
        )
