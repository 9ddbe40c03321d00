"""A copy of the data directory of a house that was stopped is a backup: it opens, and nothing in it is missing."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from found_footy.archive.maintenance.scan import ScanScope
from found_footy.embedded.mongodb import MongoServer
from found_footy.embedded.seaweedfs import SeaweedServer
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.objects import ObjectStore
from tests.support.archive.stored_clips import Shelves, shelves_on

ELSEWHERE = {"temporal_address": "127.0.0.1:9"}
OPERATING = Path(__file__).resolve().parents[3] / "docs" / "operating.md"
# What a backup leaves out: the X session, what is made anew, and what says who runs now.
LEFT_OUT = ("xsearch", "temporal", "clips", "models", "logs", "tmp", "*.sock", "endpoints.json", "processes.json")


@asynccontextmanager
async def house(data_dir: Path) -> AsyncIterator[Shelves]:
    """Temporal keeps nothing that a backup needs."""
    async with Supervisor(data_dir, servers=(MongoServer, SeaweedServer), external=ELSEWHERE) as supervisor:
        servers = supervisor.endpoints
        objects = ObjectStore(servers.s3_endpoint, servers.s3_access_key, servers.s3_secret_key, "footy-videos")
        await objects.ensure_bucket()
        async with mongo.connect(servers.mongodb_uri, "found_footy") as database:
            yield shelves_on(database, objects)
        await objects.aclose()


async def test_a_copied_data_directory_is_a_backup(tmp_path: Path) -> None:
    async with house(tmp_path / "data") as shelves:
        goal = await shelves.goal(1, 2)
        before = await shelves.keys()
    cookies = tmp_path / "data" / "xsearch" / "cookies.json"
    cookies.parent.mkdir()
    cookies.write_text("a session")
    shutil.copytree(tmp_path / "data", tmp_path / "copy", ignore=shutil.ignore_patterns(*LEFT_OUT))
    shutil.rmtree(tmp_path / "data")
    kept = {path.name for path in (tmp_path / "copy").iterdir()}
    assert kept == {"mongodb", "seaweedfs", "credentials.json", "ports.json", "supervisor.lock"}
    async with house(tmp_path / "copy") as shelves:
        inspector = shelves.keeping.build_scanner()
        assert [one async for one in inspector.scan(ScanScope(grace=timedelta(0), deep=True))] == []
        assert (inspector.tally.clips, await shelves.keys()) == (2, before)
        assert len(await shelves.clips(goal)) == 2


def test_people_are_told_what_a_backup_leaves_out() -> None:
    told = OPERATING.read_text()
    assert all(f"--exclude='{name}'" in told for name in LEFT_OUT)
