"""A copy of the data directory of a house that was stopped is a backup: it opens, and nothing in it is missing."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from found_footy.archive.integrity_walk import Extent
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.objects import ObjectStore
from tests.workflows.keeper.shelves import Shelves, shelves_on


@asynccontextmanager
async def house(data_dir: Path) -> AsyncIterator[Shelves]:
    async with Supervisor(data_dir) as supervisor:
        servers = supervisor.endpoints
        objects = ObjectStore(servers.s3_endpoint, servers.s3_access_key, servers.s3_secret_key, "footy-videos")
        await objects.ensure_bucket()
        async with mongo.connected(servers.mongodb_uri, "found_footy") as database:
            yield shelves_on(database, objects)
        await objects.aclose()


@pytest.mark.storm
async def test_a_copied_data_directory_is_a_backup(tmp_path: Path) -> None:
    async with house(tmp_path / "data") as shelves:
        goal = await shelves.goal(1, 2)
        before = await shelves.keys()
    shutil.copytree(tmp_path / "data", tmp_path / "copy", ignore=shutil.ignore_patterns("*.sock"))
    shutil.rmtree(tmp_path / "data")
    async with house(tmp_path / "copy") as shelves:
        inspector = shelves.keeping.inspector()
        assert [one async for one in inspector.findings(Extent(grace=timedelta(0), deep=True))] == []
        assert (inspector.tally.clips, await shelves.keys()) == (2, before)
        assert len(await shelves.clips(goal)) == 2
