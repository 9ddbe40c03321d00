"""What the picture of a goal should show: its minute, its teams, and the scores around it."""

from dataclasses import dataclass

from found_footy.domain.minutes import add_extra_time
from found_footy.domain.scores import Score
from found_footy.vision.clock import CLOCK_TOLERANCE_MINUTES


@dataclass(frozen=True)
class ScoreChange:
    """A goal of the match: its minute on a clock that runs on in added time, and the score before and after it."""

    minute: int
    before: Score
    after: Score


@dataclass(frozen=True)
class MatchTeams:
    """The names of both sides: the feed's, and those by which people and broadcasters know them."""

    home: tuple[str, ...]
    away: tuple[str, ...]


@dataclass(frozen=True)
class ProofRules:
    """What is checked besides the minute, which may differ by `tolerance` minutes. `witnesses`: teams and score may
    make up for a doubtful minute; `other_goals`: a clip must fit no other goal of the match as well.
    """

    tolerance: int = CLOCK_TOLERANCE_MINUTES
    teams: bool = True
    score: bool = True
    half: bool = True
    witnesses: bool = True
    other_goals: bool = True


@dataclass(frozen=True)
class ExpectedGoal:
    """The goal's minute as in the feed: 90+3 is `elapsed` 90 and `extra` 3. What is None is not checked.

    `others` are the other goals of the match. Without `checks_half` the half in
    the picture is ignored; without `uses_witnesses` teams and score never make up for a doubtful minute.
    """

    elapsed: int
    extra: int | None = None
    tolerance: int = CLOCK_TOLERANCE_MINUTES
    teams: MatchTeams | None = None
    change: ScoreChange | None = None
    others: tuple[ScoreChange, ...] = ()
    checks_half: bool = True
    uses_witnesses: bool = True

    @property
    def minute(self) -> int:
        return add_extra_time(self.elapsed, self.extra)

    @property
    def needs_score_bug(self) -> bool:
        """Whether teams or score are checked, so that more than the clock must be read."""
        return self.teams is not None or self.change is not None

    def __str__(self) -> str:
        return f"{self.elapsed}+{self.extra}" if self.extra else str(self.elapsed)
