"""Queries by which people browse: a day, a team, a player, a league, a search text. Read-only, each by an index.

As in `store.py`, the collections are read in the order in which a fixture moves through them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo import ASCENDING, DESCENDING

from found_footy.domain.collections import GOAL_COLLECTIONS, TEAM_ALIASES, FixtureCollection
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors
from found_footy.views.catalogue import NameCatalogue, WordMatch, build_catalogue
from found_footy.views.field_readers import get_nested, read_datetime, read_documents, read_int, read_strings
from found_footy.views.fixture_views import StoredFixture, pick_current_copies
from found_footy.views.search import GoalFilter
from found_footy.views.store import READ_TIMEOUT_MS, VIEW_PROJECTION, FixtureListCursor

_COLLECTIONS = tuple(FixtureCollection)
_SIDES = ("home", "away")
_NEWEST_FIRST = (("kickoff", -1), ("_id", -1))
_SCORER_NAME_PATHS = ("events.player.name", "removed_events.player.name")
_PLAYER_ID_PATHS = ("events.player.id", "events.assist.id", "removed_events.player.id")
_MAX_ALIAS_ROWS = 20_000
# More than any day has; a bound of what one answer reads.
_MAX_DAY_FIXTURES = 2000
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

INDEXES = (
    # The name is at the end, so that the names of all teams are read from the index alone.
    *(
        MongoIndex(collection, ((f"teams.{side}.id", 1), *_NEWEST_FIRST, (f"teams.{side}.name", 1)))
        for collection in _COLLECTIONS
        for side in _SIDES
    ),
    *(MongoIndex(collection, (("league.id", 1), *_NEWEST_FIRST)) for collection in _COLLECTIONS),
    *(
        MongoIndex(collection, ((path, 1), *_NEWEST_FIRST))
        for collection in GOAL_COLLECTIONS
        for path in (*_SCORER_NAME_PATHS, *_PLAYER_ID_PATHS)
    ),
)


@dataclass(frozen=True)
class FixtureCondition:
    """Which fixtures are listed, newest kickoff first; those without a date are in no list. `after` is excluded unless
    `keep_cursor`.
    """

    team_id: int | None = None
    player_id: int | None = None
    league_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: tuple[WordMatch, ...] = ()
    after: FixtureListCursor | None = None
    keep_cursor: bool = False
    with_clips: bool = False

    @classmethod
    def from_goal_filter(cls, wanted: GoalFilter, after: FixtureListCursor | None, *, keep: bool) -> "FixtureCondition":
        return cls(
            wanted.team_id, wanted.player_id, wanted.league_id, wanted.since, wanted.until, wanted.words, after, keep
        )

    def to_query(self) -> Document:
        parts: list[Document] = [{"kickoff": self._kickoff_range()}]
        if self.after is not None:
            beyond = {"$gt": self.after.fixture_id} if self.keep_cursor else {"$gte": self.after.fixture_id}
            parts.append({"$nor": [{"kickoff": self.after.kickoff, "_id": beyond}]})
        if self.team_id is not None:
            parts.append({"$or": [{f"teams.{side}.id": self.team_id} for side in _SIDES]})
        if self.player_id is not None:
            parts.append({"$or": [{path: self.player_id} for path in _PLAYER_ID_PATHS]})
        if self.league_id is not None:
            parts.append({"league.id": self.league_id})
        if self.with_clips:
            parts.append({"events._s3_videos.clip_id": {"$exists": True}})
        return {"$and": [*parts, *map(_build_word_condition, self.words)]}

    def _kickoff_range(self) -> Document:
        # The range also excludes fixtures without a date: a comparison with a date matches dates only.
        bounds: Document = {"$gte": self.since} if self.since else {"$type": "date"}
        if self.until:
            bounds["$lt"] = self.until
        if self.after:
            bounds["$lte"] = self.after.kickoff
        return bounds


def _build_word_condition(word: WordMatch) -> Document:
    teams, players = sorted(word.team_ids), sorted(word.players)
    options: list[Document] = [{f"teams.{side}.id": {"$in": teams}} for side in _SIDES] if teams else []
    options += [{path: {"$in": players}} for path in _SCORER_NAME_PATHS] if players else []
    return {"$or": options} if options else {"_id": {"$in": []}}


class BrowseStore:
    def __init__(self, database: Database) -> None:
        self._db = database

    async def list_between(self, start: datetime, end: datetime) -> list[StoredFixture]:
        """All fixtures that kick off from `start` until before `end`."""
        span = {"kickoff": {"$gte": start, "$lt": end}}
        return pick_current_copies(
            [one for collection in _COLLECTIONS for one in await self._find(collection, span, _MAX_DAY_FIXTURES)]
        )

    async def list_active(self) -> list[StoredFixture]:
        return await self._find(FixtureCollection.ACTIVE, {}, _MAX_DAY_FIXTURES)

    async def find_kickoff_before(self, moment: datetime) -> datetime | None:
        """The last kickoff before an instant."""
        return max(await self._list_edge_kickoffs({"$lt": moment}, DESCENDING), default=None)

    async def find_kickoff_from(self, moment: datetime) -> datetime | None:
        """The first kickoff at or after an instant."""
        return min(await self._list_edge_kickoffs({"$gte": moment}, ASCENDING), default=None)

    async def _list_edge_kickoffs(self, bounds: Document, order: int) -> list[datetime]:
        """The first kickoff of each collection in the order, read from the index alone."""
        found = []
        for collection in _COLLECTIONS:
            rows = self._db[collection].find({"kickoff": bounds}, {"kickoff": 1, "_id": 0}, max_time_ms=READ_TIMEOUT_MS)
            with translate_mongo_errors():
                found += [row["kickoff"] for row in await rows.sort("kickoff", order).limit(1).to_list()]
        return found

    async def list_kickoffs(self) -> list[datetime]:
        """The kickoff of every fixture that has one, once per fixture, read from the index alone."""
        found: dict[Any, datetime] = {}
        for collection in _COLLECTIONS:
            rows = self._db[collection].find(
                {"kickoff": {"$type": "date"}}, {"kickoff": 1}, max_time_ms=READ_TIMEOUT_MS
            )
            with translate_mongo_errors():
                found |= {row["_id"]: row["kickoff"] async for row in rows.sort(list(_NEWEST_FIRST))}
        return list(found.values())

    async def list_fixtures(
        self,
        condition: FixtureCondition,
        limit: int,
        collections: Sequence[FixtureCollection] = _COLLECTIONS,
    ) -> list[StoredFixture]:
        """The `limit` newest fixtures of a condition, by kickoff and id."""
        query = condition.to_query()
        found = [one for collection in collections for one in await self._find(collection, query, limit)]
        ordered = sorted(
            pick_current_copies(found), key=lambda one: (one.document["kickoff"], one.document["_id"]), reverse=True
        )
        return ordered[:limit]

    async def list_goal_fixtures(self, condition: FixtureCondition, limit: int) -> list[StoredFixture]:
        """Like `list_fixtures`, of the collections whose fixtures may have goals."""
        return await self.list_fixtures(condition, limit, GOAL_COLLECTIONS)

    async def list_upcoming(self, team_id: int, limit: int) -> list[StoredFixture]:
        """The next fixtures of a team that are not active yet, earliest first."""
        query = FixtureCondition(team_id=team_id).to_query()
        return await self._find(FixtureCollection.STAGING, query, limit, ASCENDING)

    async def _find(
        self, collection: FixtureCollection, query: Document, limit: int, order: int = DESCENDING
    ) -> list[StoredFixture]:
        with translate_mongo_errors():
            rows = self._db[collection].find(query, VIEW_PROJECTION, max_time_ms=READ_TIMEOUT_MS)
            documents = await rows.sort([("kickoff", order), ("_id", order)]).limit(limit).to_list()
        return [StoredFixture(collection, document) for document in documents]

    async def find_newest_of_players(self, names: Iterable[str], limit: int) -> list[Document]:
        """The players of these names as the goals of their newest fixtures name them: `id`, `name` and `team`."""
        wanted = sorted(names)
        if not wanted:
            return []
        found: list[Document] = []
        for collection in GOAL_COLLECTIONS:
            for path in _SCORER_NAME_PATHS:
                events = path.partition(".")[0]
                projection = {f"{events}.player": 1, f"{events}.team": 1, "kickoff": 1}
                rows = self._db[collection].find({path: {"$in": wanted}}, projection, max_time_ms=READ_TIMEOUT_MS)
                with translate_mongo_errors():
                    documents = await rows.sort(list(_NEWEST_FIRST)).limit(limit).to_list()
                found += [
                    {"kickoff": document.get("kickoff"), "player": event.get("player"), "team": event.get("team")}
                    for document in documents
                    for event in read_documents(document.get(events))
                    if get_nested(event, "player", "name") in wanted
                ]
        return found

    async def read_catalogue(self) -> NameCatalogue:
        """The names of all teams and scorers, from the indexes alone, with the aliases that are stored."""
        teams: list[tuple[datetime | None, int, str]] = []
        players: set[str] = set()
        for collection in _COLLECTIONS:
            for side in _SIDES:
                teams += await self._list_team_names(collection, side)
        for collection in GOAL_COLLECTIONS:
            for path in _SCORER_NAME_PATHS:
                with translate_mongo_errors():
                    players |= set(read_strings(await self._db[collection].distinct(path)))
        ordered = sorted(teams, key=lambda row: (read_datetime(row[0]) or _LONG_AGO, row[1:]))
        return build_catalogue([row[1:] for row in ordered], players - {""}, await self._read_aliases())

    async def _list_team_names(
        self, collection: FixtureCollection, side: str
    ) -> list[tuple[datetime | None, int, str]]:
        fields = {f"teams.{side}.id": 1, f"teams.{side}.name": 1, "kickoff": 1, "_id": 0}
        query = {f"teams.{side}.id": {"$gt": 0}}
        found = []
        with translate_mongo_errors():
            async for row in self._db[collection].find(query, fields, max_time_ms=READ_TIMEOUT_MS):
                team_id, name = (get_nested(row, "teams", side, field) for field in ("id", "name"))
                if read_int(team_id) is not None and isinstance(name, str):
                    found.append((row.get("kickoff"), int(team_id), name))
        return found

    async def _read_aliases(self) -> dict[int, list[str]]:
        with translate_mongo_errors():
            rows = self._db[TEAM_ALIASES].find({}, {"aliases": 1}, max_time_ms=READ_TIMEOUT_MS).limit(_MAX_ALIAS_ROWS)
            return {row["_id"]: read_strings(row.get("aliases")) async for row in rows}
