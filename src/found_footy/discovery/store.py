"""Stage two's MongoDB operations. Each changes one document, and changes nothing when it is repeated."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from pymongo import UpdateOne

from found_footy.discovery.links import Selection
from found_footy.discovery.messages import AliasSource, Progress, SaveAliases, SaveDiscovered, SearchState, TeamAliases
from found_footy.discovery.retries import link_of
from found_footy.model.fixture import TEAM_ALIASES
from found_footy.model.handoff import Goal
from found_footy.model.ids import source_key
from found_footy.model.outcome import Retry
from found_footy.platform.goal_store import ROOMS, GoalStore
from found_footy.platform.mongo import Database, Document, Index, guarded

INDEXES = tuple(Index(room, (("events._retry_at", 1),), sparse=True) for room in ROOMS)

_DUE: Document = {"events._event_id": 1, "events._retry_at": 1}


class DiscoveryStore:
    """Fixtures are looked at for as long as they are kept; a goal that was struck out is gone."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._goals = GoalStore(database)
        self._aliases = database[TEAM_ALIASES]

    async def exists(self, goal: Goal) -> bool:
        return await self._goals.find(_of(goal), {"_id": 1}) is not None

    async def set_monitor_complete(self, goal: Goal) -> bool:
        """False if the goal is gone."""
        return await self._set(goal, {"_monitor_complete": True})

    async def progress(self, goal: Goal) -> Progress:
        event = await self.event(goal)
        if event is None:
            return Progress(exists=False)
        attempts = attempts_of(event, goal.event_id)
        return Progress(
            exists=True,
            complete=bool(event.get("_download_complete")),
            registered=tuple(event.get("_download_workflows") or ()),
            attempts=max((int(attempt.get("attempt", 0)) for attempt in attempts), default=0),
        )

    async def event(self, goal: Goal) -> Document | None:
        """The goal as it is stored now; None if it is gone."""
        row = await self._goals.find(_of(goal), {"events.$": 1})
        return row["events"][0] if row else None

    async def save_discovered(self, found: SaveDiscovered, selection: Selection) -> bool:
        """Record every link that is new, then the download with the links that it takes. False if the goal is gone.

        The links come first: a download that is recorded is one whose links are there. From here on they are open, and
        the goal is looked through again in time, whatever becomes of the download.
        """
        if writes := [*_new_links(found, selection), *_marks(found, selection)]:
            await self._goals.write(writes, ordered=True)
        searched = {"_twitter_aliases": list(found.aliases), "_twitter_search": found.query}
        fields = {**searched, **_attempt(found, selection)}
        change: Document = {"$set": {f"events.$.{name}": value for name, value in fields.items()}}
        if opened := [video.url for video in (*selection.videos, *selection.left)]:
            change["$addToSet"] = {"events.$._open_links": {"$each": opened}}
            change["$max"] = {"events.$._retry_at": found.retry_at}
        return await self._goals.update(_of(found.goal), change)

    async def due_for_retry(self, now: datetime, limit: int) -> list[str]:
        """Goals whose open links are to be looked through, by their ids; those that have waited longest first."""
        due: list[tuple[datetime, str]] = []
        for room in ROOMS:
            rows = self._db[room].find({"events._retry_at": {"$lte": now}}, _DUE).sort("events._retry_at").limit(limit)
            with guarded():
                async for row in rows:
                    due += [(event["_retry_at"], event["_event_id"]) for event in row["events"] if _is_due(event, now)]
        return list(dict.fromkeys(event_id for _, event_id in sorted(due)))[:limit]

    async def settle_links(self, goal: Goal, urls: Sequence[str]) -> bool:
        return await self._goals.update(_of(goal), {"$pull": {"events.$._open_links": {"$in": list(urls)}}})

    async def postpone_retry(self, event_id: str, until: datetime) -> bool:
        condition = {"_id": _fixture_id(event_id), "events._event_id": event_id}
        return await self._goals.update(condition, {"$max": {"events.$._retry_at": until}})

    async def end_retries(self, goal: Goal) -> bool:
        """Forget when to look again, unless a link was opened meanwhile."""
        nothing_open = {"_event_id": goal.event_id, "_open_links": {"$in": [None, []]}}
        condition = {"_id": goal.fixture_id, "events": {"$elemMatch": nothing_open}}
        return await self._goals.update(condition, {"$unset": {"events.$._retry_at": ""}})

    async def record_state(self, goal: Goal, state: SearchState, detail: str, now: datetime) -> bool:
        return await self._set(goal, {"_search_state": {"state": state.value, "detail": detail, "at": now}})

    async def fixture_of(self, event_id: str) -> Document | None:
        """The fixture that has this goal, with this goal as its only event."""
        condition = {"_id": _fixture_id(event_id), "events._event_id": event_id}
        return await self._goals.find(condition, {"events.$": 1, "teams": 1})

    async def cached_aliases(self, team_id: int, until: datetime) -> TeamAliases:
        """Aliases that are still kept at `until`."""
        with guarded():
            row = await self._aliases.find_one({"_id": team_id, "expires_at": {"$gt": until}})
        if not row or not row.get("aliases"):
            return TeamAliases()
        return TeamAliases(tuple(row["aliases"]), AliasSource(row["source"]))

    async def save_aliases(self, saved: SaveAliases, now: datetime, expires_at: datetime) -> None:
        row = {
            "team_name": saved.team.team_name, "country": saved.team.country, "national": saved.team.national,
            "aliases": list(saved.found.aliases), "source": saved.found.source.value,
            "cached_at": now, "expires_at": expires_at,
        }  # fmt: skip
        with guarded():
            await self._aliases.update_one({"_id": saved.team.team_id}, {"$set": row}, upsert=True)

    async def _set(self, goal: Goal, fields: Mapping[str, Any]) -> bool:
        update = {"$set": {f"events.$.{name}": value for name, value in fields.items()}}
        return await self._goals.update(_of(goal), update)


def _fixture_id(event_id: str) -> int:
    """Goals are named after their fixture; -1, which no fixture has, for what is not such a name."""
    first = event_id.partition("_")[0]
    return int(first) if first.isdecimal() and len(first) < 16 else -1


def _of(goal: Goal) -> Document:
    return {"_id": goal.fixture_id, "events._event_id": goal.event_id}


def _is_due(event: Mapping[str, Any], now: datetime) -> bool:
    at = event.get("_retry_at")
    return at is not None and at <= now


def _attempt(found: SaveDiscovered, selection: Selection) -> Document:
    """What is recorded of a download before it starts. What its source told rules some videos out at once."""
    place = f"_telemetry.attempts.{found.download_id}"
    facts = {
        "attempt": found.attempt, "query": found.query, "found": len(found.videos), "taken": len(selection.videos),
        "searched_at": found.searched_at, "sources": found.sources,
        "links": [video.url for video in selection.videos],
        "time": {"elapsed": found.goal.elapsed, "extra": found.goal.extra},
    }  # fmt: skip
    refused = {
        f"clips.{source_key(video.url)}": {
            "url": video.url, "outcome": why.outcome.value, "reason": f"not fetched: {why.reason}",
            "retry": Retry.NEVER.value,
        }
        for video, why in selection.refused
    }  # fmt: skip
    return {f"{place}.{name}": value for name, value in (facts | refused).items()}


def _new_links(found: SaveDiscovered, selection: Selection) -> Iterator[UpdateOne]:
    links = [link_of(video, found.attempt) for video in selection.videos]
    links += [link_of(video, found.attempt, taken=False) for video in selection.left]
    links += [link_of(video, found.attempt, taken=False, refused=why.outcome) for video, why in selection.refused]
    for link in links:
        unknown = {"_event_id": found.goal.event_id, "_discovered_videos.url": {"$ne": link["url"]}}
        yield UpdateOne(
            {"_id": found.goal.fixture_id, "events": {"$elemMatch": unknown}},
            {"$push": {"events.$._discovered_videos": link}},
        )


def _marks(found: SaveDiscovered, selection: Selection) -> Iterator[UpdateOne]:
    """Links that an earlier search left, and that are taken now."""
    urls = [video.url for video in selection.videos]
    if urls:
        yield UpdateOne(
            _of(found.goal),
            {"$set": {"events.$[goal]._discovered_videos.$[link].taken": True}},
            array_filters=[{"goal._event_id": found.goal.event_id}, {"link.url": {"$in": urls}, "link.taken": False}],
        )


def attempts_of(event: Mapping[str, Any], event_id: str) -> Sequence[Mapping[str, Any]]:
    """The attempts recorded under this goal's own id; those it took over from another scorer do not count."""
    attempts = (event.get("_telemetry") or {}).get("attempts") or {}
    return [attempt for download_id, attempt in attempts.items() if download_id.endswith(event_id)]
