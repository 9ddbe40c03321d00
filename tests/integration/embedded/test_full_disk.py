"""The disk of the data directory fills up and is emptied again: nothing is given up, and nothing is lost."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pymongo.errors import PyMongoError
from temporalio.service import RPCError

import tests.support.driver_sockets  # noqa: F401  a server that is killed leaves connections behind
from found_footy.embedded import log_files
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.programs import ProgramSpec, ProgramState, RestartPolicy
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import mongo
from found_footy.platform.errors import Unavailable
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal import client as temporal
from tests.support.embedded.stored_data import IS_STORED, STORE, all_but
from tests.support.patience import PATIENCE_SECONDS
from tests.support.small_disks import MEGABYTE, filled, small_disk

Eventually = Callable[..., Any]
MOMENT = timedelta(milliseconds=20)
# Given up at the first failure that lasts, and asked all the time.
STRICT = RestartPolicy(
    max_failures=2,
    max_failing_time=timedelta(0),
    initial_delay=MOMENT,
    max_delay=MOMENT,
    probe_interval=MOMENT * 10,
    max_missed_probes=2,
)
FOREVER = "import time; time.sleep(600)"
# Says when it was asked to end.
TELLING = (
    "import pathlib, signal, sys, time\n"
    "def end(*_):\n"
    "    with open(sys.argv[1], 'a') as told: told.write(sys.argv[2] + ' ')\n"
    "    sys.exit(0)\n"
    "signal.signal(signal.SIGTERM, end)\n"
    "pathlib.Path(sys.argv[1] + sys.argv[2]).touch()\n"
    "time.sleep(600)\n"
)


def python(name: str, code: str, *arguments: str) -> ProgramSpec:
    return ProgramSpec(name, (sys.executable, "-c", code, *arguments), stop_grace=timedelta(seconds=20))


def pid_of(platform: Supervisor) -> int:
    return platform.list_statuses()[0].pid or 0


def is_back(platform: Supervisor, old: int) -> Callable[[], bool]:
    return lambda: platform.list_statuses()[0].state is ProgramState.READY and pid_of(platform) != old


async def test_a_program_that_cannot_run_on_a_full_disk_is_retried_until_there_is_space(eventually: Eventually) -> None:
    with small_disk(MEGABYTE) as disk:
        code = f"import os, time\nos.statvfs({str(disk)!r}).f_bavail or exit(1)\ntime.sleep(600)"
        async with Supervisor(disk, external=all_but(), restart_policy=STRICT) as platform:
            await platform.run_program(python("server", code))
            old = pid_of(platform)
            with filled(disk):
                os.kill(old, signal.SIGKILL)
                await eventually(lambda: platform.list_statuses()[0].restarts > 3 * STRICT.max_failures, 60)
            await eventually(is_back(platform, old), 60)


async def test_a_program_that_cannot_run_though_there_is_space_is_given_up(eventually: Eventually) -> None:
    with small_disk(MEGABYTE) as disk:
        code = f"import pathlib, time\npathlib.Path({str(disk)!r}, 'broken').exists() and exit(1)\ntime.sleep(600)"
        async with Supervisor(disk, external=all_but(), restart_policy=STRICT) as platform:
            await platform.run_program(python("server", code))
            (disk / "broken").touch()
            os.kill(pid_of(platform), signal.SIGKILL)
            with pytest.raises(Unavailable, match="given up"):
                await asyncio.wait_for(platform.wait(), PATIENCE_SECONDS)
            assert platform.list_statuses()[0].state is ProgramState.FAILED


async def test_a_server_that_refuses_to_write_on_a_full_disk_is_not_restarted_for_it(eventually: Eventually) -> None:
    asked: list[bool] = []
    with small_disk(MEGABYTE) as disk:

        async def writes() -> None:
            asked.append(bool(os.statvfs(disk).f_bavail))
            if not asked[-1]:
                raise Unavailable("server", "no space left on device")

        async with Supervisor(disk, external=all_but(), restart_policy=STRICT) as platform:
            await platform.run_program(replace(python("server", FOREVER), ready_probe=writes))
            with filled(disk):
                await eventually(lambda: asked.count(False) > 3 * STRICT.max_missed_probes, 60)
            assert (platform.list_statuses()[0].state, platform.list_statuses()[0].restarts) == (ProgramState.READY, 0)


async def test_programs_end_in_order_on_a_full_disk(tmp_path: Path, eventually: Eventually) -> None:
    reported = tmp_path / "reported"
    with small_disk(MEGABYTE) as disk, contextlib.ExitStack() as until_the_end:
        async with Supervisor(disk, external=all_but()) as platform:
            for name in ("first", "second"):
                await platform.run_program(python(name, TELLING, str(reported), name))
                await eventually(lambda name=name: Path(f"{reported}{name}").exists(), 60)
            until_the_end.enter_context(filled(disk))
        assert reported.read_text().split() == ["second", "first"]
        assert [line.state for line in platform.list_statuses()] == [ProgramState.STOPPED, ProgramState.STOPPED]


def test_a_log_that_is_too_large_is_cut_and_frees_space(tmp_path: Path) -> None:
    with small_disk(MEGABYTE) as disk:
        log = disk / "server.log"
        log.write_bytes(b"old\n" * 100_000 + b"the last line\n")
        (disk / "server.log.1").write_bytes(b"older\n")
        with filled(disk):
            log_files.rotate_log(log, max_bytes=100_000)
            assert log.stat().st_size == 0
            assert log_files.read_last_lines(disk / "server.log.1", 1) == "the last line"


@pytest.fixture
def restarts() -> RestartPolicy:
    """One that began while the disk was full may end after it is emptied."""
    second = timedelta(seconds=1)
    return RestartPolicy(max_failures=2, max_failing_time=120 * second, max_delay=second, probe_interval=second)


async def write_to_mongodb(where: PlatformEndpoints, name: str) -> None:
    async with mongo.connect(where.mongodb_uri, "deposits") as database:
        with mongo.translate_mongo_errors():
            await database["left"].insert_one({"_id": name})


async def test_what_mongodb_acknowledged_survives_a_crash_by_a_full_disk(
    restarts: RestartPolicy, eventually: Eventually
) -> None:
    """Its journal is there ahead of need, so that it takes writes until the next checkpoint, and ends with that."""
    with small_disk(800 * MEGABYTE) as disk:
        async with Supervisor(disk, external=all_but("mongodb"), restart_policy=restarts) as platform:
            where, old = platform.endpoints, pid_of(platform)
            await STORE["mongodb"](where)
            with filled(disk) as fill:
                await write_to_mongodb(where, "on a full disk")
                async with mongo.connect(where.mongodb_uri, "deposits") as database:
                    with contextlib.suppress(PyMongoError):
                        await database.client.admin.command("fsync")
                await eventually(lambda: pid_of(platform) != old, 60)
                fill()
            await eventually(is_back(platform, old), 120)
            assert await IS_STORED["mongodb"](where)
            async with mongo.connect(where.mongodb_uri, "deposits") as database:
                assert await database["left"].count_documents({"_id": "on a full disk"}) == 1
            await write_to_mongodb(where, "afterwards")


async def test_the_object_store_deletes_on_a_full_disk_and_stores_clips_when_there_is_space(
    restarts: RestartPolicy, eventually: Eventually
) -> None:
    with small_disk(100 * MEGABYTE) as disk:
        async with Supervisor(disk, external=all_but("seaweedfs"), restart_policy=restarts) as platform:
            where = platform.endpoints
            store = ObjectStore(where.s3_endpoint, where.s3_access_key, where.s3_secret_key, "clips", attempts=1)
            await store.ensure_bucket()
            for key in ("kept", "swept"):
                await store.put_bytes(key, os.urandom(2 * MEGABYTE), content_type="video/mp4")
            with filled(disk):
                with pytest.raises(Unavailable):
                    await store.put_bytes("refused", os.urandom(2 * MEGABYTE), content_type="video/mp4")
                await store.delete("swept")
                assert await store.head("swept") is None
                assert len(await store.get_bytes("kept", limit=10 * MEGABYTE)) == 2 * MEGABYTE

            async def takes_more() -> bool:
                try:
                    await store.put_bytes("later", os.urandom(2 * MEGABYTE), content_type="video/mp4")
                except Unavailable:
                    return False
                return True

            await eventually(takes_more, 180)
            assert [found.key async for found in store.list()] == ["kept", "later"]
            await store.aclose()


async def test_temporal_continues_with_its_state_when_there_is_space(
    restarts: RestartPolicy, eventually: Eventually
) -> None:
    with small_disk(60 * MEGABYTE) as disk:
        async with Supervisor(disk, external=all_but("temporal"), restart_policy=restarts) as platform:
            where = platform.endpoints
            await STORE["temporal"](where)

            async def starts_more() -> bool:
                try:
                    async with temporal.connect(where.temporal_address, "default") as client:
                        await client.start_workflow(
                            "NobodyRunsThis", id="later", task_queue="nobody", rpc_timeout=timedelta(seconds=5)
                        )
                except (Unavailable, RPCError):
                    return False
                return True

            with filled(disk) as fill:
                assert not await starts_more()
                fill()
            await eventually(starts_more, 180)
            assert await IS_STORED["temporal"](where)
