"""What a scenario script says, as plain values. Nothing here knows a clock, a socket or a file."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from found_footy.sim.media.spec import Change, Scene


class Side(StrEnum):
    HOME = "home"
    AWAY = "away"


class Kind(StrEnum):
    """What happens on the pitch. The side is the one that gains, as in the feed: an own goal counts for it."""

    GOAL = "goal"
    PENALTY = "penalty"
    OWN_GOAL = "own-goal"
    MISSED_PENALTY = "missed-penalty"
    YELLOW = "yellow"
    RED = "red"
    SUBST = "subst"
    VAR = "var"


SCORING = frozenset({Kind.GOAL, Kind.PENALTY, Kind.OWN_GOAL})


class Anchor(StrEnum):
    MINUTE = "minute"
    KICK = "P"
    START = "start"
    KICKOFF = "KO"
    HALF_TIME = "HT"
    END = "FT"


@dataclass(frozen=True)
class Position:
    """A place in a match: `67`, `45+2`, `KO-10`, `HT`, `FT+3`, or `P4` for the fourth kick of the shoot-out."""

    anchor: Anchor
    minute: int = 0
    extra: int | None = None
    offset: float = 0.0


@dataclass(frozen=True)
class Edge:
    """Where a window begins or ends: at the n-th poll of the fixture, or at a place in the match."""

    poll: int | None = None
    position: Position | None = None


@dataclass(frozen=True)
class Window:
    """Polls are inclusive at both ends; a place in the match is where the window ends, exclusive. No end: for good."""

    start: Edge
    end: Edge | None = None


@dataclass(frozen=True)
class Person:
    name: str | None = None
    id: int | None = None


UNKNOWN = Person()


@dataclass(frozen=True)
class Incident:
    """One true happening of a match. `name` is how the rest of the script refers to it."""

    name: str
    at: Position
    kind: Kind
    side: Side
    player: Person = UNKNOWN
    assist: Person = UNKNOWN
    text: str = ""


class Does(StrEnum):
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


class Listing(StrEnum):
    REVERSED = "reversed"
    SHUFFLED = "shuffled"
    EMPTY = "empty"
    ABSENT = "absent"


@dataclass(frozen=True)
class Effect:
    window: Window
    does: Does
    goal: str = ""
    person: Person = UNKNOWN
    kind: Kind | None = None
    position: Position | None = None
    keep_row: bool = False
    listing: Listing | None = None
    code: str = ""
    text: str = ""
    score: tuple[int | None, int | None] = (None, None)
    minutes: float = 0.0


class Breaks(StrEnum):
    """How a whole answer of the football API goes wrong."""

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
class Fault:
    breaks: Breaks
    status: int = 200
    html: bool = False
    key: str = ""
    text: str = ""
    seconds: float = 0.0
    retry_after: int | None = None


@dataclass(frozen=True)
class FeedFault:
    window: Window
    fault: Fault


@dataclass(frozen=True)
class ListingFault:
    """A fault of the n-th answer that lists a day or a season, which no fixture counts as a poll."""

    first: int
    last: int
    fault: Fault


@dataclass(frozen=True)
class Stop:
    """Play halts at a place and goes on `minutes` later; meanwhile the status says `status`."""

    at: Position
    minutes: float
    status: str


@dataclass(frozen=True)
class Ending:
    """The match ends early (or never begins) with this status."""

    at: Position
    status: str


@dataclass(frozen=True)
class Reach:
    """In polled time, the poll at which the match is at this place; later polls go on from there."""

    poll: int
    position: Position


@dataclass(frozen=True)
class Team:
    name: str
    id: int
    short: str
    kit: tuple[str, str]


@dataclass(frozen=True)
class League:
    name: str = "Premier League"
    id: int = 39
    country: str = "England"
    season: int = 2026
    round: str = "Regular Season - 12"


@dataclass(frozen=True)
class GoalTruth:
    side: Side
    player: int | None
    minute: int
    extra: int | None = None


@dataclass(frozen=True)
class Truth:
    """What stands when all is over, for tests that compare the product's outcome with it."""

    goals: tuple[GoalTruth, ...] = ()
    removed: tuple[GoalTruth, ...] = ()
    score: tuple[int | None, int | None] | None = None
    status: str | None = None


@dataclass(frozen=True)
class Match:
    id: int
    league: League
    home: Team
    away: Team
    kickoff: float = 0.0
    added: tuple[int, int, int, int] = (2, 4, 1, 1)
    pause: float = 5.0
    extra_time: bool = False
    shoot_out: bool = False
    stops: tuple[Stop, ...] = ()
    ending: Ending | None = None
    reaches: tuple[Reach, ...] = ()
    incidents: tuple[Incident, ...] = ()
    effects: tuple[Effect, ...] = ()
    faults: tuple[FeedFault, ...] = ()
    truth: Truth = field(default_factory=Truth)

    def team(self, side: Side) -> Team:
        return self.home if side is Side.HOME else self.away

    def incident(self, name: str) -> Incident:
        return next(incident for incident in self.incidents if incident.name == name)


class Host(StrEnum):
    """How the video host answers for a clip."""

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
class Clip:
    """A video file. It has a scene of its own, or is made from the file of another clip by `change`."""

    name: str
    scene: Scene | None = None
    goal: str | None = None
    parent: str | None = None
    change: Change | None = None
    host: Host = Host.OK
    seconds: float = 0.0


class Source(StrEnum):
    X = "x"
    BLUESKY = "bluesky"


@dataclass(frozen=True)
class Post:
    """A post. It appears `seconds` of match time after the incident, or at a place in the match.

    `host` is how the video host answers for this post whatever it does for the clip; `gone_after` seconds of match
    time its author deletes it: the search may still list it, but its video is gone.
    """

    author: str
    text: str
    clip: str
    fixture: int
    after: str | None = None
    seconds: float = 0.0
    at: Position | None = None
    copies: int = 1
    id: str | None = None
    source: Source = Source.X
    host: Host | None = None
    gone_after: float | None = None
    reply: bool = False


class SearchBreaks(StrEnum):
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
    breaks: SearchBreaks
    seconds: float = 0.0


@dataclass(frozen=True)
class Limits:
    per_minute: int = 300
    per_day: int = 7500


@dataclass(frozen=True)
class Scenario:
    name: str
    about: str
    speed: float
    step: float
    limits: Limits
    matches: tuple[Match, ...]
    clips: tuple[Clip, ...]
    posts: tuple[Post, ...]
    listing_faults: tuple[ListingFault, ...]
    search_faults: tuple[SearchFault, ...]

    def match(self, fixture: int) -> Match | None:
        return self._matches.get(fixture)

    def clip(self, name: str) -> Clip:
        return self._clips[name]

    @cached_property
    def _matches(self) -> dict[int, Match]:
        return {match.id: match for match in self.matches}

    @cached_property
    def _clips(self) -> dict[str, Clip]:
        return {clip.name: clip for clip in self.clips}
