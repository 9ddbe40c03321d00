"""A process that starts while its servers are away waits for them."""

import asyncio
from datetime import timedelta
from itertools import chain, repeat
from pathlib import Path
from uuid import uuid4

import pytest

import tests.support.driver_sockets  # noqa: F401
from found_footy.cli import app_connection
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import ConfigError
from found_footy.platform.free_port import find_free_port
from found_footy.settings import Settings, load_settings
from tests.support.patience import PATIENCE_SECONDS

MOMENT = timedelta(milliseconds=10)


def settings(platform: PlatformEndpoints, data_dir: Path, **changes: str) -> Settings:
    where = {
        "MONGODB_URI": platform.mongodb_uri,
        "TEMPORAL_ADDRESS": platform.temporal_address,
        "S3_ENDPOINT": platform.s3_endpoint,
        "S3_ACCESS_KEY": platform.s3_access_key,
        "S3_SECRET_KEY": platform.s3_secret_key,
        "S3_BUCKET": f"test-{uuid4().hex}",
        "MONGODB_DATABASE": f"test_{uuid4().hex}",
        "FOOTY_DATA_DIR": str(data_dir),
    }
    return load_settings({**where, **changes}).settings


@pytest.mark.parametrize(
    "away",
    [
        {"MONGODB_URI": "mongodb://127.0.0.1:{port}/?directConnection=true"},
        {"TEMPORAL_ADDRESS": "127.0.0.1:{port}"},
        {"S3_ENDPOINT": "http://127.0.0.1:{port}"},
        {"S3_SECRET_KEY": "not yet known to it"},
    ],
)
async def test_a_start_waits_for_servers_that_do_not_answer(
    platform: PlatformEndpoints, tmp_path: Path, away: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    gone = {name: text.format(port=find_free_port()) for name, text in away.items()} | {"FOOTY_MONGO__TIMEOUT": "500ms"}
    tries = [settings(platform, tmp_path, **gone), settings(platform, tmp_path, **gone), settings(platform, tmp_path)]
    # Servers of a crowded machine may be late themselves, and are then asked again.
    left = chain(tries, repeat(tries[-1]))
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        app_connection.open_app_when_ready(load_current_settings=lambda: next(left), retry_delay=MOMENT) as app,
    ):
        assert app.settings is tries[-1]
        await app.database.client.drop_database(app.database.name)
        await app.objects.aclose()
    waited = [record for record in caplog.records if record.__dict__.get("action") == "servers_away"]
    assert len(waited) >= 2


async def test_a_start_does_not_wait_for_what_a_person_must_repair(platform: PlatformEndpoints, tmp_path: Path) -> None:
    def broken() -> Settings:
        raise ConfigError("MONGODB_URI is not an address")

    with pytest.raises(ConfigError):
        async with (
            asyncio.timeout(PATIENCE_SECONDS),
            app_connection.open_app_when_ready(load_current_settings=broken, retry_delay=MOMENT),
        ):
            pytest.fail("it was opened")
