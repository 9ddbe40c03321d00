"""Programs of tests that fork a process per line of JSON on their input, so that it can be killed and counted.

What such a process needs is imported once, by the program; the input's end ends all processes.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from found_footy.platform import failpoints
from tests.support.patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]

Order = dict[str, Any]
Work = Callable[[Order], Coroutine[Any, Any, None]]


def fork_process(order: Order, work: Work, prepare: Callable[[], None] = lambda: None) -> int:
    """Return the process id of a new process, which dies at the failpoint that the order names."""
    if (child := os.fork()) != 0:
        return child
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # libraries warn on the output, which is for the answers alone
    failpoints._ARMED_FAILPOINT, failpoints._MARKER_PATH = order.get("failpoint"), order.get("marker")
    prepare()
    asyncio.run(work(order))
    os._exit(0)


def fork_for_each_order(work: Work, prepare: Callable[[], None] = lambda: None) -> None:
    """Fork a process for each order and answer with its id."""
    children = []
    for line in sys.stdin:
        children.append(fork_process(json.loads(line), work, prepare))
        sys.stdout.write(f"{children[-1]}\n")
        sys.stdout.flush()
    for child in children:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


@dataclass(frozen=True)
class ForkingProgram:
    process: asyncio.subprocess.Process
    line: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def send(self, order: Order) -> int:
        """Return the number that the program answers with."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        async with self.line:
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            await self.process.stdin.drain()
            return int(await asyncio.wait_for(self.process.stdout.readline(), PATIENCE_SECONDS))


@asynccontextmanager
async def open_forking_program(path: str) -> AsyncIterator[ForkingProgram]:
    """Run a program of tests/support until the block ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "tests/support" / path),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield ForkingProgram(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
