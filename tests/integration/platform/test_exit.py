"""A process that used Temporal ends with the exit code it chose, every time, with all its output written."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

from tests.support.patience import PATIENCE_SECONDS

SCRIPT = """
import asyncio
import sys
from datetime import timedelta
from typing import Protocol
from uuid import uuid4

from temporalio import activity, workflow
from temporalio.client import WorkflowFailureError
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from found_footy.platform import logs
    from found_footy.platform.errors import NotFound
    from found_footy.platform.temporal.client import TypedErrorInterceptor, connect, exit_process
    from found_footy.platform.temporal.steps import run_step, step


class SearchSteps(Protocol):
    @step(reason="for the test", start_to_close_timeout=timedelta(seconds=20), maximum_attempts=2)
    async def look(self, name: str) -> str: ...


class SearchActivities(SearchSteps):
    @activity.defn
    async def look(self, name: str) -> str:
        raise NotFound(f"no {name} here")


@workflow.defn(name="Search")
class Search:
    @workflow.run
    async def run(self, name: str) -> str:
        return await run_step(SearchSteps.look, name)


async def main(address: str) -> None:
    queue = f"exit-{uuid4().hex}"
    async with connect(address, "default") as client:
        worker = Worker(
            client,
            task_queue=queue,
            workflows=[Search],
            activities=[SearchActivities().look],
            interceptors=[TypedErrorInterceptor()],
        )
        async with worker:
            try:
                await client.execute_workflow("Search", "key", id=queue, task_queue=queue)
            except WorkflowFailureError:
                sys.stdout.write("it failed as it should")


if __name__ == "__main__":
    logs.configure_logging("INFO", "json", "exit-test")
    asyncio.run(main(sys.argv[1]))
    exit_process(int(sys.argv[2]))
"""


class Endpoints(Protocol):
    @property
    def temporal_address(self) -> str: ...


@pytest.mark.parametrize("code", [0, 3])
def test_the_exit_code_and_the_output_are_the_processs_own(platform: Endpoints, tmp_path: Path, code: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, str(script), platform.temporal_address, str(code)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert (done.returncode, done.stdout) == (code, "it failed as it should"), done.stderr
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        failed = [line["msg"] for line in lines if line["action"] == "workflow_failed"]
        assert failed == ["Search failed: NotFound: no key here"]


def test_a_closed_reader_of_the_output_does_not_change_the_exit_code() -> None:
    code = "import sys; from found_footy.platform.temporal.client import exit_process; print('x'); exit_process(0)"
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=buffered
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE_SECONDS) == 0
