"""Stage two's activities: aliases and searches."""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from temporalio import activity

from found_footy.discovery.alias_rules import without_opponent
from found_footy.discovery.aliases import combined
from found_footy.discovery.fair_line import Turn
from found_footy.discovery.links import LONGEST_URL, MOST_LINKS, carried, select
from found_footy.discovery.messages import (
    AliasSource,
    BuildSearch,
    Progress,
    RecordSearchState,
    RunSearch,
    SaveAliases,
    SaveDiscovered,
    SearchAnswer,
    SearchData,
    SearchState,
    Taken,
    TeamAliases,
    TeamRef,
)
from found_footy.discovery.metrics import (
    ALIAS_FAILURES,
    ALIASES,
    LINKS,
    REFUSED_IDS,
    SEARCHES,
    SOURCE_SEARCHES,
    VIDEOS_FOUND,
)
from found_footy.discovery.names import extract_player_search_names
from found_footy.discovery.query import build_query
from found_footy.discovery.retries import links_of, minute_of, taken_by
from found_footy.discovery.search_errors import AccountLocked, Blocked, ProtocolDrift, SessionExpired
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources import Harvest, Source, Wanted, gathered
from found_footy.discovery.store import DiscoveryStore
from found_footy.model.handoff import Goal, ResolveAliases
from found_footy.model.screening import SHIPPED, Rules
from found_footy.platform.errors import OutsideError, RateLimited
from found_footy.platform.heartbeats import beating
from found_footy.platform.logs import ActionLogger

# Failures that trying again at once cannot mend: the workflow waits and says why.
_PAUSES: dict[type[OutsideError], SearchState] = {
    SessionExpired: SearchState.SESSION_EXPIRED,
    Blocked: SearchState.BLOCKED,
    AccountLocked: SearchState.ACCOUNT_LOCKED,
    ProtocolDrift: SearchState.PROTOCOL_DRIFT,
    RateLimited: SearchState.RATE_LIMITED,
}
_MINUTE = timedelta(minutes=1)

log = ActionLogger(__name__)


class Aliases(Protocol):
    """A place that knows what teams are called; an empty tuple means that it does not know this one."""

    source: AliasSource

    async def aliases(self, team: ResolveAliases) -> tuple[str, ...]: ...


def _utc_now() -> datetime:
    return datetime.now(UTC)


class DiscoveryActivities:
    """`pool` is the main source: while it cannot answer, searches pause. `others` are asked along with it."""

    def __init__(
        self,
        store: DiscoveryStore,
        pool: Source,
        settings: DiscoverySettings,
        alias_sources: Sequence[Aliases] = (),
        now: Callable[[], datetime] = _utc_now,
        others: Sequence[Source] = (),
        rules: Rules = SHIPPED,
    ) -> None:
        self._store = store
        self._pool = pool
        self._settings = settings
        self._alias_sources = alias_sources
        self._now = now
        self._others = others
        self._rules = rules

    @activity.defn(name="get_cached_team_aliases")
    async def get_cached_team_aliases(self, team: TeamRef) -> TeamAliases:
        needed_for = self._settings.aliases_renewed if team.ahead else timedelta()
        return await self._store.cached_aliases(team.team_id, self._now() + needed_for)

    @activity.defn(name="get_team_aliases")
    async def get_team_aliases(self, team: ResolveAliases) -> TeamAliases:
        """What all sources say; the best of those that know the team is recorded. One that cannot be asked is passed
        over when no try is left.
        """
        said = {known.source: await self._asked(known, team) for known in self._alias_sources}
        source = next((source for source, aliases in said.items() if aliases), AliasSource.RULES)
        ALIASES.labels(source.value).inc()
        return TeamAliases(combined(team.team_name, said), source)

    @activity.defn(name="save_team_aliases")
    async def save_team_aliases(self, saved: SaveAliases) -> bool:
        """An empty list is not worth remembering: it would keep better sources from being asked."""
        if not saved.found.aliases:
            return False
        now = self._now()
        await self._store.save_aliases(saved, now, now + self._kept(saved.found.source))
        return True

    @activity.defn(name="set_monitor_complete")
    async def set_monitor_complete(self, goal: Goal) -> bool:
        return await self._store.set_monitor_complete(goal)

    @activity.defn(name="get_download_workflow_count")
    async def get_download_workflow_count(self, goal: Goal) -> Progress:
        return await self._store.progress(goal)

    @activity.defn(name="check_event_exists")
    async def check_event_exists(self, goal: Goal) -> bool:
        return await self._store.exists(goal)

    @activity.defn(name="get_twitter_search_data")
    async def get_twitter_search_data(self, build: BuildSearch) -> SearchData:
        goal = build.goal
        teams = without_opponent(build.aliases, goal.team_name, _opponent(goal))
        query = build_query(goal.player_name, teams, goal.team_name)
        names = extract_player_search_names(goal.player_name)
        event = await self._store.event(goal) or {}
        known = tuple(link["url"] for link in event.get("_discovered_videos") or () if len(link["url"]) <= LONGEST_URL)
        return SearchData(query, known[-MOST_LINKS:], names, teams or (goal.team_name,), *minute_of(event))

    @activity.defn(name="execute_twitter_search")
    async def execute_twitter_search(self, run: RunSearch) -> SearchAnswer:
        async with beating():
            answer = await self._search(run)
        SEARCHES.labels(answer.state.value).inc()
        VIDEOS_FOUND.inc(len(answer.videos))
        REFUSED_IDS.inc(answer.refused_ids)
        return answer

    @activity.defn(name="save_discovered_videos")
    async def save_discovered_videos(self, found: SaveDiscovered) -> Taken:
        """Asked again after it was recorded, it names the same videos."""
        event = await self._store.event(found.goal)
        if event is None:
            return Taken(exists=False)
        if (recorded := taken_by(event, found.download_id)) is not None:
            return Taken(exists=True, videos=recorded)
        selection = select(found.videos, links_of(event, self._now()), found.most, self._rules)
        exists = await self._store.save_discovered(found, selection)
        LINKS.labels("taken").inc(len(selection.taken))
        LINKS.labels("again").inc(len(selection.again))
        LINKS.labels("left").inc(len(selection.left))
        LINKS.labels("refused").inc(len(selection.refused))
        return Taken(exists, selection.videos if exists else ())

    @activity.defn(name="record_search_state")
    async def record_search_state(self, record: RecordSearchState) -> bool:
        return await self._store.record_state(record.goal, record.state, record.detail, self._now())

    async def _asked(self, known: Aliases, team: ResolveAliases) -> tuple[str, ...]:
        try:
            return await known.aliases(team)
        except OutsideError as error:
            ALIAS_FAILURES.labels(known.source.value).inc()
            if error.retryable and _tries_left():
                raise
            source, name = known.source.value, team.team_name
            log.warning(
                "%s was not asked about %s: %s", source, name, error, action="alias_source_failed", source=source,
                team_id=team.team_id,
            )  # fmt: skip
            return ()

    async def _search(self, run: RunSearch) -> SearchAnswer:
        """The main source decides how the search stands; what the others say is kept either way."""
        asked_at = self._now()
        harvest = await gathered([(source, self._wanted(source, run)) for source in (self._pool, *self._others)])
        _count(harvest)
        error = harvest.failed.get(self._pool.name)
        passing = error is not None and error.retryable and type(error) not in _PAUSES
        # Another try may mend it, but not at the price of what others have found.
        if error is not None and passing and _tries_left() and not harvest.videos:
            raise error
        return SearchAnswer(
            SearchState.SEARCHING if error is None else _PAUSES.get(type(error), SearchState.UNAVAILABLE),
            tuple(carried(video) for video in harvest.videos if len(video.url) <= LONGEST_URL),
            detail=error.message if error else "",
            retry_after_seconds=error.retry_after if isinstance(error, RateLimited) else None,
            refused_ids=harvest.refused_ids,
            answered=tuple(harvest.found),
            failed={name: f"{type(failure).__name__}: {failure.message}" for name, failure in harvest.failed.items()},
            cut_short=harvest.cut_short,
            asked_at=asked_at,
        )

    def _wanted(self, source: Source, run: RunSearch) -> Wanted:
        return Wanted(
            run.query, run.names, run.teams, math.ceil(run.window / _MINUTE), self._settings.search_limit,
            run.known_urls, Turn.of(run.attempts, run.first_seen), run.read_until.get(source.name, run.since),
        )  # fmt: skip

    def _kept(self, source: AliasSource) -> timedelta:
        fallback = source in (AliasSource.RULES, AliasSource.TABLE)
        return self._settings.fallback_aliases_kept if fallback else self._settings.aliases_kept


def _count(harvest: Harvest) -> None:
    for name in harvest.found:
        SOURCE_SEARCHES.labels(name, "answered").inc()
    for name, error in harvest.failed.items():
        SOURCE_SEARCHES.labels(name, type(error).__name__).inc()
        log.warning("%s did not answer: %s", name, error, action="source_failed", source=name)


def _opponent(goal: Goal) -> str:
    sides = [side for side in (goal.home_name, goal.away_name) if side and side != goal.team_name]
    return sides[0] if len(sides) == 1 else ""


def _tries_left() -> bool:
    """Whether a failure of this activity would be tried again."""
    if not activity.in_activity():
        return False
    info = activity.info()
    return info.retry_policy is not None and info.attempt < info.retry_policy.maximum_attempts
