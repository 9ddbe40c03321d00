"""The goals of a simulated match day, before anybody has posted or reported them."""

from dataclasses import dataclass

from found_footy_sim.script.model import FeedPerson, IncidentKind, MatchPosition, MatchSide, SimulatedMatch
from found_footy_sim.world.clubs import ClubPlayer, FootballClub
from found_footy_sim.world.sizes import FeedQuirk


def clock_minute(at: MatchPosition) -> int:
    """The minute as the clip check counts it: 45+3 is 48."""
    return at.minute + (at.extra or 0)


@dataclass(frozen=True)
class SimulatedGoal:
    """One goal. `club` gains it and `player` is the final scorer; `at` is its match position, `minute` that of the
    world's clock. `first_credited_to` was named as the scorer before him; it is removed after `removed_after` minutes.
    """

    id: str
    match: SimulatedMatch
    side: MatchSide
    kind: IncidentKind
    at: MatchPosition
    minute: float
    club: FootballClub
    rival: FootballClub
    player: ClubPlayer
    assist: FeedPerson
    score: tuple[int, int]
    seed: int
    quirk: FeedQuirk | None = None
    first_credited_to: ClubPlayer | None = None
    removed_after: float | None = None

    @property
    def is_standing(self) -> bool:
        return self.removed_after is None

    @property
    def clock_minute(self) -> int:
        return clock_minute(self.at)

    def differs_from(self, clock: int) -> bool:
        """Whether a clip whose clock shows that minute cannot be taken for this goal. In added time a reader may lose
        the leading digits or the half, so small minutes are not conclusive then.
        """
        misleading = bool(self.at.extra) and (clock <= 14 or 45 < clock <= 59)
        return abs(clock - self.clock_minute) >= 5 and not misleading

    @property
    def credited_players(self) -> tuple[ClubPlayer, ...]:
        """Everybody who was named as the scorer at some time."""
        return (self.player, self.first_credited_to) if self.first_credited_to else (self.player,)

    @property
    def score_after(self) -> tuple[int, int]:
        home, away = self.score
        return (home + 1, away) if self.side is MatchSide.HOME else (home, away + 1)

    @property
    def minute_text(self) -> str:
        return f"{self.at.minute}+{self.at.extra}" if self.at.extra else str(self.at.minute)
