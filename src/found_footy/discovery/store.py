"""Stage two's MongoDB operations. Each changes one document, and changes nothing when it is repeated."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pymongo import UpdateOne

from found_footy.discovery.messages import AliasSource, Progress, SaveAliases, SaveDiscovered, SearchState, TeamAliases
from found_footy.discovery.retries import link_of
from found_footy.model.fixture import TEAM_ALIASES, Room
from found_footy.model.handoff import FoundVideo, Goal
from found_footy.platform.mongo import Database, Document, guarded


class DiscoveryStore:
    """Only fixtures in play are looked at: a goal that was struck out, or whose fixture is archived, is gone."""

    def __init__(self, database: Database) -> None:
        self._active = database[Room.ACTIVE]
        self._aliases = database[TEAM_ALIASES]

    async def exists(self, goal: Goal) -> bool:
        with guarded():
            return await self._active.find_one(_of(goal), {"_id": 1}) is not None

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
        with guarded():
            row = await self._active.find_one(_of(goal), {"events.$": 1})
        return row["events"][0] if row else None

    async def save_discovered(self, found: SaveDiscovered) -> bool:
        """Record the attempt with the links it takes, and each of them that is new. False if the goal is gone."""
        attempt = {
            f"_telemetry.attempts.{found.download_id}.{name}": value
            for name, value in {
                "attempt": found.attempt, "query": found.query, "found": found.found,
                "taken": len(found.videos), "searched_at": found.searched_at, "sources": found.sources,
                "links": [video.url for video in found.videos],
                "time": {"elapsed": found.goal.elapsed, "extra": found.goal.extra},
            }.items()
        }  # fmt: skip
        searched = {"_twitter_aliases": list(found.aliases), "_twitter_search": found.query}
        if not await self._set(found.goal, {**searched, **attempt}):
            return False
        writes = [_add_link(found.goal, video, found.attempt) for video in found.videos]
        if writes:
            with guarded():
                await self._active.bulk_write(writes, ordered=True)
        return True

    async def record_state(self, goal: Goal, state: SearchState, detail: str, now: datetime) -> bool:
        return await self._set(goal, {"_search_state": {"state": state.value, "detail": detail, "at": now}})

    async def fixture_of(self, event_id: str) -> Document | None:
        """The fixture in play that has this goal, with this goal as its only event."""
        with guarded():
            return await self._active.find_one(
                {"_id": _fixture_id(event_id), "events._event_id": event_id}, {"events.$": 1, "teams": 1}
            )

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
        with guarded():
            return (await self._active.update_one(_of(goal), update)).matched_count > 0


def _fixture_id(event_id: str) -> int:
    """Goals are named after their fixture; -1, which no fixture has, for what is not such a name."""
    first = event_id.partition("_")[0]
    return int(first) if first.isdecimal() and len(first) < 16 else -1


def _of(goal: Goal) -> Document:
    return {"_id": goal.fixture_id, "events._event_id": goal.event_id}


def _add_link(goal: Goal, video: FoundVideo, attempt: int) -> UpdateOne:
    link = link_of(video, attempt)
    unknown = {"_event_id": goal.event_id, "_discovered_videos.url": {"$ne": video.url}}
    return UpdateOne(
        {"_id": goal.fixture_id, "events": {"$elemMatch": unknown}}, {"$push": {"events.$._discovered_videos": link}}
    )


def attempts_of(event: Mapping[str, Any], event_id: str) -> Sequence[Mapping[str, Any]]:
    """The attempts recorded under this goal's own id; those it took over from another scorer do not count."""
    attempts = (event.get("_telemetry") or {}).get("attempts") or {}
    return [attempt for download_id, attempt in attempts.items() if download_id.endswith(event_id)]
