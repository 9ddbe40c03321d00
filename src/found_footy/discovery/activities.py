"""Stage two's activities: aliases and searches."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Protocol

from temporalio import activity

from found_footy.discovery.aliases.combine import combine_aliases, offline_aliases
from found_footy.discovery.aliases.rules import drop_opponent_aliases
from found_footy.discovery.candidates.post_text import count_post_doubts
from found_footy.discovery.candidates.retries import classify_candidates, find_recorded_candidates
from found_footy.discovery.candidates.selection import (
    MAX_STORED_CANDIDATES,
    MAX_URL_LENGTH,
    select_candidates,
    trim_candidate,
)
from found_footy.discovery.messages import (
    AliasSource,
    BuildSearch,
    GoalSearchProgress,
    RecordSearchState,
    RunSearch,
    SaveAliases,
    SaveCandidates,
    SearchAnswer,
    SearchData,
    SearchState,
    TakenCandidates,
    TeamAliases,
    TeamRef,
)
from found_footy.discovery.metrics import (
    ALIAS_FAILURES,
    ALIAS_LOOKUPS,
    CANDIDATES,
    REJECTED_IDS,
    SEARCHES,
    SOURCE_SEARCHES,
    VIDEOS_FOUND,
)
from found_footy.discovery.query.forms import SearchedMatch, build_query_of_form, choose_query_form
from found_footy.discovery.query.player_names import extract_player_search_names
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.base import (
    SOURCES_BY_TITLE,
    ClipSource,
    CombinedResults,
    SourceRequest,
    search_all_sources,
)
from found_footy.discovery.sources.errors import AccountLocked, AuthFailed, Blocked, ProtocolDrift, SessionExpired
from found_footy.discovery.sources.goal_facts import GoalFacts, read_goal_facts
from found_footy.discovery.sources.manual import goal_from_fixture
from found_footy.discovery.sources.priority import SearchPriority
from found_footy.discovery.steps import DiscoverySteps
from found_footy.discovery.store import DiscoveryStore, own_attempts, read_search_progress
from found_footy.domain.messages import ClipCandidate, Goal, ResolveAliases
from found_footy.domain.screening import DEFAULT_SCREENING_RULES, ScreeningRules
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import ExternalSystemError, RateLimited
from found_footy.platform.heartbeat import send_heartbeats
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Document

# Failures that an immediate retry cannot resolve: the workflow pauses and records the reason.
_STATE_BY_ERROR: dict[type[ExternalSystemError], SearchState] = {
    SessionExpired: SearchState.SESSION_EXPIRED,
    Blocked: SearchState.BLOCKED,
    AuthFailed: SearchState.SESSION_EXPIRED,
    AccountLocked: SearchState.ACCOUNT_LOCKED,
    ProtocolDrift: SearchState.PROTOCOL_DRIFT,
    RateLimited: SearchState.RATE_LIMITED,
}
_MINUTE = timedelta(minutes=1)

logger = ActionLogger(__name__)


class AliasProvider(Protocol):
    """A source of team aliases; an empty tuple means that it does not know the team."""

    source: AliasSource

    async def find_aliases(self, team: ResolveAliases) -> tuple[str, ...]: ...


class DiscoveryActivities(DiscoverySteps):
    """While `main_source` cannot answer, searches pause. `other_sources` are searched concurrently."""

    def __init__(
        self,
        store: DiscoveryStore,
        main_source: ClipSource,
        settings: DiscoverySettings,
        alias_sources: Sequence[AliasProvider] = (),
        now: Clock = utc_now,
        other_sources: Sequence[ClipSource] = (),
        rules: ScreeningRules = DEFAULT_SCREENING_RULES,
    ) -> None:
        self._store = store
        self._main_source = main_source
        self._settings = settings
        self._alias_sources = alias_sources
        self._now = now
        self._other_sources = other_sources
        self._rules = rules

    @activity.defn
    async def get_cached_team_aliases(self, team: TeamRef) -> TeamAliases:
        needed_for = self._settings.aliases_renewed if team.prefetch else timedelta()
        return await self._store.find_cached_aliases(team.team_id, self._now() + needed_for)

    @activity.defn
    async def get_team_aliases(self, team: ResolveAliases) -> TeamAliases:
        """Combine the aliases of all sources and record the best source that knows the team. A source that fails is
        skipped on the last attempt.
        """
        said = {known.source: await self._query_provider(known, team) for known in self._alias_sources}
        source = next((source for source, aliases in said.items() if aliases), AliasSource.RULES)
        ALIAS_LOOKUPS.labels(source.value).inc()
        return TeamAliases(combine_aliases(team.team_name, said), source)

    @activity.defn
    async def save_team_aliases(self, saved: SaveAliases) -> bool:
        """An empty list is not cached: it would keep better sources from being asked."""
        if not saved.found.aliases:
            return False
        now = self._now()
        await self._store.save_aliases(saved, now, now + self._alias_lifetime(saved.found.source))
        return True

    @activity.defn
    async def set_monitor_complete(self, goal: Goal) -> bool:
        return await self._store.set_monitor_complete(goal)

    @activity.defn
    async def get_twitter_search_data(self, build: BuildSearch) -> SearchData:
        goal = build.goal
        teams = drop_opponent_aliases(build.aliases, goal.team_name, _opponent_name(goal))
        names = extract_player_search_names(goal.player_name)
        fixture = await self._store.find_fixture(goal.event_id)
        event = fixture["events"][0] if fixture else {}
        form = choose_query_form(_new_candidate_counts(event, goal))
        query = build_query_of_form(form, _searched_match(goal, teams, event))
        progress = read_search_progress(event, goal.event_id) if event else GoalSearchProgress(exists=False)
        data = SearchData(query, progress, names=names, teams=teams or (goal.team_name,), form=form.value)
        return replace(data, **_current_facts(fixture)) if fixture else data

    @activity.defn
    async def execute_twitter_search(self, run: RunSearch) -> SearchAnswer:
        async with send_heartbeats():
            answer = await self._search_sources(run)
        SEARCHES.labels(answer.state.value).inc()
        VIDEOS_FOUND.inc(len(answer.videos))
        REJECTED_IDS.inc(answer.rejected_ids)
        return answer

    @activity.defn
    async def save_discovered_videos(self, found: SaveCandidates) -> TakenCandidates:
        """Idempotent: called again after the download was recorded, it returns the same candidates."""
        event = await self._store.find_goal(found.goal)
        if event is None:
            return TakenCandidates(exists=False)
        if (recorded := find_recorded_candidates(event, found.download_id)) is not None:
            return TakenCandidates(exists=True, videos=recorded)
        selection = select_candidates(found.videos, classify_candidates(event, self._now()), found.limit, self._rules)
        exists = await self._store.save_candidates(found, selection)
        CANDIDATES.labels("taken").inc(len(selection.taken))
        CANDIDATES.labels("again").inc(len(selection.retried))
        CANDIDATES.labels("left").inc(len(selection.deferred))
        CANDIDATES.labels("refused").inc(len(selection.rejected))
        return TakenCandidates(exists, selection.videos if exists else ())

    @activity.defn
    async def record_search_state(self, record: RecordSearchState) -> bool:
        return await self._store.record_search_state(record.goal, record.state, record.detail, self._now())

    async def _query_provider(self, provider: AliasProvider, team: ResolveAliases) -> tuple[str, ...]:
        try:
            return await provider.find_aliases(team)
        except ExternalSystemError as error:
            ALIAS_FAILURES.labels(provider.source.value).inc()
            if error.retryable and _has_attempts_left():
                raise
            source, name = provider.source.value, team.team_name
            logger.warning(
                "%s was not asked about %s: %s",
                source,
                name,
                error,
                action="alias_source_failed",
                source=source,
                team_id=team.team_id,
            )
            return ()

    async def _search_sources(self, run: RunSearch) -> SearchAnswer:
        """The main source determines the search state; results of the other sources are kept in any case."""
        asked_at, sources = self._now(), (self._main_source, *self._other_sources)
        needs_facts = any(source.name in SOURCES_BY_TITLE for source in sources)
        facts = await self._find_facts(run.event_id) if needs_facts else None
        results = await search_all_sources([(source, self._source_request(source, run, facts)) for source in sources])
        _count_results(results)
        if results.suspicions:
            await self._store.record_suspicions(run.event_id, results.suspicions)
        error = results.failures.get(self._main_source.name)
        passing = error is not None and error.retryable and type(error) not in _STATE_BY_ERROR
        # A retry may succeed, but must not discard what other sources have found.
        if error is not None and passing and _has_attempts_left() and not results.videos:
            raise error
        return SearchAnswer(
            SearchState.SEARCHING if error is None else _STATE_BY_ERROR.get(type(error), SearchState.UNAVAILABLE),
            tuple(
                trim_candidate(self._judge_text(video, run))
                for video in results.videos
                if len(video.url) <= MAX_URL_LENGTH
            ),
            detail=error.message if error else "",
            retry_after_seconds=error.retry_after if isinstance(error, RateLimited) else None,
            rejected_ids=results.rejected_ids,
            answered=tuple(results.results),
            failed={name: f"{type(failure).__name__}: {failure.message}" for name, failure in results.failures.items()},
            incomplete_sources=results.incomplete_sources,
            asked_at=asked_at,
        )

    def _judge_text(self, video: ClipCandidate, run: RunSearch) -> ClipCandidate:
        played_on = (run.first_seen or self._now()).date()
        doubts = count_post_doubts(video.text, run.names, (*run.teams, *run.opponents), played_on)
        return replace(video, post_doubts=doubts)

    async def _find_facts(self, event_id: str) -> GoalFacts | None:
        """What the feed says now about the goal, with the aliases of both teams."""
        fixture = await self._store.find_fixture(event_id)
        if fixture is None:
            return None
        home, away = [await self._find_known_aliases(fixture["teams"][side]) for side in ("home", "away")]
        return read_goal_facts(fixture, home, away)

    async def _find_known_aliases(self, team: Mapping[str, Any]) -> tuple[str, ...]:
        """Cached aliases, else those of the built-in table and the rules: no other source is asked."""
        cached = await self._store.find_cached_aliases(team["id"], self._now())
        return cached.aliases or offline_aliases(ResolveAliases(team["id"], team["name"])).aliases

    def _source_request(self, source: ClipSource, run: RunSearch, facts: GoalFacts | None) -> SourceRequest:
        return SourceRequest(
            run.query,
            run.names,
            run.teams,
            math.ceil(run.window / _MINUTE),
            self._settings.search_limit,
            run.known_urls,
            SearchPriority.for_goal(run.attempts, run.first_seen),
            run.searched_until.get(source.name, run.since),
            facts,
        )

    def _alias_lifetime(self, source: AliasSource) -> timedelta:
        fallback = source in (AliasSource.RULES, AliasSource.TABLE)
        return self._settings.fallback_aliases_kept if fallback else self._settings.aliases_kept


def _count_results(results: CombinedResults) -> None:
    for name in results.results:
        SOURCE_SEARCHES.labels(name, "answered").inc()
    for name, error in results.failures.items():
        SOURCE_SEARCHES.labels(name, type(error).__name__).inc()
        logger.warning("%s did not answer: %s", name, error, action="source_failed", source=name)


def _current_facts(fixture: Document) -> dict[str, Any]:
    """What a search and its downloads need of the goal as stored now."""
    event, goal = fixture["events"][0], goal_from_fixture(fixture)
    known = tuple(link["url"] for link in event.get("_discovered_videos") or () if len(link["url"]) <= MAX_URL_LENGTH)
    return {
        "known_urls": known[-MAX_STORED_CANDIDATES:],
        "elapsed": goal.elapsed,
        "extra": goal.extra,
        "score_before": goal.score_before,
        "score_after": goal.score_after,
        "other_goals": goal.other_goals,
    }


def _new_candidate_counts(event: Mapping[str, Any], goal: Goal) -> list[int]:
    """How many candidates each attempt of the goal has added, in the order of the attempts."""
    attempts = sorted(own_attempts(event, goal.event_id), key=lambda attempt: int(attempt.get("attempt", 0)))
    added = Counter(link.get("attempt") for link in event.get("_discovered_videos") or ())
    return [added[attempt["attempt"]] for attempt in attempts if attempt.get("attempt")]


def _searched_match(goal: Goal, teams: tuple[str, ...], event: Mapping[str, Any]) -> SearchedMatch:
    opponent, national, after = _opponent_name(goal), bool(goal.national), event.get("_score_after") or {}
    known = offline_aliases(ResolveAliases(0, opponent, goal.country, national)).aliases if opponent else ()
    theirs = drop_opponent_aliases(known, opponent, goal.team_name) if opponent else ()
    score = (after["home"], after["away"]) if None not in (after.get("home"), after.get("away")) else None
    return SearchedMatch(goal.player_name, goal.team_name, teams, opponent, theirs, national, score)


def _opponent_name(goal: Goal) -> str:
    sides = [side for side in (goal.home_name, goal.away_name) if side and side != goal.team_name]
    return sides[0] if len(sides) == 1 else ""


def _has_attempts_left() -> bool:
    """Whether Temporal would retry this activity after a failure."""
    if not activity.in_activity():
        return False
    info = activity.info()
    return info.retry_policy is not None and info.attempt < info.retry_policy.maximum_attempts
