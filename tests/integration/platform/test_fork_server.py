"""Children that are forked from a warm process are as limited, as mortal and as alone as any other."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from found_footy.platform.process import fork_server
from found_footy.platform.process.fork_server import ForkServer
from found_footy.platform.process.runner import ProcessLimits, ProcessOutcome, ProcessResult
from tests.support.patience import PATIENCE, PATIENCE_SECONDS

PROGRAM = "forked_program"
PLENTY = ProcessLimits(memory=2**30, cpu_seconds=60, file_size=2**20)
ENVIRONMENT = {"PYTHONPATH": str(Path(__file__).parents[2] / "support" / "platform"), "PATH": os.environ["PATH"]}
WRITES_ITS_NUMBER = "import os, pathlib, time; pathlib.Path(arguments[0]).write_text(str(os.getpid())); time.sleep(600)"


@pytest.fixture(scope="module")
def children() -> Iterator[ForkServer]:
    """Jobs leave nothing behind in it, which is what is shown."""
    warm = ForkServer(ENVIRONMENT)
    yield warm
    warm.close()


async def run_code(
    children: ForkServer,
    code: str,
    *arguments: str,
    limits: ProcessLimits = PLENTY,
    most: int = 10_000,
    patience: timedelta = PATIENCE,
    source: str = "",
) -> ProcessResult:
    """A child may write beside the paths that it is given."""
    folders = sorted({str(Path(one).parent) for one in arguments if one.startswith("/")})
    return await children.run_module(
        PROGRAM, [code, *arguments], timeout=patience, limits=limits, max_output=most, source=source, folders=folders
    )


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def eventually(condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def noted(note: Path) -> int:
    return int(note.read_text() or 0) if note.exists() else 0


async def written(note: Path) -> int:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (pid := noted(note)):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return pid


async def test_output_and_exit_code_come_back(children: ForkServer) -> None:
    assert await run_code(children, "print(arguments); code = 3", "a", "b") == ProcessResult(
        3, ProcessOutcome.EXITED, b"['a', 'b']\n", b""
    )


async def test_jobs_share_what_is_loaded_and_nothing_else(children: ForkServer) -> None:
    code = "import os, forked_program as w; print(w.LOADED, os.getpid(), os.getppid()); w.LOADED = 'spoilt'"
    first, second = [(await run_code(children, code)).stdout.split() for _ in range(2)]
    assert first[0] == second[0] == b"once"
    assert first[1] != second[1]
    assert first[2] == second[2]


async def test_many_jobs_run_at_once(children: ForkServer) -> None:
    done = await asyncio.gather(*(run_code(children, "print(arguments[0])", str(number)) for number in range(12)))
    assert [int(one.stdout) for one in done] == list(range(12))


async def test_every_child_has_its_own_limits(children: ForkServer) -> None:
    code = (
        "import resource as r; print(*(r.getrlimit(k)[1] for k in (r.RLIMIT_AS, r.RLIMIT_CPU, r.RLIMIT_FSIZE, "
        "r.RLIMIT_NOFILE, r.RLIMIT_CORE)))"
    )
    for number in (1, 2):
        wanted = ProcessLimits(
            memory=number * 2**29, cpu_seconds=10 * number, file_size=1000 * number, open_files=50 * number
        )
        done = await run_code(children, code, limits=wanted)
        assert [int(one) for one in done.stdout.split()] == [number * 2**29, 10 * number, 1000 * number, 50 * number, 0]


async def test_memory_is_limited(children: ForkServer) -> None:
    code = "try: bytearray(2_000_000_000)\nexcept MemoryError: print('no')"
    assert (await run_code(children, code, limits=ProcessLimits(memory=600 * 2**20))).stdout == b"no\n"


async def test_processor_time_is_limited(children: ForkServer) -> None:
    done = await run_code(children, "while True: pass", limits=ProcessLimits(cpu_seconds=1))
    assert (done.outcome, done.exit_code) == (ProcessOutcome.EXITED, -signal.SIGKILL)


HELD = """
for number in range(64):
    try:
        os.fstat(number)
    except OSError:
        continue
    print(number, end=" ")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="as the kernel tells it")
async def test_a_child_can_get_no_rights_and_holds_nothing_of_others(children: ForkServer) -> None:
    assert (await run_code(children, HELD)).stdout == b"0 1 2 "
    own = "/proc/self/status"
    status = (await run_code(children, f"print(open('{own}').read())", source=own)).stdout.decode()
    assert "NoNewPrivs:\t1" in status
    assert "CapEff:\t0000000000000000" in status
    assert "Threads:\t1\n" in status


async def test_a_file_that_the_caller_left_open_for_its_children_is_not_for_these(tmp_path: Path) -> None:
    warm = ForkServer(ENVIRONMENT)
    with (tmp_path / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        try:
            done = await run_code(warm, f"os.fstat({secret.fileno()})")
        finally:
            warm.close()
    assert done.exit_code == 1, "there is no such file"


async def test_a_child_sees_only_the_given_variables(children: ForkServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_SECRET_KEY", "hunter2")
    fresh = ForkServer(ENVIRONMENT)
    try:
        for warm in (children, fresh):
            assert b"hunter2" not in (await run_code(warm, "import os; print(os.environ)")).stdout
    finally:
        fresh.close()


async def test_a_crashing_child_affects_only_itself(children: ForkServer) -> None:
    crash = "import ctypes; ctypes.string_at(0)"
    crashed, fine = await asyncio.gather(run_code(children, crash), run_code(children, "print(1)"))
    assert crashed.exit_code == -signal.SIGSEGV
    assert fine.is_success
    assert (await run_code(children, "raise KeyError")).exit_code == 1
    assert (await run_code(children, "print(1)")).is_success


async def test_a_child_that_overruns_is_gone(children: ForkServer) -> None:
    code = "print(os.getpid(), flush=True); time.sleep(600)"
    done = await run_code(children, code, patience=timedelta(seconds=3))
    if not done.stdout:  # the machine did not even come to start it
        done = await run_code(children, code, patience=timedelta(seconds=45))
    assert (done.outcome, done.exit_code) == (ProcessOutcome.TIMED_OUT, -signal.SIGKILL)
    assert not alive(int(done.stdout))


async def test_a_child_that_writes_too_much_is_killed(children: ForkServer) -> None:
    done = await run_code(children, "while True: print('x' * 1000)")
    assert (done.outcome, done.exit_code) == (ProcessOutcome.TOO_MUCH_OUTPUT, -signal.SIGKILL)
    assert len(done.stdout) == 10_000


async def test_a_child_that_closes_its_output_is_still_waited_for(children: ForkServer, tmp_path: Path) -> None:
    code = "import os, time; os.close(1); time.sleep(0.3); open(arguments[0], 'w').close(); os._exit(7)"
    assert (await run_code(children, code, str(tmp_path / "done"))).exit_code == 7
    assert (tmp_path / "done").exists()


async def test_cancelling_the_caller_kills_the_child(children: ForkServer, tmp_path: Path) -> None:
    task = asyncio.create_task(run_code(children, WRITES_ITS_NUMBER, str(tmp_path / "pid")))
    pid = await written(tmp_path / "pid")
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert not alive(pid)


async def test_cancelling_a_job_affects_no_other(children: ForkServer, tmp_path: Path) -> None:
    bystander = asyncio.create_task(run_code(children, WRITES_ITS_NUMBER, str(tmp_path / "bystander")))
    pid = await written(tmp_path / "bystander")
    late = await run_code(children, "time.sleep(600)", patience=timedelta(seconds=0.5))
    assert late.outcome is ProcessOutcome.TIMED_OUT
    assert (await run_code(children, "print(1)")).is_success
    assert alive(pid)
    bystander.cancel()
    await asyncio.gather(bystander, return_exceptions=True)


async def test_a_killed_fork_server_loses_its_jobs_and_is_replaced(tmp_path: Path) -> None:
    children = ForkServer(ENVIRONMENT)
    try:
        task = asyncio.create_task(run_code(children, WRITES_ITS_NUMBER, str(tmp_path / "pid")))
        pid = await written(tmp_path / "pid")
        os.kill(int((await run_code(children, "import os; print(os.getppid())")).stdout), signal.SIGKILL)
        assert (await task).exit_code == -signal.SIGKILL
        assert eventually(lambda: not alive(pid))
        assert (await run_code(children, "print(1)")).is_success
    finally:
        children.close()


async def test_a_hanging_fork_server_loses_its_jobs_and_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that nobody kills when it is to be ends with the process that should have."""
    monkeypatch.setattr(fork_server, "_KILL_TIMEOUT_SECONDS", 1.0)
    children = ForkServer(ENVIRONMENT)
    try:
        parent = int((await run_code(children, "import os; print(os.getppid())")).stdout)
        os.kill(parent, signal.SIGSTOP)
        lost = await asyncio.gather(*(run_code(children, "print(1)", patience=timedelta(seconds=1)) for _ in range(3)))
        assert not any(done.is_success for done in lost)
        assert not alive(parent)
        assert (await run_code(children, "print(1)")).is_success
    finally:
        children.close()


async def test_a_program_that_cannot_be_loaded_is_a_crash(children: ForkServer) -> None:
    done = await children.run_module("no_such_program", [], timeout=PATIENCE, limits=PLENTY, max_output=10)
    assert not done.is_success
    assert (await run_code(children, "print(1)")).is_success


async def test_a_job_that_ends_when_it_is_cancelled_affects_no_other(tmp_path: Path) -> None:
    """While the process loads a program, one job ends by itself and its caller leaves: it hears of both at once."""
    slow = tmp_path / "slow_to_load.py"
    slow.write_text(
        "import pathlib, time\nhere = pathlib.Path(__file__).parent\n(here / 'loading').touch()\n"
        "while not (here / 'go').exists(): time.sleep(0.01)\ndef main(arguments): return 0\n"
    )
    children = ForkServer({**ENVIRONMENT, "PYTHONPATH": f"{ENVIRONMENT['PYTHONPATH']}:{tmp_path}"})
    try:
        bystander = asyncio.create_task(run_code(children, WRITES_ITS_NUMBER, str(tmp_path / "bystander")))
        ends = "pathlib.Path(arguments[0]).write_text(str(os.getpid()))\n"
        ends += "while not pathlib.Path(arguments[1]).exists(): time.sleep(0.01)"
        unlucky = asyncio.create_task(run_code(children, ends, str(tmp_path / "pid"), str(tmp_path / "end")))
        pids = [await written(tmp_path / name) for name in ("bystander", "pid")]
        loading = asyncio.create_task(
            children.run_module("slow_to_load", [], timeout=PATIENCE, limits=PLENTY, max_output=10)
        )
        await asyncio.to_thread(eventually, (tmp_path / "loading").exists)
        (tmp_path / "end").touch()
        await asyncio.to_thread(eventually, lambda: not alive(pids[1]))
        unlucky.cancel()
        await asyncio.sleep(0)
        (tmp_path / "go").touch()
        assert (await loading).is_success
        assert (await run_code(children, "print(1)")).is_success
        assert alive(pids[0])
        bystander.cancel()
        await asyncio.gather(bystander, unlucky, return_exceptions=True)
    finally:
        children.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children that their parent died")
def test_nothing_outlives_the_caller(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = (
        "import asyncio, os; from datetime import timedelta\n"
        "from found_footy.platform.process.fork_server import ForkServer\n"
        "from found_footy.platform.process.runner import ProcessLimits\n"
        f"asyncio.run(ForkServer({ENVIRONMENT!r}).run_module({PROGRAM!r}, [{WRITES_ITS_NUMBER!r}, {str(note)!r}], "
        f"timeout=timedelta(seconds=600), limits=ProcessLimits(), max_output=10, folders=[{str(tmp_path)!r}]))"
    )
    caller = subprocess.Popen([sys.executable, "-c", code])
    try:
        assert eventually(lambda: noted(note) > 0)
        pid = noted(note)
        worker_factory = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    finally:
        caller.kill()
        caller.wait()
    assert eventually(lambda: not alive(worker_factory) and not alive(pid))
