"""MongoDB: what is acknowledged is durable, what fails says so in our words."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import pytest
from pymongo import InsertOne
from pymongo.errors import InvalidOperation
from pymongo.uri_parser import parse_uri

from found_footy.platform.errors import BadInput, ConfigError, Conflict, Denied, Unavailable
from found_footy.platform.mongo import Database, MongoIndex, connect, ensure_indexes, translate_mongo_errors
from tests.support.pipeline.services import until

SHORT = timedelta(milliseconds=500)


class Endpoints(Protocol):
    @property
    def mongodb_uri(self) -> str: ...


class LocalServers(Protocol):
    async def cut(self) -> None: ...


Relayed = Callable[[int], Awaitable[Any]]


def port_of(uri: str) -> int:
    return int(parse_uri(uri)["nodelist"][0][1])


def by_way_of(port: int, uri: str) -> str:
    """The same server, reached through another port."""
    return re.sub(r":\d+/?(\?.*)?$", f":{port}/?directConnection=true&authSource=admin", uri)


async def test_writes_are_majority_and_journaled_and_the_address_cannot_weaken_them(platform: Endpoints) -> None:
    joint = "&" if "?" in platform.mongodb_uri else "/?"
    weak = f"{platform.mongodb_uri}{joint}w=0&journal=false&readConcernLevel=local&retryWrites=false"
    async with connect(weak, "found_footy_options") as database:
        written = database.write_concern.document
        assert (written["w"], written["j"]) == ("majority", True)
        assert written["wtimeout"] == 10_000
        assert database.read_concern.level == "majority"
        assert database.client.options.retry_writes is True


async def test_times_come_back_aware(database: Database) -> None:
    kickoff = datetime(2026, 11, 15, 20, 45, tzinfo=UTC)
    await database.matches.insert_one({"_id": 1, "kickoff": kickoff})
    found = await database.matches.find_one({"_id": 1})
    assert found is not None
    assert found["kickoff"] == kickoff
    assert found["kickoff"].tzinfo is not None


async def test_a_dead_port_is_unavailable_and_named(dead_port: int) -> None:
    with pytest.raises(Unavailable, match=rf"MongoDB: at mongodb://127\.0\.0\.1:{dead_port}"):
        async with connect(f"mongodb://127.0.0.1:{dead_port}", "x", timeout=SHORT):
            pytest.fail("nobody is there")


async def test_a_server_that_never_answers_is_unavailable(black_hole: int) -> None:
    with pytest.raises(Unavailable):
        async with connect(f"mongodb://127.0.0.1:{black_hole}/?directConnection=true", "x", timeout=SHORT):
            pytest.fail("nobody answered")


async def test_wrong_credentials_are_denied_and_not_shown(platform: Endpoints) -> None:
    uri = f"mongodb://nobody:hunter2@127.0.0.1:{port_of(platform.mongodb_uri)}/?directConnection=true"
    with pytest.raises(Denied) as caught:
        async with connect(uri, "x"):
            pytest.fail("nobody was let in")
    assert "hunter2" not in str(caught.value)
    assert caught.value.retryable


@pytest.mark.parametrize("uri", ["mongodb://", "mongodb://u:p@h:notaport", "http://h", "mongodb://u:p@x@h:1"])
async def test_a_malformed_address_is_a_configuration_error(uri: str) -> None:
    with pytest.raises(ConfigError):
        async with connect(uri, "x", timeout=SHORT):
            pytest.fail("there is no such place")


async def test_a_server_that_ends_in_the_middle_is_unavailable(
    platform: Endpoints, local_servers: LocalServers, relay: Relayed
) -> None:
    way = await relay(port_of(platform.mongodb_uri))
    async with connect(by_way_of(way.port, platform.mongodb_uri), "x", timeout=SHORT) as database:
        await local_servers.cut()
        with pytest.raises(Unavailable), translate_mongo_errors():
            await database.things.find_one({})


async def test_a_server_that_freezes_in_the_middle_is_unavailable(platform: Endpoints, relay: Relayed) -> None:
    way = await relay(port_of(platform.mongodb_uri))
    async with connect(by_way_of(way.port, platform.mongodb_uri), "x", timeout=SHORT) as database:
        way.flowing.clear()
        with pytest.raises(Unavailable), translate_mongo_errors():
            await database.things.find_one({})


async def test_a_connection_is_closed_even_if_its_task_is_cancelled_while_it_closes(platform: Endpoints) -> None:
    opened: asyncio.Future[Database] = asyncio.get_running_loop().create_future()

    async def work() -> None:
        async with connect(platform.mongodb_uri, "found_footy_closing") as database:
            opened.set_result(database)
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    database = await opened
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    assert task.cancelled()
    with pytest.raises(InvalidOperation, match="after close"):
        await database.command("ping")


async def test_a_duplicate_key_is_a_conflict(database: Database) -> None:
    await database.things.insert_one({"_id": 1})
    with pytest.raises(Conflict, match="duplicate key"), translate_mongo_errors():
        await database.things.insert_one({"_id": 1})


async def test_a_bulk_of_duplicates_is_a_conflict_too(database: Database) -> None:
    await database.things.insert_one({"_id": 1})
    with pytest.raises(Conflict), translate_mongo_errors():
        await database.things.bulk_write([InsertOne({"_id": 1}), InsertOne({"_id": 2})], ordered=False)
    assert await database.things.count_documents({}) == 2


async def test_a_document_that_no_server_takes_is_bad_input(database: Database) -> None:
    with pytest.raises(BadInput), translate_mongo_errors():
        await database.things.insert_one({"_id": 1, "x": "x" * 17_000_000})
    with pytest.raises(BadInput), translate_mongo_errors():
        await database.things.insert_one({"_id": 1, "x": 2**70})
    with pytest.raises(BadInput), translate_mongo_errors():
        await database.things.insert_one({"_id": 1, "x": object()})


async def test_a_mistake_in_calling_the_driver_is_not_converted(database: Database) -> None:
    with pytest.raises(InvalidOperation), translate_mongo_errors():
        await database.things.bulk_write([])


async def test_a_successful_call_is_not_converted(database: Database) -> None:
    with translate_mongo_errors():
        await database.things.insert_one({"_id": 1})
    assert await database.things.count_documents({}) == 1


INDEXES = [
    MongoIndex("things", (("name", 1),), unique=True),
    MongoIndex("things", (("team", 1), ("minute", -1)), sparse=True),
    MongoIndex("things", (("seen", 1),), expire_after=timedelta(days=14)),
    MongoIndex("things", (("kind", 1),), partial={"kind": {"$type": "string"}}),
]


async def indexes_of(database: Database) -> dict[str, Any]:
    return dict(await database.things.index_information())


async def test_indexes_are_created_and_creating_them_again_changes_nothing(database: Database) -> None:
    await ensure_indexes(database, INDEXES)
    first = await indexes_of(database)
    await ensure_indexes(database, INDEXES)
    assert await indexes_of(database) == first
    assert set(first) == {"_id_", "name_1", "team_1_minute_-1", "seen_1", "kind_1"}
    assert first["name_1"]["unique"] is True
    assert first["team_1_minute_-1"]["sparse"] is True
    assert first["seen_1"]["expireAfterSeconds"] == 14 * 86_400
    assert first["kind_1"]["partialFilterExpression"] == {"kind": {"$type": "string"}}


async def test_a_changed_time_to_live_is_applied(database: Database) -> None:
    await ensure_indexes(database, INDEXES)
    await ensure_indexes(database, [MongoIndex("things", (("seen", 1),), expire_after=timedelta(days=30))])
    assert (await indexes_of(database))["seen_1"]["expireAfterSeconds"] == 30 * 86_400


async def test_the_server_of_the_tests_deletes_nothing_by_its_own_clock(platform: Endpoints) -> None:
    """The parameter is set right after the server is found; its first pass over expired documents is a minute later."""

    async def is_stopped() -> bool:
        answer = await database.command("getParameter", 1, ttlMonitorEnabled=True)
        return answer["ttlMonitorEnabled"] is False

    async with connect(platform.mongodb_uri, "admin") as database:
        await until(is_stopped)


async def test_an_index_that_the_data_forbids_is_named(database: Database) -> None:
    await database.things.insert_many([{"name": "a"}, {"name": "a"}])
    with pytest.raises(Conflict, match="index name_1 of things"):
        await ensure_indexes(database, INDEXES)


async def test_an_index_that_exists_otherwise_is_named(database: Database) -> None:
    await database.things.create_index([("name", 1)])
    with pytest.raises(Conflict, match="index name_1 of things"):
        await ensure_indexes(database, INDEXES)


async def test_an_index_on_an_unreachable_server_is_named_and_unavailable(
    platform: Endpoints, local_servers: LocalServers, relay: Relayed
) -> None:
    way = await relay(port_of(platform.mongodb_uri))
    async with connect(by_way_of(way.port, platform.mongodb_uri), "x", timeout=SHORT) as database:
        await local_servers.cut()
        with pytest.raises(Unavailable, match="index name_1 of things"):
            await ensure_indexes(database, INDEXES)


async def test_no_wait_of_the_driver_is_without_limit(platform: Endpoints) -> None:
    """For a server, a connection of the pool, a new connection, an answer."""
    async with connect(platform.mongodb_uri, "found_footy_options") as database:
        options = database.client.options
        assert options.server_selection_timeout == 10
        assert options.pool_options.wait_queue_timeout == 10
        assert options.pool_options.connect_timeout == 10
        assert options.pool_options.socket_timeout == 20
