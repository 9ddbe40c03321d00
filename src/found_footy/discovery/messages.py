"""What stage two's workflows and activities say to each other."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from found_footy.domain.messages import ClipCandidate, DownloadClips, Goal, PipelinePace, ResolveAliases


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
    """`prefetch` asks for aliases that last until they are asked for ahead of time again."""

    team_id: int
    prefetch: bool = False


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
class GoalSearchProgress:
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
    """Posts are wanted from `since` on, or in a source that has answered before from its own moment in `searched_until`
    on, and those of the last `window` in any case, counted when the source is asked. `attempts` and `first_seen` decide
    whose turn it is when goals compete; `event_id` is for the log.
    """

    query: str
    since: datetime
    window: timedelta
    known_urls: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    searched_until: dict[str, datetime] = field(default_factory=dict)
    attempts: int = 0
    first_seen: datetime | None = None
    event_id: str = ""


@dataclass(frozen=True)
class SearchAnswer:
    """`state` is that of the main source; if it is not searching, `detail` says why, and `videos` are what the others
    found meanwhile. `asked_at` is when the sources were asked, `answered` names those that did, `failed` says of the
    rest what was wrong; of those in `incomplete_sources` there may be more to find.
    """

    state: SearchState
    videos: tuple[ClipCandidate, ...] = ()
    detail: str = ""
    retry_after_seconds: float | None = None
    rejected_ids: int = 0
    answered: tuple[str, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)
    incomplete_sources: tuple[str, ...] = ()
    asked_at: datetime | None = None


@dataclass(frozen=True)
class SaveCandidates:
    """All that a search found. The `limit` best are taken; the goal's links are looked through again at `retry_at`."""

    goal: Goal
    attempt: int
    download_id: str
    query: str
    aliases: tuple[str, ...]
    searched_at: datetime
    retry_at: datetime
    videos: tuple[ClipCandidate, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    limit: int = 5


@dataclass(frozen=True)
class TakenCandidates:
    """The videos that the download gets; nothing if the goal is gone."""

    exists: bool
    videos: tuple[ClipCandidate, ...] = ()


@dataclass(frozen=True)
class RetryRequest:
    pace: PipelinePace


@dataclass(frozen=True)
class RetryDownload:
    """A download that tries open links again; what it does not settle is looked through at `next_at`."""

    download_id: str
    work: DownloadClips
    next_at: datetime


@dataclass(frozen=True)
class RetryTime:
    """A goal, and when its open links are looked through again."""

    event_id: str
    retry_at: datetime


@dataclass(frozen=True)
class PostponeRetries:
    goals: tuple[RetryTime, ...]


@dataclass(frozen=True)
class PlannedRetries:
    """Downloads that were recorded and wait for their start, and goals that had nothing open any more."""

    downloads: tuple[RetryDownload, ...] = ()
    settled: int = 0
    failed: int = 0


@dataclass(frozen=True)
class RetrySummary:
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
class SearchSummary:
    """The result of TwitterWorkflow."""

    state: SearchState
    attempts: int
    event_removed: bool = False
