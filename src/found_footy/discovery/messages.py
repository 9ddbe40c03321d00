"""What stage two's workflows and activities say to each other."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from found_footy.model.handoff import DownloadClips, FoundVideo, Goal, Pace, ResolveAliases


class AliasSource(StrEnum):
    CACHE = "cache"
    WIKIDATA = "wikidata"
    TABLE = "table"
    RULES = "rules"


class SearchState(StrEnum):
    """How a goal's search stands. What is not `searching`, `finished` or `exhausted` is why it pauses."""

    SEARCHING = "searching"
    FINISHED = "finished"
    EXHAUSTED = "exhausted"
    SESSION_EXPIRED = "session_expired"
    RATE_LIMITED = "rate_limited"
    BLOCKED = "blocked"
    ACCOUNT_LOCKED = "account_locked"
    PROTOCOL_DRIFT = "protocol_drift"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class TeamRef:
    """`ahead` asks for aliases that last until they are asked for ahead of time again."""

    team_id: int
    ahead: bool = False


@dataclass(frozen=True)
class TeamAliases:
    """What a team is called. Empty means that the cache does not know, never that the team has no name."""

    aliases: tuple[str, ...] = ()
    source: AliasSource = AliasSource.CACHE


@dataclass(frozen=True)
class SaveAliases:
    team: ResolveAliases
    found: TeamAliases


@dataclass(frozen=True)
class Progress:
    """How far a goal's search is. `attempts` is the highest attempt that this goal has recorded."""

    exists: bool
    complete: bool = False
    registered: tuple[str, ...] = ()
    attempts: int = 0


@dataclass(frozen=True)
class BuildSearch:
    goal: Goal
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class SearchData:
    """`names` and `teams` are the two sides of the query. `elapsed` and `extra` are when the goal fell as the feed has
    it by now; no `elapsed`, and nothing is told.
    """

    query: str
    known_urls: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    elapsed: int | None = None
    extra: int | None = None


@dataclass(frozen=True)
class RunSearch:
    """Posts are wanted from `since` on, or in a source that has answered before from its own moment in `read_until` on,
    and those of the last `window` in any case, counted when the source is asked. `attempts` and `first_seen` decide
    whose turn it is when goals compete; `event_id` is for the log.
    """

    query: str
    since: datetime
    window: timedelta
    known_urls: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    read_until: dict[str, datetime] = field(default_factory=dict)
    attempts: int = 0
    first_seen: datetime | None = None
    event_id: str = ""


@dataclass(frozen=True)
class SearchAnswer:
    """`state` is that of the main source; if it is not searching, `detail` says why, and `videos` are what the others
    found meanwhile. `asked_at` is when the sources were asked, `answered` names those that did, `failed` says of the
    rest what was wrong; of those in `cut_short` there may be more to find.
    """

    state: SearchState
    videos: tuple[FoundVideo, ...] = ()
    detail: str = ""
    retry_after_seconds: float | None = None
    refused_ids: int = 0
    answered: tuple[str, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)
    cut_short: tuple[str, ...] = ()
    asked_at: datetime | None = None


@dataclass(frozen=True)
class SaveDiscovered:
    """All that a search found. The `most` best are taken; the goal's links are looked through again at `retry_at`."""

    goal: Goal
    attempt: int
    download_id: str
    query: str
    aliases: tuple[str, ...]
    searched_at: datetime
    retry_at: datetime
    videos: tuple[FoundVideo, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    most: int = 5


@dataclass(frozen=True)
class Taken:
    """The videos that the download gets; nothing if the goal is gone."""

    exists: bool
    videos: tuple[FoundVideo, ...] = ()


@dataclass(frozen=True)
class RetryOrder:
    pace: Pace


@dataclass(frozen=True)
class RetryDownload:
    """A download that tries open links again; what it does not settle is looked through at `next_at`."""

    download_id: str
    work: DownloadClips
    next_at: datetime


@dataclass(frozen=True)
class NextLook:
    """A goal, and when its open links are looked through again."""

    event_id: str
    at: datetime


@dataclass(frozen=True)
class NextLooks:
    goals: tuple[NextLook, ...]


@dataclass(frozen=True)
class TakenUp:
    """Downloads that were recorded and wait for their start, and goals that had nothing open any more."""

    downloads: tuple[RetryDownload, ...] = ()
    settled: int = 0
    failed: int = 0


@dataclass(frozen=True)
class RetriesStarted:
    """The result of RetryWorkflow."""

    downloads: int
    settled: int
    failed: int


@dataclass(frozen=True)
class RecordSearchState:
    goal: Goal
    state: SearchState
    detail: str = ""


@dataclass(frozen=True)
class SearchEnded:
    """The result of TwitterWorkflow."""

    state: SearchState
    attempts: int
    event_removed: bool = False
