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
from pathlib import Path
from typing import Any

from found_footy.platform import failpoints

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


@asynccontextmanager
async def open_forking_program(program: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a program of tests/support until the block ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(ROOT / "tests/support" / program),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


async def send_order(program: asyncio.subprocess.Process, order: Order) -> int:
    """Return the number that the program answers with."""
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(json.dumps(order).encode() + b"\n")
    await program.stdin.drain()
    return int(await program.stdout.readline())
