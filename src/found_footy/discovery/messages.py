"""Messages of stage two's workflows and activities."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from found_footy.domain.completion import SEARCH_EXHAUSTED
from found_footy.domain.messages import ClipCandidate, DownloadClips, Goal, OtherGoal, PipelinePace, ResolveAliases
from found_footy.domain.scores import Score


class AliasSource(StrEnum):
    CACHE = "cache"
    WIKIDATA = "wikidata"
    TABLE = "table"
    RULES = "rules"


class SearchState(StrEnum):
    """State of a goal's search. All but `searching`, `finished` and `exhausted` are reasons for a pause."""

    SEARCHING = "searching"
    FINISHED = "finished"
    EXHAUSTED = SEARCH_EXHAUSTED
    SESSION_EXPIRED = "session_expired"
    RATE_LIMITED = "rate_limited"
    BLOCKED = "blocked"
    ACCOUNT_LOCKED = "account_locked"
    PROTOCOL_DRIFT = "protocol_drift"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class TeamRef:
    """With `prefetch`, only aliases that stay valid until the next prefetch are returned."""

    team_id: int
    prefetch: bool = False


@dataclass(frozen=True)
class TeamAliases:
    """The aliases of a team. Empty means that the cache has none."""

    aliases: tuple[str, ...] = ()
    source: AliasSource = AliasSource.CACHE


@dataclass(frozen=True)
class SaveAliases:
    team: ResolveAliases
    found: TeamAliases


@dataclass(frozen=True)
class GoalSearchProgress:
    """Progress of a goal's search. `attempts` is the highest recorded attempt of this goal."""

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
    """`names` and `teams` are the two sides of the query. `elapsed` and `extra` are the goal's current minute in the
    feed; without `elapsed` it is unknown. `score_before`, `score_after` and `other_goals` are what the feed says now.
    `form` names the form of the query, and `progress` says how far the search is.
    """

    query: str
    progress: GoalSearchProgress
    known_urls: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    elapsed: int | None = None
    extra: int | None = None
    score_before: Score | None = None
    score_after: Score | None = None
    other_goals: tuple[OtherGoal, ...] = ()
    form: str = ""


@dataclass(frozen=True)
class RunSearch:
    """Posts from `since` on are searched, in a source that has answered before from its time in `searched_until` on,
    and those of the last `window` in any case, counted when the source is asked. `attempts` and `first_seen` set the
    priority among goals; `event_id` is for the log; `opponents` are names of the other team.
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
    opponents: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchAnswer:
    """`state` is that of the main source; if it is not searching, `detail` gives the reason, and `videos` are what the
    others found. `asked_at` is the time of the search, `answered` the sources that answered, `failed` the errors of
    the rest; sources in `incomplete_sources` may have more.
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
    """All candidates of a search. The `limit` best are taken; open candidates are checked again at `retry_at`. With
    `needs_download` false, an attempt that takes none is registered and delivered as it is saved.
    """

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
    form: str = ""
    needs_download: bool = True


@dataclass(frozen=True)
class TakenCandidates:
    """The candidates for the download; none if the goal was removed."""

    exists: bool
    videos: tuple[ClipCandidate, ...] = ()


@dataclass(frozen=True)
class RetryRequest:
    pace: PipelinePace


@dataclass(frozen=True)
class RetryDownload:
    """A download that retries open candidates; those it does not settle are checked again at `next_at`."""

    download_id: str
    work: DownloadClips
    next_at: datetime


@dataclass(frozen=True)
class StartDownload:
    download_id: str
    work: DownloadClips


@dataclass(frozen=True)
class RetryTime:
    """A goal, and when its open candidates are checked again."""

    event_id: str
    retry_at: datetime


@dataclass(frozen=True)
class PostponeRetries:
    goals: tuple[RetryTime, ...]


@dataclass(frozen=True)
class PlannedRetries:
    """Downloads that are recorded and not started yet, and the number of goals with nothing to retry."""

    downloads: tuple[RetryDownload, ...] = ()
    settled: int = 0
    failed: int = 0


@dataclass(frozen=True)
class RetrySummary:
    """RetryWorkflow's result."""

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
    """TwitterWorkflow's result."""

    state: SearchState
    attempts: int
    event_removed: bool = False
