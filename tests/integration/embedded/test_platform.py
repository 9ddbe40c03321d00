"""The four servers, really started."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from pymongo import AsyncMongoClient

from found_footy.embedded import seaweedfs
from found_footy.embedded.credentials import ServerCredentials
from found_footy.embedded.endpoints import PlatformEndpoints, find_running_endpoints
from found_footy.embedded.ports import load_or_assign_ports
from found_footy.embedded.process_registry import list_running_programs
from found_footy.embedded.programs import ProgramState, ProgramStatus
from found_footy.embedded.seaweedfs import SeaweedServer
from found_footy.embedded.server import ServerContext
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import ConfigError, NotFound
from tests.conftest import Eventually
from tests.support.embedded.proc import listening_addresses, processes_of
from tests.support.embedded.stored_data import IS_STORED, SERVERS, STORE, all_but

LOOPBACK = "0100007F"


async def test_stored_data_is_there_after_a_restart(data_dir: Path) -> None:
    async with Supervisor(data_dir) as platform:
        before = platform.endpoints
        for server in SERVERS:
            await STORE[server](before)
    assert not processes_of(data_dir)

    async with Supervisor(data_dir) as platform:
        assert platform.endpoints == before
        for server in SERVERS:
            assert await IS_STORED[server](platform.endpoints), server


async def test_data_files_of_an_older_mongodb_are_brought_to_the_version_of_this_one(data_dir: Path) -> None:
    """Otherwise the MongoDB after this one would refuse them."""

    async def read_compatibility(client: AsyncMongoClient[dict[str, Any]]) -> str:
        answer = await client.admin.command("getParameter", featureCompatibilityVersion=1)
        return str(answer["featureCompatibilityVersion"]["version"])

    async with Supervisor(data_dir, external=all_but("mongodb")) as platform:
        await STORE["mongodb"](platform.endpoints)
        async with AsyncMongoClient[dict[str, Any]](platform.endpoints.mongodb_uri) as client:
            newest = await read_compatibility(client)
            # As the files are when the wheel has moved on by one major version.
            await client.admin.command("setFeatureCompatibilityVersion", f"{int(newest.split('.')[0]) - 1}.0")
            assert await read_compatibility(client) != newest
    async with Supervisor(data_dir, external=all_but("mongodb"), abrupt=True) as platform:
        async with AsyncMongoClient[dict[str, Any]](platform.endpoints.mongodb_uri) as client:
            assert await read_compatibility(client) == newest
        assert await IS_STORED["mongodb"](platform.endpoints)


async def test_a_running_platform_is_found_observed_and_private(data_dir: Path) -> None:
    open_to_all = [data_dir, data_dir / "logs", data_dir / "seaweedfs"]
    for folder in open_to_all:
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    async with Supervisor(data_dir, abrupt=True) as platform:
        assert find_running_endpoints(data_dir) == platform.endpoints
        lines = platform.list_statuses()
        assert [line.name for line in lines] == list(SERVERS)
        assert all(
            line.state is ProgramState.READY and line.address and (line.memory or 0) > 1_000_000 for line in lines
        )
        assert [line.pid for line in list_running_programs(data_dir)] == [line.pid for line in lines]
        for line in lines:
            assert listening_addresses(line.pid or 0) == {LOOPBACK}, line.name
        for secret in (
            "credentials.json",
            "endpoints.json",
            "mongodb/replica.key",
            "nats/nats.conf",
            "seaweedfs/notification.toml",
            "seaweedfs/s3.json",
            "seaweedfs/security.toml",
        ):
            assert (data_dir / secret).stat().st_mode & 0o777 == 0o600, secret
        assert {folder.stat().st_mode & 0o777 for folder in open_to_all} == {0o700}
    assert list_running_programs(data_dir) == ()
    with pytest.raises(NotFound, match="no platform is running"):
        find_running_endpoints(data_dir)


@pytest.mark.parametrize("server", SERVERS)
async def test_a_killed_server_is_restarted_with_its_data(data_dir: Path, server: str, eventually: Eventually) -> None:
    async with Supervisor(data_dir, external=all_but(server), abrupt=True) as platform:
        await STORE[server](platform.endpoints)
        (before,) = platform.list_statuses()
        os.kill(before.pid or 0, signal.SIGKILL)

        def back() -> ProgramStatus | None:
            (now,) = platform.list_statuses()
            return now if now.state is ProgramState.READY and now.pid != before.pid else None

        after = await eventually(back, timeout=60)
        assert after is not None
        assert (after.restarts, after.address) == (1, before.address)
        assert await IS_STORED[server](platform.endpoints)


@pytest.mark.parametrize("step", ["_initiate_replica_set", "_create_user"])
async def test_a_first_start_that_was_killed_half_way_is_finished_by_the_next(
    data_dir: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = asyncio.Event()

    async def hang(*_: object) -> None:
        reached.set()
        await asyncio.Event().wait()

    with monkeypatch.context() as patched:
        patched.setattr(f"found_footy.embedded.mongodb.MongoServer.{step}", hang)
        interrupted = asyncio.create_task(Supervisor(data_dir, external=all_but("mongodb"), abrupt=True).__aenter__())
        await reached.wait()
        interrupted.cancel()
        with pytest.raises(asyncio.CancelledError):
            await interrupted
    assert not processes_of(data_dir)

    async with Supervisor(data_dir, external=all_but("mongodb"), abrupt=True) as platform:
        await STORE["mongodb"](platform.endpoints)


async def test_mongodb_follows_when_its_port_is_changed(data_dir: Path) -> None:
    async with Supervisor(data_dir, external=all_but("mongodb")) as platform:
        await STORE["mongodb"](platform.endpoints)
    (data_dir / "ports.json").unlink()
    other = load_or_assign_ports(data_dir, ["mongodb"])["mongodb"]

    async with Supervisor(data_dir, external=all_but("mongodb"), abrupt=True) as platform:
        assert f":{other}/" in platform.endpoints.mongodb_uri
        assert await IS_STORED["mongodb"](platform.endpoints)


async def test_mongodb_decompresses_nothing_before_authentication(platform: PlatformEndpoints) -> None:
    """Its version gives away parts of its memory when it is sent packed messages."""
    place = platform.mongodb_uri.rpartition("@")[2].partition("/")[0]
    offered = ["zlib", "snappy", "zstd"]
    async with AsyncMongoClient[dict[str, Any]](f"mongodb://{place}/?directConnection=true") as anonymous:
        hello = await anonymous.admin.command("hello", compression=offered)
    assert not hello.get("compression")


async def test_sockets_that_another_user_created_first_are_not_trusted(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seaweedfs, "_SOCKET_DIR", data_dir)
    names = SeaweedServer.port_names
    server = SeaweedServer(
        ServerContext(data_dir, dict(zip(names, range(20_000, 20_100), strict=False)), ServerCredentials())
    )
    assert (await server.prepare()).name == "seaweedfs"
    (data_dir / f"seaweedfs-filer-grpc-{20_000 + names.index('seaweedfs-filer-grpc')}.sock").touch()
    assert (await server.prepare()).name == "seaweedfs"
    stranger = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: stranger)
    with pytest.raises(ConfigError, match="belongs to another user"):
        server._refuse_foreign_sockets()
