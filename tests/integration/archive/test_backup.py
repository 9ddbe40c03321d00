"""A copy of the data directory of a stopped installation is a backup: it opens, and nothing in it is missing."""

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
from tests.support.archive.stored_clips import StoredClips, open_stored_clips

ELSEWHERE = {"temporal_address": "127.0.0.1:9"}
OPERATING = Path(__file__).resolve().parents[3] / "docs" / "operating.md"
# What a backup leaves out: the X session, what is made anew, and what says who runs now.
LEFT_OUT = ("xsearch", "temporal", "clips", "models", "logs", "tmp", "*.sock", "endpoints.json", "processes.json")


@asynccontextmanager
async def open_installation(data_dir: Path) -> AsyncIterator[StoredClips]:
    """Temporal keeps nothing that a backup needs."""
    async with Supervisor(data_dir, servers=(MongoServer, SeaweedServer), external=ELSEWHERE) as supervisor:
        servers = supervisor.endpoints
        objects = ObjectStore(servers.s3_endpoint, servers.s3_access_key, servers.s3_secret_key, "footy-videos")
        await objects.ensure_bucket()
        async with mongo.connect(servers.mongodb_uri, "found_footy") as database:
            yield open_stored_clips(database, objects)
        await objects.aclose()


async def test_a_copied_data_directory_is_a_backup(tmp_path: Path) -> None:
    async with open_installation(tmp_path / "data") as stored_clips:
        goal = await stored_clips.goal(1, 2)
        before = await stored_clips.keys()
    cookies = tmp_path / "data" / "xsearch" / "cookies.json"
    cookies.parent.mkdir()
    cookies.write_text("a session")
    shutil.copytree(tmp_path / "data", tmp_path / "copy", ignore=shutil.ignore_patterns(*LEFT_OUT))
    shutil.rmtree(tmp_path / "data")
    kept = {path.name for path in (tmp_path / "copy").iterdir()}
    assert kept == {"mongodb", "seaweedfs", "credentials.json", "ports.json", "supervisor.lock"}
    async with open_installation(tmp_path / "copy") as stored_clips:
        inspector = stored_clips.keeping.build_scanner()
        assert [one async for one in inspector.scan(ScanScope(grace=timedelta(0), deep=True))] == []
        assert (inspector.tally.clips, await stored_clips.keys()) == (2, before)
        assert len(await stored_clips.clips(goal)) == 2


def test_the_page_says_what_a_backup_leaves_out() -> None:
    reported = OPERATING.read_text()
    assert all(f"--exclude='{name}'" in reported for name in LEFT_OUT)
