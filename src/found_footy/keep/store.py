"""MongoDB operations of backup and restore."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from pymongo import ReplaceOne

from found_footy.domain.clip_files import KEY_FIELD_PATHS
from found_footy.domain.collections import GOAL_COLLECTIONS
from found_footy.domain.documents import RestoreDocument
from found_footy.domain.goals import GOAL_LISTS
from found_footy.keep.clip_keys import list_fixture_keys
from found_footy.platform.errors import Conflict
from found_footy.platform.mongo import Database, Document, translate_mongo_errors

INSTALLATION = "installation"
RESTORE_ID = "restore"
SCHEMA_ID = "schema"
# The state of running processes, and who is signed in or may come in by a link: worthless or dangerous on another day,
# since a restore would bring back what was ended meanwhile. Keys and cookies are not in the database at all; of
# passwords and keys only hashes are.
LEFT_OUT_COLLECTIONS = frozenset(
    {
        INSTALLATION,
        "fixtures_incoming",
        "fixtures_live",
        "heartbeats",
        "known_devices",
        "oidc_requests",
        "one_time_links",
        "reddit_state",
        "scaler_pools",
        "share_links",
        "upload_reservations",
        "upload_sessions",
        "user_sessions",
        "vision_turns",
    }
)
_CLIP_FIELDS = {f"{part}._s3_videos.{field}": 1 for part in GOAL_LISTS for field in KEY_FIELD_PATHS}


class BackupStore:
    def __init__(self, database: Database) -> None:
        self._db = database

    @asynccontextmanager
    async def open_snapshot(self) -> AsyncIterator["DatabaseSnapshot"]:
        """Open the database as it is at one moment, although it goes on changing. MongoDB keeps such a moment for five
        minutes.
        """
        with translate_mongo_errors():
            async with self._db.client.start_session(snapshot=True) as session:
                yield DatabaseSnapshot(self._db, session)

    async def list_collections(self) -> list[str]:
        """List the collections that belong into a backup."""
        with translate_mongo_errors():
            names = await self._db.list_collection_names()
        return sorted(name for name in names if not name.startswith("system.") and name not in LEFT_OUT_COLLECTIONS)

    async def find_occupied(self) -> str:
        """Return the name of a collection with documents in it, empty if there is none."""
        for name in await self.list_collections():
            with translate_mongo_errors():
                if await self._db[name].find_one({}, {"_id": 1}) is not None:
                    return name
        return ""

    async def write_documents(self, collection: str, documents: Sequence[Document]) -> None:
        """Write documents; those that a restore that was interrupted has written are written again."""
        with translate_mongo_errors():
            await self._db[collection].bulk_write(
                [ReplaceOne({"_id": document["_id"]}, document, upsert=True) for document in documents], ordered=False
            )

    async def begin_restore(self, backup: str, now: datetime) -> bool:
        """Mark the database as being restored from this backup. True if it was already, by a restore that did not end.
        Raises Conflict if it is being restored from another one.
        """
        marker: RestoreDocument = {"_id": RESTORE_ID, "backup": backup, "started_at": now}
        try:
            with translate_mongo_errors():
                await self._db[INSTALLATION].insert_one(dict(marker))
        except Conflict:
            found = await self.find_restore()
            if found and found["backup"] != backup:
                raise Conflict(
                    "another backup was being restored and that did not end: restore that one, or empty the database"
                ) from None
            return True
        return False

    async def find_restore(self) -> Document | None:
        with translate_mongo_errors():
            return await self._db[INSTALLATION].find_one({"_id": RESTORE_ID})

    async def set_schema_version(self, version: int) -> None:
        """Record the version of the backup: the next process to start migrates from it."""
        with translate_mongo_errors():
            await self._db[INSTALLATION].update_one({"_id": SCHEMA_ID}, {"$set": {"version": version}}, upsert=True)

    async def end_restore(self, backup: str) -> None:
        with translate_mongo_errors():
            await self._db[INSTALLATION].delete_one({"_id": RESTORE_ID, "backup": backup})


class DatabaseSnapshot:
    """All reads see the same moment."""

    def __init__(self, database: Database, session: Any) -> None:
        self._db = database
        self._session = session

    async def iterate_documents(self, collection: str) -> AsyncIterator[Document]:
        async for document in self._db[collection].find({}, session=self._session).sort("_id", 1):
            yield document

    async def find_clip_keys(self) -> set[str]:
        """Return the key of every object that a clip's record names."""
        keys: set[str] = set()
        for collection in GOAL_COLLECTIONS:
            async for fixture in self._db[collection].find({}, _CLIP_FIELDS, session=self._session):
                keys |= list_fixture_keys(fixture)
        return keys
