"""MongoDB operations of the schema version."""

from datetime import datetime, timedelta

from found_footy.keep.store import INSTALLATION, RESTORE_ID, SCHEMA_ID
from found_footy.platform.errors import Conflict, Unavailable
from found_footy.platform.mongo import Database, translate_mongo_errors


class SchemaStore:
    def __init__(self, database: Database) -> None:
        self._installation = database[INSTALLATION]

    async def is_being_restored(self) -> bool:
        with translate_mongo_errors():
            return await self._installation.find_one({"_id": RESTORE_ID}) is not None

    async def read_version(self, first: int) -> int:
        """Return the version; a database without one gets `first`."""
        with translate_mongo_errors():
            found = await self._installation.find_one({"_id": SCHEMA_ID})
        if found is None:
            return await self._insert_version(first)
        return int(found["version"])

    async def _insert_version(self, version: int) -> int:
        try:
            with translate_mongo_errors():
                await self._installation.insert_one({"_id": SCHEMA_ID, "version": version})
        except Conflict:  # another process was first
            return await self.read_version(version)
        return version

    async def claim(self, holder: str, now: datetime, lease: timedelta) -> bool:
        """Claim the migration; False while another process holds it."""
        is_free = {"$or": [{"migrating_until": None}, {"migrating_until": {"$lte": now}}, {"migrating_by": holder}]}
        with translate_mongo_errors():
            result = await self._installation.update_one(
                {"_id": SCHEMA_ID, **is_free}, {"$set": {"migrating_until": now + lease, "migrating_by": holder}}
            )
        return result.matched_count == 1

    async def record_version(self, holder: str, version: int, until: datetime) -> None:
        """Raises Unavailable if the lease has ended and another process has taken over."""
        with translate_mongo_errors():
            result = await self._installation.update_one(
                {"_id": SCHEMA_ID, "migrating_by": holder, "version": {"$lt": version}},
                {"$set": {"version": version, "migrating_until": until}},
            )
        if result.matched_count != 1:
            raise Unavailable("MongoDB", "another process has taken over the migration of the database")

    async def release(self, holder: str) -> None:
        with translate_mongo_errors():
            await self._installation.update_one(
                {"_id": SCHEMA_ID, "migrating_by": holder}, {"$set": {"migrating_until": None, "migrating_by": None}}
            )
