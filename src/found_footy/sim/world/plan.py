"""The goals of a simulated match day, before anybody has posted or reported them."""

from dataclasses import dataclass

from found_footy.sim.script.model import Kind, Match, Person, Position, Side
from found_footy.sim.world.clubs import Club, Player
from found_footy.sim.world.sizes import Quirk


def clock_minute(at: Position) -> int:
    """The minute as a verdict on a clip's clock would count it: 45+3 is 48."""
    return at.minute + (at.extra or 0)


@dataclass(frozen=True)
class Goal:
    """One goal. `club` gains it and `player` is who is credited in the end; `at` is its place in the match, `minute`
    that of the world's clock. `first_given_to` had it before him; `struck_after` so many minutes it is taken back.
    """

    id: str
    match: Match
    side: Side
    kind: Kind
    at: Position
    minute: float
    club: Club
    rival: Club
    player: Player
    assist: Person
    score: tuple[int, int]
    seed: int
    quirk: Quirk | None = None
    first_given_to: Player | None = None
    struck_after: float | None = None

    @property
    def stands(self) -> bool:
        return self.struck_after is None

    @property
    def clock(self) -> int:
        return clock_minute(self.at)

    def differs_from(self, clock: int) -> bool:
        """Whether a clip whose clock shows that minute cannot be taken for this goal. In added time a reader may lose
        the leading digits or the half, so that small minutes are no safe sign then.
        """
        misleading = bool(self.at.extra) and (clock <= 14 or 45 < clock <= 59)
        return abs(clock - self.clock) >= 5 and not misleading

    @property
    def credits(self) -> tuple[Player, ...]:
        """Everybody who was named as the scorer at some time."""
        return (self.player, self.first_given_to) if self.first_given_to else (self.player,)

    @property
    def score_after(self) -> tuple[int, int]:
        home, away = self.score
        return (home + 1, away) if self.side is Side.HOME else (home, away + 1)

    @property
    def written_minute(self) -> str:
        return f"{self.at.minute}+{self.at.extra}" if self.at.extra else str(self.at.minute)
