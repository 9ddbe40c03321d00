"""Stage two's activities: aliases and searches."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from temporalio import activity

from found_footy.discovery.aliases import rule_aliases
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
    TeamAliases,
    TeamRef,
)
from found_footy.discovery.metrics import REFUSED_IDS, SEARCHES, VIDEOS_FOUND
from found_footy.discovery.query import build_query
from found_footy.discovery.search_pool import (
    AccountLocked,
    Blocked,
    ProtocolDrift,
    SearchPool,
    SessionExpired,
)
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.store import DiscoveryStore
from found_footy.model.handoff import Goal, ResolveAliases
from found_footy.platform.errors import OutsideError, RateLimited

# Failures that trying again at once cannot mend: the workflow waits and says why.
_PAUSES: dict[type[OutsideError], SearchState] = {
    SessionExpired: SearchState.SESSION_EXPIRED,
    Blocked: SearchState.BLOCKED,
    AccountLocked: SearchState.ACCOUNT_LOCKED,
    ProtocolDrift: SearchState.PROTOCOL_DRIFT,
    RateLimited: SearchState.RATE_LIMITED,
}


class Aliases(Protocol):
    """A place that knows what teams are called; an empty tuple means that it does not know this one."""

    source: AliasSource

    async def aliases(self, team: ResolveAliases) -> tuple[str, ...]: ...


def _utc_now() -> datetime:
    return datetime.now(UTC)


class DiscoveryActivities:
    def __init__(
        self,
        store: DiscoveryStore,
        pool: SearchPool,
        settings: DiscoverySettings,
        alias_sources: Sequence[Aliases] = (),
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._store = store
        self._pool = pool
        self._settings = settings
        self._sources = alias_sources
        self._now = now

    @activity.defn(name="get_cached_team_aliases")
    async def get_cached_team_aliases(self, team: TeamRef) -> TeamAliases:
        return await self._store.cached_aliases(team.team_id, self._now())

    @activity.defn(name="get_team_aliases")
    async def get_team_aliases(self, team: ResolveAliases) -> TeamAliases:
        for known in self._sources:
            if aliases := await known.aliases(team):
                return TeamAliases(aliases, known.source)
        return TeamAliases(rule_aliases(team.team_name), AliasSource.RULES)

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
        query = build_query(build.goal.player_name, build.aliases, build.goal.team_name)
        return SearchData(query, await self._store.known_urls(build.goal))

    @activity.defn(name="execute_twitter_search")
    async def execute_twitter_search(self, run: RunSearch) -> SearchAnswer:
        answer = await self._search(run)
        SEARCHES.labels(answer.state.value).inc()
        VIDEOS_FOUND.inc(len(answer.videos))
        REFUSED_IDS.inc(answer.refused_ids)
        return answer

    @activity.defn(name="save_discovered_videos")
    async def save_discovered_videos(self, found: SaveDiscovered) -> bool:
        return await self._store.save_discovered(found)

    @activity.defn(name="record_search_state")
    async def record_search_state(self, record: RecordSearchState) -> bool:
        return await self._store.record_state(record.goal, record.state, record.detail, self._now())

    async def _search(self, run: RunSearch) -> SearchAnswer:
        try:
            found = await self._pool.search(
                run.query,
                max_age_minutes=run.max_age_minutes,
                limit=self._settings.search_limit,
                exclude=run.known_urls,
            )
        except tuple(_PAUSES) as error:
            wait = error.retry_after if isinstance(error, RateLimited) else None
            return SearchAnswer(_PAUSES[type(error)], detail=error.message, retry_after_seconds=wait)
        return SearchAnswer(SearchState.SEARCHING, found.videos, refused_ids=found.refused_ids)

    def _kept(self, source: AliasSource) -> timedelta:
        fallback = source in (AliasSource.RULES, AliasSource.TABLE)
        return self._settings.fallback_aliases_kept if fallback else self._settings.aliases_kept
