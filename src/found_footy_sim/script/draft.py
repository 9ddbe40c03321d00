"""A scenario while it is being parsed: lists that statements append to, and the finished, checked value at the end."""

from dataclasses import dataclass, field
from typing import Any

from found_footy_sim.script.model import (
    EarlyEnding,
    FeedEffect,
    FeedFault,
    GoalTruth,
    ListingFault,
    MatchIncident,
    MatchTruth,
    PlayStoppage,
    PollPosition,
    RequestLimits,
    SearchFault,
    SimulatedClip,
    SimulatedLeague,
    SimulatedMatch,
    SimulatedPost,
    SimulatedTeam,
)
from found_footy_sim.script.values import ScriptError


@dataclass
class MatchDraft:
    id: int
    league: SimulatedLeague
    home: SimulatedTeam | None = None
    away: SimulatedTeam | None = None
    kickoff: float = 0.0
    added: tuple[int, int, int, int] = (2, 4, 1, 1)
    pause: float = 5.0
    extra_time: bool = False
    shoot_out: bool = False
    stops: list[PlayStoppage] = field(default_factory=list)
    ending: EarlyEnding | None = None
    reaches: list[PollPosition] = field(default_factory=list)
    incidents: list[MatchIncident] = field(default_factory=list)
    effects: list[FeedEffect] = field(default_factory=list)
    faults: list[FeedFault] = field(default_factory=list)
    true_goals: list[GoalTruth] = field(default_factory=list)
    true_removed: list[GoalTruth] = field(default_factory=list)
    true_score: tuple[int | None, int | None] | None = None
    true_status: str | None = None

    def finish(self) -> SimulatedMatch:
        if self.home is None or self.away is None:
            raise ScriptError(f"fixture {self.id} needs a home and an away team")
        return SimulatedMatch(
            self.id,
            self.league,
            self.home,
            self.away,
            self.kickoff,
            self.added,
            self.pause,
            self.extra_time,
            self.shoot_out,
            tuple(self.stops),
            self.ending,
            tuple(self.reaches),
            tuple(self.incidents),
            tuple(self.effects),
            tuple(self.faults),
            MatchTruth(tuple(self.true_goals), tuple(self.true_removed), self.true_score, self.true_status),
        )


@dataclass
class ClipDraft:
    """A clip as written: its goal may be stated later in the script."""

    name: str
    line: int
    goal: str | None
    parent: str | None
    kind: str
    options: dict[str, Any]


@dataclass
class ScenarioDraft:
    about: str = ""
    speed: float = 1.0
    step: float = 1.0
    limits: RequestLimits = field(default_factory=RequestLimits)
    matches: list[MatchDraft] = field(default_factory=list)
    clips: list[ClipDraft] = field(default_factory=list)
    finished_clips: list[SimulatedClip] = field(default_factory=list)
    posts: list[SimulatedPost] = field(default_factory=list)
    listing_faults: list[ListingFault] = field(default_factory=list)
    search_faults: list[SearchFault] = field(default_factory=list)
    line: int = 0

    @property
    def current_match(self) -> MatchDraft:
        """The fixture that the current line belongs to: the last one that was started."""
        if not self.matches:
            raise ScriptError("this belongs to a match: begin one with `fixture <id>` first")
        return self.matches[-1]

    def find_match(self, incident: str) -> MatchDraft:
        for match in self.matches:
            if any(known.name == incident for known in match.incidents):
                return match
        raise ScriptError(f"nothing so far is called {incident}")

    def check_incident(self, incident: str) -> str:
        if not any(known.name == incident for known in self.current_match.incidents):
            raise ScriptError(f"nothing in fixture {self.current_match.id} is called {incident} so far")
        return incident
