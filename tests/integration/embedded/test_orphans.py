"""Nothing outlives its supervisor."""

import asyncio
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from found_footy.embedded import processes
from found_footy.embedded.process_registry import kill_leftover_processes, record_processes
from found_footy.embedded.programs import ProgramState, ProgramStatus
from tests.conftest import Eventually
from tests.support.embedded.proc import command_line, processes_of

_SUPERVISED = Path(__file__).parents[2] / "support" / "embedded" / "supervised_platform.py"
_PROGRAMS = {"mongodb", "temporal", "seaweedfs", "nats", "worker"}


async def test_a_killed_supervisor_leaves_no_process_and_its_data_can_be_used_again(
    data_dir: Path, eventually: Eventually
) -> None:
    for _ in range(2):
        supervisor = await asyncio.create_subprocess_exec(sys.executable, _SUPERVISED, data_dir)
        await eventually((data_dir / "all-running").exists, timeout=60)
        # A program that was just started may not have its own name yet.
        await eventually(lambda: len(processes_of(data_dir)) == 1 + len(_PROGRAMS))
        supervisor.send_signal(signal.SIGKILL)
        assert await supervisor.wait() == -signal.SIGKILL
        await eventually(lambda: not processes_of(data_dir))
        (data_dir / "all-running").unlink()


async def test_a_program_left_over_is_killed_by_the_next_start(tmp_path: Path, eventually: Eventually) -> None:
    with _sleeper() as mine, _sleeper() as other:
        record_processes(tmp_path, [_line("mine", mine.pid), _line("other", other.pid)])
        registry = tmp_path / "processes.json"
        births = registry.read_text().split('"birth": "')
        # As if the number had been given to another process since.
        registry.write_text('"birth": "'.join([births[0], births[1], "long-ago/" + births[2].partition("/")[2]]))
        kill_leftover_processes(tmp_path)
        assert not command_line(mine.pid)
        assert command_line(other.pid)
        other.kill()


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="there is no ps here")
def test_ps_lists_processes_where_there_is_no_proc() -> None:
    # Before the interpreter has said a word, the process may still be the fork of its parent or almost empty.
    talking = [sys.executable, "-c", "import time; print('running', flush=True); time.sleep(600)"]
    with subprocess.Popen(talking, stdout=subprocess.PIPE, start_new_session=True) as living:
        assert living.stdout is not None
        assert living.stdout.readline() == b"running\n"
        assert processes._query_ps(living.pid, "lstart") == processes._query_ps(living.pid, "lstart") is not None
        assert (processes._read_ps_resident_bytes(living.pid) or 0) > 1_000_000
        living.kill()
    assert processes._query_ps(living.pid, "lstart") is None
    assert processes._read_ps_resident_bytes(living.pid) is None


def _sleeper() -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)


def _line(name: str, pid: int) -> ProgramStatus:
    return ProgramStatus(name, ProgramState.READY, datetime.now(UTC), pid=pid)
