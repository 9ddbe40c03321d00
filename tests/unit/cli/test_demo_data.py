"""A demo plays where nothing has been played, and keeps what it was told to keep."""

from pathlib import Path

import pytest

from found_footy.cli import demo, demo_start
from found_footy.cli.demo_search import SearchPlan
from found_footy.cli.demo_world import World
from found_footy.embedded.endpoints import Endpoints
from found_footy.model.fixture import Room
from found_footy.platform.errors import Conflict
from found_footy.platform.mongo import Database
from found_footy.settings import Settings, load_settings


def settings(platform: Endpoints, database: Database, data_dir: Path) -> Settings:
    env = {
        "FOOTY_DATA_DIR": str(data_dir), "MONGODB_URI": platform.mongodb_uri, "MONGODB_DATABASE": database.name,
    }  # fmt: skip
    return load_settings(env).settings


async def test_a_demo_begins_where_there_are_no_matches(
    platform: Endpoints, database: Database, tmp_path: Path
) -> None:
    await database["probes"].insert_one({"_id": "something else"})
    await demo_start.refuse_played(settings(platform, database, tmp_path))


@pytest.mark.parametrize("room", list(Room))
async def test_a_demo_refuses_matches_that_are_there_already_wherever_they_are(
    room: Room, platform: Endpoints, database: Database, tmp_path: Path
) -> None:
    await database[room].insert_one({"_id": 5000})
    with pytest.raises(Conflict, match=r"holds matches already; choose an empty --data-dir"):
        await demo_start.refuse_played(settings(platform, database, tmp_path))


class Refusal(Exception):
    """In place of whatever a demo does once its servers are there."""


@pytest.mark.parametrize(
    ("keep", "data_kept", "abrupt"), [(False, False, True), (True, False, False), (False, True, False)]
)
async def test_servers_end_gently_where_their_data_is_kept_and_nothing_else_is_started_before_the_look_at_it(
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

    monkeypatch.setattr(demo, "Supervisor", Platform)
    monkeypatch.setattr(demo_start, "refuse_played", refuse)
    world = World("demo", 5, tmp_path, 9001, 9002, seed=1)
    env = world.environment({})
    wishes = demo.Wishes(keep, data_kept, False, False, 1, tmp_path, SearchPlan("", ""))
    with pytest.raises(Refusal):
        await demo.play(load_settings(env).settings, world, env, wishes)
    assert asked == [abrupt]
