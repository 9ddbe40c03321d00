"""A scenario while it is being read: lists that statements append to, and the finished, checked value at the end."""

from dataclasses import dataclass, field
from typing import Any

from found_footy.sim.script.model import (
    Clip,
    Effect,
    Ending,
    FeedFault,
    GoalTruth,
    Incident,
    League,
    Limits,
    ListingFault,
    Match,
    Post,
    Reach,
    SearchFault,
    Stop,
    Team,
    Truth,
)
from found_footy.sim.script.values import ScriptError


@dataclass
class MatchDraft:
    id: int
    league: League
    home: Team | None = None
    away: Team | None = None
    kickoff: float = 0.0
    added: tuple[int, int, int, int] = (2, 4, 1, 1)
    pause: float = 5.0
    extra_time: bool = False
    shoot_out: bool = False
    stops: list[Stop] = field(default_factory=list)
    ending: Ending | None = None
    reaches: list[Reach] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    faults: list[FeedFault] = field(default_factory=list)
    true_goals: list[GoalTruth] = field(default_factory=list)
    true_removed: list[GoalTruth] = field(default_factory=list)
    true_score: tuple[int | None, int | None] | None = None
    true_status: str | None = None

    def finish(self) -> Match:
        if self.home is None or self.away is None:
            raise ScriptError(f"fixture {self.id} needs a home and an away team")
        return Match(
            self.id, self.league, self.home, self.away, self.kickoff, self.added, self.pause,
            self.extra_time, self.shoot_out, tuple(self.stops), self.ending, tuple(self.reaches),
            tuple(self.incidents), tuple(self.effects), tuple(self.faults),
            Truth(tuple(self.true_goals), tuple(self.true_removed), self.true_score, self.true_status),
        )  # fmt: skip


@dataclass
class ClipDraft:
    """A clip as written: its goal may be told later in the script."""

    name: str
    line: int
    goal: str | None
    parent: str | None
    kind: str
    options: dict[str, Any]


@dataclass
class Draft:
    about: str = ""
    speed: float = 1.0
    step: float = 1.0
    limits: Limits = field(default_factory=Limits)
    matches: list[MatchDraft] = field(default_factory=list)
    clips: list[ClipDraft] = field(default_factory=list)
    made: list[Clip] = field(default_factory=list)
    posts: list[Post] = field(default_factory=list)
    listing_faults: list[ListingFault] = field(default_factory=list)
    search_faults: list[SearchFault] = field(default_factory=list)
    line: int = 0

    @property
    def match(self) -> MatchDraft:
        """The fixture that the current line belongs to: the last one that was begun."""
        if not self.matches:
            raise ScriptError("this belongs to a match: begin one with `fixture <id>` first")
        return self.matches[-1]

    def home_of(self, incident: str) -> MatchDraft:
        for match in self.matches:
            if any(known.name == incident for known in match.incidents):
                return match
        raise ScriptError(f"nothing so far is called {incident}")

    def check_incident(self, incident: str) -> str:
        if not any(known.name == incident for known in self.match.incidents):
            raise ScriptError(f"nothing in fixture {self.match.id} is called {incident} so far")
        return incident
