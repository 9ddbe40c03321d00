"""The goals of a simulated match day, before anybody has posted or reported them."""

from dataclasses import dataclass

from found_footy_sim.script.model import FeedPerson, IncidentKind, MatchPosition, MatchSide, SimulatedMatch
from found_footy_sim.world.clubs import ClubPlayer, FootballClub
from found_footy_sim.world.sizes import FeedQuirk

# A goal that falls at most this many minutes after another is close to it.
CLOSE_MINUTES = 3


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

    def is_close_to(self, other: "SimulatedGoal") -> bool:
        """Whether both fall within three minutes of play, so that the clock alone hardly tells them apart."""
        return self.match is other.match and abs(self.clock_minute - other.clock_minute) <= CLOSE_MINUTES

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
