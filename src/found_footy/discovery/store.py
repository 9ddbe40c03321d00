"""Stage two's MongoDB operations. Each changes one document and is idempotent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pymongo import UpdateOne

from found_footy.discovery.candidates.retries import candidate_document
from found_footy.discovery.candidates.selection import CandidateSelection
from found_footy.discovery.messages import (
    AliasSource,
    GoalSearchProgress,
    SaveAliases,
    SaveCandidates,
    SearchState,
    TeamAliases,
)
from found_footy.discovery.query.forms import QueryForm
from found_footy.domain.collections import GOAL_COLLECTIONS, TEAM_ALIASES
from found_footy.domain.documents import TeamAliasesDocument
from found_footy.domain.goals import goal_filter, match_goals_expression
from found_footy.domain.ids import link_field_name, parse_fixture_id
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import RetryAdvice
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors
from found_footy.platform.paired_collections import PairedCollections

INDEXES = tuple(MongoIndex(name, (("events._retry_at", 1),), sparse=True) for name in GOAL_COLLECTIONS)

# A computed field, not a stored one: what is needed of every goal of the match.
MATCH_GOALS = "match_goals"
_DUE_PROJECTION: Document = {"events._event_id": 1, "events._retry_at": 1}


class DiscoveryStore:
    """Goals are found for as long as their fixtures are kept; a removed goal counts as missing."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._goals = PairedCollections(database)
        self._aliases = database[TEAM_ALIASES]

    async def set_monitor_complete(self, goal: Goal) -> bool:
        """False if the goal was removed."""
        return await self._set_goal_fields(goal, {"_monitor_complete": True})

    async def find_goal(self, goal: Goal) -> Document | None:
        """The goal as stored now; None if it was removed."""
        row = await self._goals.find_one(goal_filter(goal.fixture_id, goal.event_id), {"events.$": 1})
        return row["events"][0] if row else None

    async def save_candidates(self, found: SaveCandidates, selection: CandidateSelection) -> bool:
        """Store every new candidate, then the download with the candidates that it takes. False if the goal was
        removed.

        The candidates are stored first, so that a recorded download always has its candidates. From then on they are
        open, and the goal is checked again in time, whatever happens to the download.
        """
        if writes := [*_candidate_inserts(found, selection), *_taken_updates(found, selection)]:
            await self._goals.bulk_write(writes, ordered=True)
        fields = {**_search_fields(found), **_attempt_fields(found, selection)}
        change: Document = {"$set": {f"events.$.{name}": value for name, value in fields.items()}}
        if opened := [video.url for video in (*selection.videos, *selection.deferred)]:
            change["$addToSet"] = {"events.$._open_links": {"$each": opened}}
            change["$max"] = {"events.$._retry_at": found.retry_at}
        if not (selection.videos or found.needs_download):
            sets = ("_download_workflows", "_delivered_workflows")
            done = {f"events.$.{name}": found.download_id for name in sets}
            change["$addToSet"] = {**change.get("$addToSet", {}), **done}
        return await self._goals.update_one(goal_filter(found.goal.fixture_id, found.goal.event_id), change)

    async def find_goals_due_for_retry(self, now: datetime, limit: int) -> list[str]:
        """The ids of goals whose open candidates are due for a retry; the longest overdue first."""
        due: list[tuple[datetime, str]] = []
        for collection in GOAL_COLLECTIONS:
            rows = (
                self._db[collection]
                .find({"events._retry_at": {"$lte": now}}, _DUE_PROJECTION)
                .sort("events._retry_at")
                .limit(limit)
            )
            with translate_mongo_errors():
                async for row in rows:
                    due += [(event["_retry_at"], event["_event_id"]) for event in row["events"] if _is_due(event, now)]
        return list(dict.fromkeys(event_id for _, event_id in sorted(due)))[:limit]

    async def settle_candidates(self, goal: Goal, urls: Sequence[str]) -> bool:
        return await self._goals.update_one(
            goal_filter(goal.fixture_id, goal.event_id), {"$pull": {"events.$._open_links": {"$in": list(urls)}}}
        )

    async def postpone_retry(self, event_id: str, until: datetime) -> bool:
        condition = goal_filter(parse_fixture_id(event_id), event_id)
        return await self._goals.update_one(condition, {"$max": {"events.$._retry_at": until}})

    async def reopen_candidate(self, event_id: str, url: str, now: datetime) -> bool:
        """Let the next run of the retries try a known candidate; False if the goal or the candidate is gone."""
        known = {"_event_id": event_id, "_discovered_videos.url": url}
        condition = {"_id": parse_fixture_id(event_id), "events": {"$elemMatch": known}}
        change = {"$addToSet": {"events.$._open_links": url}, "$set": {"events.$._retry_at": now}}
        return await self._goals.update_one(condition, change)

    async def end_retries(self, goal: Goal) -> bool:
        """Clear the retry time, unless a candidate was opened meanwhile."""
        nothing_open = {"_event_id": goal.event_id, "_open_links": {"$in": [None, []]}}
        condition = {"_id": goal.fixture_id, "events": {"$elemMatch": nothing_open}}
        return await self._goals.update_one(condition, {"$unset": {"events.$._retry_at": ""}})

    async def record_search_state(self, goal: Goal, state: SearchState, detail: str, now: datetime) -> bool:
        return await self._set_goal_fields(goal, {"_search_state": {"state": state.value, "detail": detail, "at": now}})

    async def record_suspicions(self, event_id: str, titles: Sequence[str]) -> bool:
        """Record titles of posts that say that the goal did not count. Nothing else changes by them."""
        condition = goal_filter(parse_fixture_id(event_id), event_id)
        change = {"$addToSet": {"events.$._suspicions": {"$each": list(titles)}}}
        return await self._goals.update_one(condition, change)

    async def find_fixture(self, event_id: str) -> Document | None:
        """The fixture that has this goal, with this goal as its only event, and all goals in short beside it."""
        condition = goal_filter(parse_fixture_id(event_id), event_id)
        own = {"$filter": {"input": "$events", "as": "goal", "cond": {"$eq": ["$$goal._event_id", event_id]}}}
        projection = {"events": own, "teams": 1, MATCH_GOALS: match_goals_expression()}
        return await self._goals.find_one(condition, projection)

    async def find_cached_aliases(self, team_id: int, until: datetime) -> TeamAliases:
        """The cached aliases that are still valid at `until`."""
        with translate_mongo_errors():
            row = await self._aliases.find_one({"_id": team_id, "expires_at": {"$gt": until}})
        if not row or not row.get("aliases"):
            return TeamAliases()
        return TeamAliases(tuple(row["aliases"]), AliasSource(row["source"]))

    async def save_aliases(self, saved: SaveAliases, now: datetime, expires_at: datetime) -> None:
        row: TeamAliasesDocument = {
            "team_name": saved.team.team_name,
            "country": saved.team.country,
            "national": saved.team.national,
            "aliases": list(saved.found.aliases),
            "source": saved.found.source.value,
            "cached_at": now,
            "expires_at": expires_at,
        }
        with translate_mongo_errors():
            await self._aliases.update_one({"_id": saved.team.team_id}, {"$set": row}, upsert=True)

    async def _set_goal_fields(self, goal: Goal, fields: Mapping[str, Any]) -> bool:
        update = {"$set": {f"events.$.{name}": value for name, value in fields.items()}}
        return await self._goals.update_one(goal_filter(goal.fixture_id, goal.event_id), update)


def _is_due(event: Mapping[str, Any], now: datetime) -> bool:
    at = event.get("_retry_at")
    return at is not None and at <= now


def _search_fields(found: SaveCandidates) -> Document:
    """The goal's query is the one of the first form; those of other forms are recorded with their attempts."""
    fields: Document = {"_twitter_aliases": list(found.aliases)}
    if found.form in ("", QueryForm.SCORER):
        fields["_twitter_search"] = found.query
    return fields


def _attempt_fields(found: SaveCandidates, selection: CandidateSelection) -> Document:
    """The record of a download before it starts, with the candidates that their source's data rule out."""
    place = f"_telemetry.attempts.{found.download_id}"
    facts = {
        "attempt": found.attempt,
        "query": found.query,
        "form": found.form,
        "found": len(found.videos),
        "taken": len(selection.videos),
        "searched_at": found.searched_at,
        "sources": found.sources,
        "links": [video.url for video in selection.videos],
        "time": {"elapsed": found.goal.elapsed, "extra": found.goal.extra},
        "score_after": None if found.goal.score_after is None else asdict(found.goal.score_after),
    }
    refused = {
        f"clips.{link_field_name(video.url)}": {
            "url": video.url,
            "outcome": why.outcome.value,
            "reason": f"not fetched: {why.reason}",
            "retry": RetryAdvice.NEVER.value,
        }
        for video, why in selection.rejected
    }
    return {f"{place}.{name}": value for name, value in (facts | refused).items()}


def _candidate_inserts(found: SaveCandidates, selection: CandidateSelection) -> Iterator[UpdateOne]:
    links = [candidate_document(video, found.attempt) for video in selection.videos]
    links += [candidate_document(video, found.attempt, taken=False) for video in selection.deferred]
    links += [
        candidate_document(video, found.attempt, taken=False, rejection=why.outcome)
        for video, why in selection.rejected
    ]
    for link in links:
        unknown = {"_event_id": found.goal.event_id, "_discovered_videos.url": {"$ne": link["url"]}}
        yield UpdateOne(
            {"_id": found.goal.fixture_id, "events": {"$elemMatch": unknown}},
            {"$push": {"events.$._discovered_videos": link}},
        )


def _taken_updates(found: SaveCandidates, selection: CandidateSelection) -> Iterator[UpdateOne]:
    """Mark candidates that an earlier search deferred as taken."""
    urls = [video.url for video in selection.videos]
    if urls:
        yield UpdateOne(
            goal_filter(found.goal.fixture_id, found.goal.event_id),
            {"$set": {"events.$[goal]._discovered_videos.$[link].taken": True}},
            array_filters=[{"goal._event_id": found.goal.event_id}, {"link.url": {"$in": urls}, "link.taken": False}],
        )


def read_search_progress(event: Mapping[str, Any], event_id: str) -> GoalSearchProgress:
    return GoalSearchProgress(
        exists=True,
        complete=bool(event.get("_download_complete")),
        registered=tuple(event.get("_download_workflows") or ()),
        attempts=max((int(attempt.get("attempt", 0)) for attempt in own_attempts(event, event_id)), default=0),
    )


def own_attempts(event: Mapping[str, Any], event_id: str) -> Sequence[Mapping[str, Any]]:
    """The attempts recorded under this goal's own id; those moved here by a re-attribution do not count."""
    attempts = (event.get("_telemetry") or {}).get("attempts") or {}
    return [attempt for download_id, attempt in attempts.items() if download_id.endswith(event_id)]
