"""Programs other than the servers, supervised the same way."""

import asyncio
import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from found_footy.embedded.programs import ProgramProbe, ProgramSpec, ProgramState, RestartPolicy
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import ConfigError, Unavailable
from tests.conftest import Eventually
from tests.support.embedded.proc import command_line
from tests.support.embedded.stored_data import all_but
from tests.support.patience import PATIENCE_SECONDS

IMPATIENT = RestartPolicy(max_failures=3, max_failing_time=timedelta(0), initial_delay=timedelta(milliseconds=1))
FOREVER = "import time; time.sleep(600)"


def script(name: str, code: str, *arguments: str, grace: float = 5) -> ProgramSpec:
    return ProgramSpec(name, (sys.executable, "-c", code, *arguments), stop_grace=timedelta(seconds=grace))


async def test_a_program_is_ready_when_its_probe_says_so(data_dir: Path, tmp_path: Path) -> None:
    sign = tmp_path / "sign"

    code = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
    program = ProgramSpec(
        "worker", (sys.executable, "-c", code, str(sign)), ready_probe=ready_when(sign.exists), address="here"
    )
    async with Supervisor(data_dir, external=all_but(), abrupt=True) as supervisor:
        await supervisor.run_program(program)
        (line,) = supervisor.list_statuses()
        assert sign.exists()
        assert (line.name, line.state, line.address, line.restarts) == ("worker", ProgramState.READY, "here", 0)
        assert line.pid is not None
    assert not command_line(line.pid)


async def test_a_program_that_always_ends_is_given_up_with_the_end_of_its_log(data_dir: Path) -> None:
    failing = script("worker", "print('the disk is on fire'); raise SystemExit(3)")
    failing = ProgramSpec(failing.name, failing.argv, ready_probe=_never)
    async with Supervisor(data_dir, external=all_but(), restart_policy=IMPATIENT) as supervisor:
        with pytest.raises(Unavailable, match=r"(?s)worker: ended with exit status 3; failed 3 times.*disk is on fire"):
            await supervisor.run_program(failing)
        assert supervisor.list_statuses()[0].state is ProgramState.FAILED


async def test_waiting_ends_when_a_program_is_given_up_later(data_dir: Path, tmp_path: Path) -> None:
    code = (
        "import pathlib, sys, time\nwhile not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.01)\nraise SystemExit(4)"
    )
    async with Supervisor(data_dir, external=all_but(), restart_policy=IMPATIENT) as supervisor:
        await supervisor.run_program(script("worker", code, str(tmp_path / "end")))
        (tmp_path / "end").touch()
        with pytest.raises(Unavailable, match="worker: ended with exit status 4; failed 3 times"):
            await supervisor.wait()


async def test_a_program_that_is_never_ready_ends_the_start(data_dir: Path) -> None:
    slow = ProgramSpec(
        "worker", (sys.executable, "-c", FOREVER), ready_probe=_never, ready_timeout=timedelta(seconds=0.2)
    )
    async with Supervisor(data_dir, external=all_but(), abrupt=True) as supervisor:
        with pytest.raises(Unavailable, match=r"worker: not ready within .*never mind"):
            await supervisor.run_program(slow)


async def test_a_program_that_does_not_exist_is_named(data_dir: Path) -> None:
    async with Supervisor(data_dir, external=all_but()) as supervisor:
        with pytest.raises(ConfigError, match="worker: there is no program 'no-such-program'"):
            await supervisor.run_program(ProgramSpec("worker", ("no-such-program",)))


async def test_stopping_terminates_in_reverse_order_and_then_kills(data_dir: Path, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    code = (
        "import pathlib, signal, sys, time\n"
        "def end(*_):\n"
        "    with open(sys.argv[1], 'a') as diary: diary.write(sys.argv[2] + ' ')\n"
        "    if sys.argv[3] == 'polite': sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "pathlib.Path(sys.argv[1] + sys.argv[2]).touch()\n"
        "while True: time.sleep(0.05)\n"
    )
    async with Supervisor(data_dir, external=all_but()) as supervisor:
        for name, manner in (("first", "polite"), ("second", "stubborn"), ("third", "polite")):
            # The stubborn one too has to be given the time to write that it was asked.
            program = script(
                name, code, str(diary), name, manner, grace=5 if manner == "stubborn" else PATIENCE_SECONDS
            )
            await supervisor.run_program(
                ProgramSpec(
                    name,
                    program.argv,
                    ready_probe=ready_when(Path(f"{diary}{name}").exists),
                    stop_grace=program.stop_grace,
                )
            )
        pids = [line.pid or 0 for line in supervisor.list_statuses()]
    assert diary.read_text().split() == ["third", "second", "first"]
    assert not any(command_line(pid) for pid in pids)
    assert [line.state for line in supervisor.list_statuses()] == [ProgramState.STOPPED] * 3


async def test_a_stopped_program_stays_stopped_until_it_is_started_again(data_dir: Path, tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    code = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
    program = ProgramSpec("worker", (sys.executable, "-c", code, str(sign)), ready_probe=ready_when(sign.exists))
    async with Supervisor(data_dir, external=all_but(), abrupt=True) as supervisor:
        await supervisor.run_program(program)
        (first,) = supervisor.list_statuses()
        await supervisor.stop_program("worker")
        assert not command_line(first.pid or 0)
        assert [(line.state, line.pid) for line in supervisor.list_statuses()] == [(ProgramState.STOPPED, None)]
        sign.unlink()
        await supervisor.start_program("worker")
        (again,) = supervisor.list_statuses()
        assert sign.exists()  # it was waited for, as the first time
        assert (again.state, again.restarts) == (ProgramState.READY, 0)
        assert again.pid not in (None, first.pid)


async def test_what_a_program_started_ends_with_it(data_dir: Path, tmp_path: Path, eventually: Eventually) -> None:
    note = tmp_path / "note"
    code = (
        "import pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "pathlib.Path(sys.argv[1]).write_text(str(child.pid)); time.sleep(600)"
    )
    program = script("worker", code, str(note))
    async with Supervisor(data_dir, external=all_but()) as supervisor:
        await supervisor.run_program(
            ProgramSpec(
                "worker", program.argv, ready_probe=ready_when(lambda: note.exists() and bool(note.read_text()))
            )
        )
        child = int(note.read_text())
        assert command_line(child)
    await eventually(lambda: not command_line(child))


async def test_a_request_to_stop_ends_waiting(data_dir: Path) -> None:
    async with Supervisor(data_dir, external=all_but()) as supervisor:
        asyncio.get_running_loop().call_soon(supervisor.request_stop)
        await supervisor.wait()


async def test_programs_have_sessions_of_their_own(data_dir: Path) -> None:
    async with Supervisor(data_dir, external=all_but(), abrupt=True) as supervisor:
        await supervisor.run_program(script("worker", FOREVER))
        pid = supervisor.list_statuses()[0].pid or 0
        assert os.getsid(pid) == pid != os.getsid(0)


def test_waits_between_starts_double_up_to_a_limit() -> None:
    restarts = RestartPolicy(initial_delay=timedelta(seconds=1), max_delay=timedelta(seconds=5))
    assert [restarts.delay_after(failures).total_seconds() for failures in (1, 2, 3, 4, 9)] == [1, 2, 4, 5, 5]


async def _never() -> None:
    raise Unavailable("worker", "never mind")


def ready_when(condition: Callable[[], bool]) -> ProgramProbe:
    async def ready() -> None:
        if not condition():
            raise Unavailable("program", "not yet")

    return ready
