"""A demo plays where nothing has been played, and keeps what it was told to keep."""

from pathlib import Path

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import Conflict
from found_footy.platform.mongo import Database
from found_footy.settings import Settings, load_settings
from found_footy_sim.demo import command, startup
from found_footy_sim.demo.browser_search import SearchPlan
from found_footy_sim.demo.world import DemoWorld


def settings(platform: PlatformEndpoints, database: Database, data_dir: Path) -> Settings:
    env = {
        "FOOTY_DATA_DIR": str(data_dir),
        "MONGODB_URI": platform.mongodb_uri,
        "MONGODB_DATABASE": database.name,
    }
    return load_settings(env).settings


async def test_a_demo_begins_where_there_are_no_matches(
    platform: PlatformEndpoints, database: Database, tmp_path: Path
) -> None:
    await database["probes"].insert_one({"_id": "something else"})
    await startup.ensure_no_fixtures(settings(platform, database, tmp_path))


@pytest.mark.parametrize("collection", list(FixtureCollection))
async def test_a_demo_refuses_matches_that_are_there_already_wherever_they_are(
    collection: FixtureCollection, platform: PlatformEndpoints, database: Database, tmp_path: Path
) -> None:
    await database[collection].insert_one({"_id": 5000})
    with pytest.raises(Conflict, match=r"already contains matches; choose an empty --data-dir"):
        await startup.ensure_no_fixtures(settings(platform, database, tmp_path))


class Refusal(Exception):
    """In place of whatever a demo does once its servers are there."""


@pytest.mark.parametrize(
    ("keep", "data_kept", "abrupt"), [(False, False, True), (True, False, False), (False, True, False)]
)
async def test_servers_stop_in_order_where_their_data_is_kept_and_nothing_else_starts_before_the_data_is_checked(
    keep: bool, data_kept: bool, abrupt: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    class Platform:
        """Has only its life; whoever starts a program on it fails."""

        def __init__(self, data_dir: Path, *, servers: object, abrupt: bool) -> None:
            asked.append(abrupt)

        async def __aenter__(self) -> "Platform":
            return self

        async def __aexit__(self, *_: object) -> None:
            return

    async def refuse(_: Settings) -> None:
        raise Refusal

    monkeypatch.setattr(command, "Supervisor", Platform)
    monkeypatch.setattr(startup, "ensure_no_fixtures", refuse)
    world = DemoWorld("demo", 5, tmp_path, 9001, 9002, seed=1)
    env = world.build_environment({})
    wishes = command.DemoOptions(keep, data_kept, False, False, 1, tmp_path, SearchPlan("", ""))
    with pytest.raises(Refusal):
        await command.run_demo(load_settings(env).settings, world, env, wishes)
    assert asked == [abrupt]
