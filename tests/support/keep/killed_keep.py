"""A process that migrates or restores, and that a failpoint may kill: `python killed_keep.py <what> <uri> <database>…`

The migrations are the test's own: the first renames a field, the second derives another from it.
"""

import asyncio
import sys
from pathlib import Path

from found_footy.keep.backup import CLIP_STORE
from found_footy.keep.restore import BackupRestorer, verify_backup
from found_footy.keep.schema import SchemaMigration, ensure_schema
from found_footy.keep.store import BackupStore
from found_footy.platform.clock import utc_now
from found_footy.platform.mongo import Database, connect
from found_footy.platform.objects import ObjectStore


async def rename_field(database: Database) -> None:
    async for document in database["things"].find({"old": {"$exists": True}}):
        await database["things"].update_one({"_id": document["_id"]}, {"$rename": {"old": "name"}})


async def derive_field(database: Database) -> None:
    await database["things"].update_many({}, [{"$set": {"length": {"$strLenCP": "$name"}}}])


MIGRATIONS = (SchemaMigration(2, "rename", rename_field), SchemaMigration(3, "derive", derive_field))


async def migrate(uri: str, name: str) -> None:
    async with connect(uri, name) as database:
        await ensure_schema(database, "the killed one", utc_now, MIGRATIONS)


async def restore(uri: str, name: str, folder: str, endpoint: str, bucket: str) -> None:
    access_key, secret_key = sys.stdin.read().split()
    objects = ObjectStore(endpoint, access_key, secret_key, bucket=bucket)
    async with connect(uri, name) as database:
        await BackupRestorer(BackupStore(database), {CLIP_STORE: objects}).restore(
            verify_backup(Path(folder), 1), utc_now()
        )
    await objects.aclose()


if __name__ == "__main__":
    asyncio.run(migrate(*sys.argv[2:]) if sys.argv[1] == "migrate" else restore(*sys.argv[2:]))
