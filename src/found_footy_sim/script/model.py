"""The model of a scenario script, as plain values. Nothing here knows a clock, a socket or a file."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from found_footy_sim.media.clip_spec import ClipChange, ClipScene


class MatchSide(StrEnum):
    HOME = "home"
    AWAY = "away"


class IncidentKind(StrEnum):
    """What happens on the pitch. The side is the one that gains, as in the feed: an own goal counts for it."""

    GOAL = "goal"
    PENALTY = "penalty"
    OWN_GOAL = "own-goal"
    MISSED_PENALTY = "missed-penalty"
    YELLOW = "yellow"
    RED = "red"
    SUBST = "subst"
    VAR = "var"


SCORING_KINDS = frozenset({IncidentKind.GOAL, IncidentKind.PENALTY, IncidentKind.OWN_GOAL})


class PositionAnchor(StrEnum):
    MINUTE = "minute"
    KICK = "P"
    START = "start"
    KICKOFF = "KO"
    HALF_TIME = "HT"
    END = "FT"


@dataclass(frozen=True)
class MatchPosition:
    """A position in a match: `67`, `45+2`, `KO-10`, `HT`, `FT+3`, or `P4` for the fourth kick of the shoot-out."""

    anchor: PositionAnchor
    minute: int = 0
    extra: int | None = None
    offset: float = 0.0


@dataclass(frozen=True)
class WindowEdge:
    """The start or end of a window: the n-th poll of the fixture, or a match position."""

    poll: int | None = None
    position: MatchPosition | None = None


@dataclass(frozen=True)
class FeedWindow:
    """Polls are inclusive at both ends; a match position as the end is exclusive. No end: permanent."""

    start: WindowEdge
    end: WindowEdge | None = None


@dataclass(frozen=True)
class FeedPerson:
    name: str | None = None
    id: int | None = None


UNKNOWN_PERSON = FeedPerson()


@dataclass(frozen=True)
class MatchIncident:
    """One true incident of a match. `name` is how the rest of the script refers to it."""

    name: str
    at: MatchPosition
    kind: IncidentKind
    side: MatchSide
    player: FeedPerson = UNKNOWN_PERSON
    assist: FeedPerson = UNKNOWN_PERSON
    text: str = ""


class FeedEffectKind(StrEnum):
    """How the feed departs from the truth while a window is open."""

    MISSING = "missing"
    UNCOUNTED = "uncounted"
    DISALLOW = "disallow"
    CREDIT = "credit"
    COPY = "copy"
    MOVE = "move"
    ASSIST = "assist"
    DUPLICATE = "duplicate"
    EVENTS = "events"
    SCORE = "score"
    STATUS = "status"
    FROZEN = "frozen"
    DATE = "date"
    UNREPORTED = "unreported"
    OMITTED = "omitted"


class EventListing(StrEnum):
    REVERSED = "reversed"
    SHUFFLED = "shuffled"
    EMPTY = "empty"
    ABSENT = "absent"


@dataclass(frozen=True)
class FeedEffect:
    window: FeedWindow
    effect_kind: FeedEffectKind
    goal: str = ""
    person: FeedPerson = UNKNOWN_PERSON
    kind: IncidentKind | None = None
    position: MatchPosition | None = None
    keep_row: bool = False
    listing: EventListing | None = None
    code: str = ""
    text: str = ""
    score: tuple[int | None, int | None] = (None, None)
    minutes: float = 0.0


class AnswerFaultKind(StrEnum):
    """How a whole response of the football API fails."""

    HTTP = "http"
    HTML = "html"
    ERRORS = "errors"
    ERRORS_LIST = "errors-list"
    ERRORS_STRING = "errors-string"
    HOLD = "hold"
    HALF_JSON = "half-json"
    WRONG_TYPES = "wrong-types"
    EMPTY_BODY = "empty-body"
    DISCONNECT = "disconnect"


@dataclass(frozen=True)
class AnswerFault:
    fault_kind: AnswerFaultKind
    status: int = 200
    html: bool = False
    key: str = ""
    text: str = ""
    seconds: float = 0.0
    retry_after: int | None = None


@dataclass(frozen=True)
class FeedFault:
    window: FeedWindow
    fault: AnswerFault


@dataclass(frozen=True)
class ListingFault:
    """A fault of the n-th response that lists a day or a season, which counts as a poll of no fixture."""

    first: int
    last: int
    fault: AnswerFault


@dataclass(frozen=True)
class PlayStoppage:
    """Play stops at a position and continues `minutes` later; meanwhile the status is `status`."""

    at: MatchPosition
    minutes: float
    status: str


@dataclass(frozen=True)
class EarlyEnding:
    """The match ends early (or never begins) with this status."""

    at: MatchPosition
    status: str


@dataclass(frozen=True)
class PollPosition:
    """In polled time, the poll at which the match is at this position; later polls continue from there."""

    poll: int
    position: MatchPosition


@dataclass(frozen=True)
class SimulatedTeam:
    name: str
    id: int
    short: str
    kit: tuple[str, str]


@dataclass(frozen=True)
class SimulatedLeague:
    name: str = "Premier League"
    id: int = 39
    country: str = "England"
    season: int = 2026
    round: str = "Regular Season - 12"


@dataclass(frozen=True)
class GoalTruth:
    side: MatchSide
    player: int | None
    minute: int
    extra: int | None = None


@dataclass(frozen=True)
class MatchTruth:
    """The final state, for tests that compare the product's result with it."""

    goals: tuple[GoalTruth, ...] = ()
    removed: tuple[GoalTruth, ...] = ()
    score: tuple[int | None, int | None] | None = None
    status: str | None = None


@dataclass(frozen=True)
class SimulatedMatch:
    id: int
    league: SimulatedLeague
    home: SimulatedTeam
    away: SimulatedTeam
    kickoff: float = 0.0
    added: tuple[int, int, int, int] = (2, 4, 1, 1)
    pause: float = 5.0
    extra_time: bool = False
    shoot_out: bool = False
    stops: tuple[PlayStoppage, ...] = ()
    ending: EarlyEnding | None = None
    reaches: tuple[PollPosition, ...] = ()
    incidents: tuple[MatchIncident, ...] = ()
    effects: tuple[FeedEffect, ...] = ()
    faults: tuple[FeedFault, ...] = ()
    truth: MatchTruth = field(default_factory=MatchTruth)

    def get_team(self, side: MatchSide) -> SimulatedTeam:
        return self.home if side is MatchSide.HOME else self.away

    def get_incident(self, name: str) -> MatchIncident:
        return next(incident for incident in self.incidents if incident.name == name)


class VideoHostAnswer(StrEnum):
    """How the video host responds for a clip."""

    OK = "ok"
    DELETED = "404"
    GONE = "410"
    GEO_BLOCKED = "403"
    RATE_LIMITED = "429"
    OVERSIZE = "oversize"
    ENDLESS = "endless"
    SLOW = "slow"
    DRIP = "drip"
    HTML = "html"
    TRUNCATED = "truncated"
    CUT = "cut"
    EMPTY = "empty"
    GARBAGE = "garbage"


@dataclass(frozen=True)
class SimulatedClip:
    """A video file. It has a scene of its own, or is derived from the file of another clip by `change`."""

    name: str
    scene: ClipScene | None = None
    goal: str | None = None
    parent: str | None = None
    change: ClipChange | None = None
    host: VideoHostAnswer = VideoHostAnswer.OK
    seconds: float = 0.0


class PostPlatform(StrEnum):
    X = "x"
    BLUESKY = "bluesky"


@dataclass(frozen=True)
class SimulatedPost:
    """A post. It is published `seconds` of match time after the incident, or at a match position.

    `host` is how the video host responds for this post, whatever it does for the clip; after `gone_after` seconds of
    match time its author deletes it: the search may still list it, but its video is gone.
    """

    author: str
    text: str
    clip: str
    fixture: int
    after: str | None = None
    seconds: float = 0.0
    at: MatchPosition | None = None
    copies: int = 1
    id: str | None = None
    source: PostPlatform = PostPlatform.X
    host: VideoHostAnswer | None = None
    gone_after: float | None = None
    reply: bool = False


class SearchFaultKind(StrEnum):
    SESSION_EXPIRED = "session_expired"
    RATE_LIMITED = "rate_limited"
    BLOCKED = "blocked"
    ACCOUNT_LOCKED = "account_locked"
    PROTOCOL_DRIFT = "protocol_drift"
    TRANSIENT = "transient"
    SLOW = "slow"
    HTML = "html"


@dataclass(frozen=True)
class SearchFault:
    first: int
    last: int
    fault_kind: SearchFaultKind
    seconds: float = 0.0


@dataclass(frozen=True)
class RequestLimits:
    per_minute: int = 300
    per_day: int = 7500


@dataclass(frozen=True)
class Scenario:
    name: str
    about: str
    speed: float
    step: float
    limits: RequestLimits
    matches: tuple[SimulatedMatch, ...]
    clips: tuple[SimulatedClip, ...]
    posts: tuple[SimulatedPost, ...]
    listing_faults: tuple[ListingFault, ...]
    search_faults: tuple[SearchFault, ...]

    def find_match(self, fixture: int) -> SimulatedMatch | None:
        return self._matches_by_id.get(fixture)

    def get_clip(self, name: str) -> SimulatedClip:
        return self._clips_by_name[name]

    @cached_property
    def _matches_by_id(self) -> dict[int, SimulatedMatch]:
        return {match.id: match for match in self.matches}

    @cached_property
    def _clips_by_name(self) -> dict[str, SimulatedClip]:
        return {clip.name: clip for clip in self.clips}
