"""A migration or a restore that is killed at any step: repeated, it ends as if nothing had happened."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.keep.backup import CLIP_STORE, BackupWriter
from found_footy.keep.schema import ensure_schema
from found_footy.keep.store import INSTALLATION, BackupStore
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import ConfigError, Unavailable
from found_footy.platform.mongo import Database, connect
from found_footy.platform.objects import ObjectStore
from tests.support.archive.stored_clips import open_stored_clips
from tests.support.keep.killed_keep import MIGRATIONS

SCRIPT = Path(__file__).parents[2] / "support" / "keep" / "killed_keep.py"
ROOT = Path(__file__).parents[3]


async def run_script(point: str, marker: Path, *arguments: str, given: str = "") -> int:
    env = {**os.environ, "FOOTY_FAILPOINT": point, "FOOTY_FAILPOINT_MARKER": str(marker), "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SCRIPT), *arguments, env=env, stdin=asyncio.subprocess.PIPE
    )
    await process.communicate(given.encode())
    assert process.returncode is not None
    return process.returncode


@pytest.mark.parametrize("point", ["keep.migrated", "keep.version_recorded"])
async def test_a_migration_is_repeated(
    point: str, platform: PlatformEndpoints, database: Database, tmp_path: Path
) -> None:
    await database["things"].insert_many([{"_id": number, "old": "x" * number} for number in range(5)])
    arguments = ("migrate", platform.mongodb_uri, database.name)
    assert await run_script(point, tmp_path / "marker", *arguments) == -signal.SIGKILL
    # Its lease has not ended: others wait, the holder itself goes on.
    with pytest.raises(Unavailable, match="another process is migrating"):
        await ensure_schema(database, "another one", utc_now, MIGRATIONS)
    assert await run_script(point, tmp_path / "marker", *arguments) == 0
    assert await database["things"].find().sort("_id").to_list() == [
        {"_id": number, "name": "x" * number, "length": number} for number in range(5)
    ]
    assert await ensure_schema(database, "another one", utc_now, MIGRATIONS) == 3
    with pytest.raises(ConfigError, match="schema version 3, this build knows 1"):
        await ensure_schema(database, "an older build", utc_now, ())


async def test_the_lease_of_a_killed_process_ends(database: Database) -> None:
    await ensure_schema(database, "first", utc_now, ())
    await database[INSTALLATION].update_one(
        {"_id": "schema"}, {"$set": {"migrating_by": "killed", "migrating_until": utc_now()}}
    )
    assert await ensure_schema(database, "next", utc_now, MIGRATIONS) == 3


@pytest.mark.parametrize("point", ["keep.restore_begun", "keep.objects_restored", "keep.collection_restored"])
async def test_a_restore_is_repeated(
    point: str, platform: PlatformEndpoints, database: Database, objects: ObjectStore, tmp_path: Path
) -> None:
    await open_stored_clips(database, objects).goal(1, 2)
    writer = BackupWriter(BackupStore(database), {CLIP_STORE: objects}, 1, "1.0")
    await writer.write(tmp_path / "backup", utc_now())
    bucket, name = f"test-{uuid4().hex}", f"test_{uuid4().hex}"
    other = ObjectStore(platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, bucket=bucket)
    await other.ensure_bucket()
    arguments = ("restore", platform.mongodb_uri, name, str(tmp_path / "backup"), platform.s3_endpoint, bucket)
    keys = f"{platform.s3_access_key} {platform.s3_secret_key}"
    assert await run_script(point, tmp_path / "marker", *arguments, given=keys) == -signal.SIGKILL
    async with connect(platform.mongodb_uri, name) as restored:
        with pytest.raises(ConfigError, match="restore did not end"):
            await ensure_schema(restored, "a worker", utc_now)
        assert await run_script(point, tmp_path / "marker", *arguments, given=keys) == 0
        assert await ensure_schema(restored, "a worker", utc_now) == 1
        wanted = await database["fixtures_active"].find().to_list()
        assert await restored["fixtures_active"].find().to_list() == wanted
        await restored.client.drop_database(name)
    assert {one.key async for one in other.list()} == {one.key async for one in objects.list()}
    await other.aclose()
