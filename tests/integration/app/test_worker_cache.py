"""A worker's own disk keeps nothing of a file that was taken down, whichever machine the word was given on."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from temporalio.client import Client

from found_footy.activities_factory import build_activities
from found_footy.app import AppContext
from found_footy.archive.moderation.model import BLOCKLIST
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.settings import load_settings

if TYPE_CHECKING:
    from tests.conftest import Eventually

TAKEN, ALLOWED_AGAIN, FINE = ("a" * 32, "b" * 32, "c" * 32)


async def test_a_worker_drops_what_is_on_the_blocklist(
    database: Database, objects: ObjectStore, temporal: Client, tmp_path: Path, eventually: "Eventually"
) -> None:
    settings = load_settings(
        {
            "FOOTY_DATA_DIR": str(tmp_path),
            "FOOTY_CLIPS__CACHE_CHECK": "20ms",
            "FOOTY_VISION__READER": "accept-all",
        }
    ).settings
    files = {md5: tmp_path / "clips" / f"{md5}.mp4" for md5 in (TAKEN, ALLOWED_AGAIN, FINE)}
    (tmp_path / "clips").mkdir()
    for file in files.values():
        file.write_bytes(b"x")
    await database[BLOCKLIST].insert_one({"_id": ALLOWED_AGAIN, "md5s": [ALLOWED_AGAIN], "lifted": True})
    async with build_activities(AppContext(settings, database, objects, temporal)) as served:
        await database[BLOCKLIST].insert_one({"_id": "0" * 32, "md5s": ["0" * 32, TAKEN]})
        await eventually(lambda: not files[TAKEN].exists())
        assert await served.clips._fetcher._is_blocked(TAKEN)
        assert not await served.clips._fetcher._is_blocked(FINE)
    assert await asyncio.to_thread(lambda: [md5 for md5, file in files.items() if file.exists()]) == [
        ALLOWED_AGAIN,
        FINE,
    ]
