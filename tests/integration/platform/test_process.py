"""Child processes end: by themselves, by limits, by deadline, or with their parent."""

import asyncio
import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from found_footy.platform.errors import NotFound
from found_footy.platform.process.runner import ProcessLimits, ProcessOutcome, ProcessResult, run_process
from tests.support.patience import PATIENCE, PATIENCE_SECONDS


async def python(code: str, *arguments: str, timeout: timedelta = PATIENCE, **options: object) -> ProcessResult:  # noqa: ASYNC109
    return await run_process([sys.executable, "-c", code, *arguments], timeout=timeout, **options)  # type: ignore[arg-type]


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


async def test_output_and_exit_code_come_back() -> None:
    done = await python("import sys; print(sys.argv[1]); print('oh', file=sys.stderr); sys.exit(3)", "hello")
    assert done == ProcessResult(3, ProcessOutcome.EXITED, b"hello\n", b"oh\n")
    assert not done.is_success


async def test_input_is_fed() -> None:
    done = await python("import sys; print(len(sys.stdin.read()))", stdin=b"x" * 1_000_000)
    assert done.is_success
    assert done.stdout == b"1000000\n"


async def test_a_child_that_does_not_read_its_input_is_fine() -> None:
    assert (await python("pass", stdin=b"x" * 5_000_000)).is_success


async def test_a_child_that_overruns_is_killed_with_its_children() -> None:
    code = "import subprocess as s, time; print(s.Popen(['sleep', '600']).pid, flush=True); time.sleep(600)"
    done = await python(code, timeout=timedelta(seconds=2))
    if not done.stdout:  # the machine did not even come to start it
        done = await python(code, timeout=timedelta(seconds=45))
    assert (done.outcome, done.exit_code) == (ProcessOutcome.TIMED_OUT, -signal.SIGKILL)
    assert eventually(lambda: not alive(int(done.stdout)))


async def test_a_child_that_writes_too_much_is_killed() -> None:
    done = await python("while True: print('x' * 1000)", max_output=10_000)
    assert done.outcome is ProcessOutcome.TOO_MUCH_OUTPUT
    assert len(done.stdout) == 10_000


async def test_memory_is_limited() -> None:
    done = await python("x = bytearray(2_000_000_000)", limits=ProcessLimits(memory=500 * 2**20))
    assert done.exit_code == 1
    assert b"MemoryError" in done.stderr


async def test_processor_time_is_limited() -> None:
    done = await python("while True: pass", limits=ProcessLimits(cpu_seconds=1))
    assert (done.outcome, done.exit_code) == (ProcessOutcome.EXITED, -signal.SIGKILL)


async def test_the_size_of_files_is_limited(tmp_path: Path) -> None:
    done = await python(
        "open('big', 'wb').write(bytes(100_000))", limits=ProcessLimits(file_size=1000, open_files=50), folder=tmp_path
    )
    assert done.exit_code == 1
    assert b"File too large" in done.stderr


async def test_a_child_sees_only_harmless_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S3_SECRET_KEY", "hunter2")
    assert b"hunter2" not in (await python("import os; print(os.environ)")).stdout
    given = await python("import os; print(os.environ['A'])", environment={"A": "b"})
    assert given.stdout == b"b\n"


async def test_a_program_that_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFound, match="no-such-program"):
        await run_process(["no-such-program"], timeout=PATIENCE)


async def test_cancelling_the_caller_kills_the_child(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = f"import os, pathlib, time; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); time.sleep(600)"
    task = asyncio.create_task(python(code))
    while not (note.exists() and note.read_text()):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert eventually(lambda: not alive(int(note.read_text())))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children that their parent died")
def test_a_child_dies_with_its_parent(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    child = f"import os, pathlib, time; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); time.sleep(600)"
    code = (
        "import asyncio, sys; from datetime import timedelta\n"
        "from found_footy.platform.process.runner import run_process\n"
        f"asyncio.run(run_process([sys.executable, '-c', {child!r}], timeout=timedelta(seconds=600)))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code])
    try:
        assert eventually(lambda: note.exists() and note.read_text() != "")
        pid = int(note.read_text())
        assert alive(pid)
    finally:
        parent.kill()
        parent.wait()
    assert eventually(lambda: not alive(pid))
