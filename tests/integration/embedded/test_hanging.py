"""Programs that hang, recover slowly, or cannot be started now: what is kept running, and what goes on without them."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from found_footy.embedded import log_files, program_process
from found_footy.embedded import supervisor as supervising
from found_footy.embedded.programs import ProgramSpec, ProgramState, ProgramStatus, RestartPolicy
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import Unavailable
from found_footy.platform.free_port import find_free_port
from tests.support.embedded.stored_data import IS_STORED, STORE, all_but
from tests.support.patience import PATIENCE_SECONDS

Eventually = Callable[..., Any]
MOMENT = timedelta(milliseconds=20)
QUICK = RestartPolicy(
    max_failures=3,
    initial_delay=MOMENT,
    max_delay=MOMENT,
    optional_retry_delay=MOMENT,
    probe_interval=MOMENT,
    max_missed_probes=3,
)
FOREVER = "import time; time.sleep(600)"
# Answers with a byte, as long as it is not stopped.
ANSWERING = (
    "import socket, sys\n"
    "server = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
    "while True:\n"
    "    connection, _ = server.accept()\n"
    "    connection.sendall(b'y'); connection.close()\n"
)


def python(name: str, code: str, *arguments: str, **more: Any) -> ProgramSpec:
    return ProgramSpec(name, (sys.executable, "-c", code, *arguments), stop_grace=timedelta(seconds=1), **more)


def restarted(platform: Supervisor, before: ProgramStatus) -> Callable[[], ProgramStatus | None]:
    def found() -> ProgramStatus | None:
        now = next(line for line in platform.list_statuses() if line.name == before.name)
        return now if now.state is ProgramState.READY and now.pid != before.pid else None

    return found


@pytest.mark.parametrize("server", ["mongodb", "temporal", "seaweedfs"])
async def test_a_server_that_hangs_without_dying_is_restarted_with_its_data(
    data_dir: Path, server: str, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_process, "_PROBE_TIMEOUT_SECONDS", 4.0)
    restarts = RestartPolicy(probe_interval=timedelta(milliseconds=200), max_missed_probes=2)
    async with Supervisor(data_dir, external=all_but(server), restart_policy=restarts, abrupt=True) as platform:
        await STORE[server](platform.endpoints)
        (before,) = platform.list_statuses()
        os.kill(before.pid or 0, signal.SIGSTOP)
        await eventually(restarted(platform, before), 90)
        assert await IS_STORED[server](platform.endpoints)


async def test_a_program_that_hangs_is_restarted(
    data_dir: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_process, "_PROBE_TIMEOUT_SECONDS", 1.0)
    unused_port = find_free_port()

    async def answers() -> None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", unused_port)
        except OSError as error:
            raise Unavailable("web", str(error)) from error
        try:
            assert await reader.read(1) == b"y"
        finally:
            writer.close()
            await writer.wait_closed()

    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        await platform.run_program(python("web", ANSWERING, str(unused_port), ready_probe=answers))
        (before,) = platform.list_statuses()
        os.kill(before.pid or 0, signal.SIGSTOP)
        await eventually(restarted(platform, before), 60)


async def test_a_program_that_answers_now_and_then_is_not_restarted(data_dir: Path, eventually: Eventually) -> None:
    asked: list[int] = []

    async def crowded() -> None:
        asked.append(1)
        if len(asked) % QUICK.max_missed_probes:
            raise Unavailable("web", "busy")

    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        await platform.run_program(python("web", FOREVER, alive_probe=crowded))
        await eventually(lambda: len(asked) > 5 * QUICK.max_missed_probes, 30)
        (line,) = platform.list_statuses()
        assert (line.state, line.restarts) == (ProgramState.READY, 0)


async def test_a_probe_that_ignores_its_cancellation_does_not_delay_the_end(data_dir: Path) -> None:
    """As `asyncio.wait_for` does when its answer comes at the same moment."""

    async def deaf() -> None:
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            return

    async with asyncio.timeout(PATIENCE_SECONDS):
        async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
            await platform.run_program(python("web", FOREVER, ready_probe=deaf))
            await asyncio.sleep(0.05)


async def test_an_error_of_a_client_library_means_that_the_program_does_not_answer(
    data_dir: Path, eventually: Eventually
) -> None:
    broken = [False]

    async def odd() -> None:
        if broken[0]:
            broken[0] = False
            raise RuntimeError("a client of another make")

    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        await platform.run_program(python("web", FOREVER, ready_probe=odd))
        broken[0] = True
        await eventually(lambda: not broken[0], 30)
        assert platform.list_statuses()[0].state is ProgramState.READY


async def test_a_server_that_recovers_slowly_after_a_crash_is_waited_for(
    data_dir: Path, eventually: Eventually
) -> None:
    recovering = [False, False]

    async def ready() -> None:
        if recovering[0]:
            recovering[1] = True
            raise Unavailable("mongodb", "replays its journal")

    # Far longer than it may take at its first start.
    program = python("mongodb", FOREVER, ready_probe=ready, ready_timeout=timedelta(seconds=3))
    restarts = RestartPolicy(initial_delay=MOMENT, max_failing_time=timedelta(minutes=2))
    async with Supervisor(data_dir, external=all_but(), restart_policy=restarts) as platform:
        await platform.run_program(program)
        recovering[0] = True
        (before,) = platform.list_statuses()
        os.kill(before.pid or 0, signal.SIGKILL)
        await eventually(lambda: recovering[1], 30)
        await asyncio.sleep(3.2)
        assert platform.list_statuses()[0].state is not ProgramState.FAILED
        recovering[0] = False
        assert (await eventually(restarted(platform, before), 30)).restarts == 1


async def test_a_server_that_does_not_recover_in_time_is_started_once_more(
    data_dir: Path, eventually: Eventually
) -> None:
    restarts = RestartPolicy(initial_delay=MOMENT, max_failing_time=timedelta(seconds=0.5))
    async with Supervisor(data_dir, external=all_but(), restart_policy=restarts) as platform:

        async def ready() -> None:
            if platform.list_statuses()[0].restarts == 1:
                raise Unavailable("mongodb", "replays its journal")

        await platform.run_program(python("mongodb", FOREVER, ready_probe=ready, ready_timeout=timedelta(seconds=0.5)))
        (before,) = platform.list_statuses()
        os.kill(before.pid or 0, signal.SIGKILL)
        assert (await eventually(restarted(platform, before), 30)).restarts == 2


async def test_a_worker_that_fails_while_its_servers_are_down_is_not_given_up(
    data_dir: Path, tmp_path: Path, eventually: Eventually
) -> None:
    away = tmp_path / "away"
    code = f"import pathlib, sys, time\nif pathlib.Path({str(away)!r}).exists(): sys.exit(1)\ntime.sleep(600)"

    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        await platform.run_program(python("worker", code))
        (before,) = platform.list_statuses()
        away.touch()
        os.kill(before.pid or 0, signal.SIGKILL)
        await eventually(lambda: platform.list_statuses()[0].restarts > QUICK.max_failures + 2, 60)
        away.unlink()
        await eventually(restarted(platform, before), 30)


async def test_failures_long_past_do_not_count(data_dir: Path, eventually: Eventually) -> None:
    """One that has been ready for a while in between may fail more often than the limit."""
    asked: list[int] = []

    async def alive() -> None:
        asked.append(1)

    restarts = replace(QUICK, max_failing_time=timedelta(0), reset_after=MOMENT)
    async with Supervisor(data_dir, external=all_but(), restart_policy=restarts) as platform:
        await platform.run_program(python("worker", FOREVER, alive_probe=alive))
        for _ in range(QUICK.max_failures + 1):
            (before,) = platform.list_statuses()
            enough = len(asked) + 3
            await eventually(lambda enough=enough: len(asked) > enough, 30)
            os.kill(before.pid or 0, signal.SIGKILL)
            await eventually(restarted(platform, before), 30)


async def test_an_optional_program_that_cannot_run_ends_nothing_and_is_tried_again(
    data_dir: Path, tmp_path: Path, eventually: Eventually
) -> None:
    mended = tmp_path / "mended"
    code = f"import pathlib, sys, time\nif not pathlib.Path({str(mended)!r}).exists(): sys.exit(1)\ntime.sleep(600)"

    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        await platform.run_program(python("worker", FOREVER))
        await platform.run_program(python("search", code, is_optional=True))
        await eventually(lambda: platform.list_statuses()[1].state is ProgramState.WAITING, 60)
        waiting = asyncio.create_task(platform.wait())
        mended.touch()
        await eventually(lambda: platform.list_statuses()[1].state is ProgramState.READY, 60)
        assert not waiting.done()
        platform.request_stop()
        await waiting


async def test_a_program_whose_port_is_taken_is_started_when_it_becomes_free(
    data_dir: Path, eventually: Eventually
) -> None:
    reasons = ["port 8888 is taken"]
    program = python("search", FOREVER, is_optional=True, blocked_reason=lambda: "".join(reasons))
    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        await platform.run_program(program)
        await eventually(lambda: platform.list_statuses()[0].state is ProgramState.WAITING, 30)
        assert platform.list_statuses()[0].pid is None
        reasons.clear()
        await eventually(lambda: platform.list_statuses()[0].state is ProgramState.READY, 30)


async def test_a_full_disk_gives_no_program_up(
    data_dir: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        await platform.run_program(python("worker", FOREVER))
        (before,) = platform.list_statuses()

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(supervising, "record_processes", full)
        os.kill(before.pid or 0, signal.SIGKILL)
        await eventually(restarted(platform, before), 30)


async def test_a_start_waits_for_space_for_a_log(
    data_dir: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []
    bound = log_files.rotate_log

    def full(path: Path) -> None:
        tries.append(1)
        if len(tries) < 4:
            raise OSError(28, "No space left on device")
        bound(path)

    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        await platform.run_program(python("worker", FOREVER))
        (before,) = platform.list_statuses()
        monkeypatch.setattr(program_process, "rotate_log", full)
        os.kill(before.pid or 0, signal.SIGKILL)
        await eventually(restarted(platform, before), 30)
        assert len(tries) >= 4


async def test_logs_are_bounded_again_once_a_full_disk_has_space(
    data_dir: Path, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def full_at_first(path: Path) -> None:
        asked.append(path.stem)
        if len(asked) == 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(supervising, "_LOG_CHECK_INTERVAL_SECONDS", 0.02)
    async with Supervisor(data_dir, external=all_but(), restart_policy=QUICK) as platform:
        for name in ("worker", "page"):
            await platform.run_program(python(name, FOREVER))
        monkeypatch.setattr(program_process, "rotate_log", full_at_first)
        await eventually(lambda: asked.count("worker") > 1 and asked.count("page") > 1, 30)
