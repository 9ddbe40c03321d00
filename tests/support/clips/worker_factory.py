"""Workers as processes that a test may kill, and the services they call."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from found_footy.domain.messages import TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy_sim.vision.answers import SimulatedAnswer
from found_footy_sim.vision.loopback_server import serve_vision
from found_footy_sim.vision.server import VisionServer
from tests.support.patience import PATIENCE_SECONDS
from tests.support.pipeline.outside import OutsideServices

ROOT = Path(__file__).parents[3]
WORKER_PROGRAM = Path(__file__).parent / "worker_process.py"


@dataclass
class WorkerFactory:
    """Starts workers that check with the simulated vision server; each is a process that may be killed."""

    process: asyncio.subprocess.Process
    order: dict[str, Any]
    vision: VisionServer
    line: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def worker(self, *queues: str, **order: Any) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        async with self.line:
            self.process.stdin.write(json.dumps({**self.order, "queues": queues, **order}).encode() + b"\n")
            await self.process.stdin.drain()
            return int(await asyncio.wait_for(self.process.stdout.readline(), PATIENCE_SECONDS))


@pytest.fixture
async def worker_factory(
    platform: PlatformEndpoints, database: Database, objects: ObjectStore, outside: OutsideServices, tmp_path: Path
) -> AsyncIterator[WorkerFactory]:
    vision = VisionServer(
        lambda pictures: [SimulatedAnswer(CLOCK=f"23:{14 + 2 * number}") for number, _ in enumerate(pictures)]
    )
    with serve_vision(vision) as url:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(WORKER_PROGRAM),
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        order = {
            "mongo": platform.mongodb_uri,
            "database": database.name,
            "temporal": platform.temporal_address,
            "s3": platform.s3_endpoint,
            "s3_access": platform.s3_access_key,
            "s3_secret": platform.s3_secret_key,
            "bucket": objects.bucket,
            "host": outside.host,
            "vision": url,
            "folder": str(tmp_path),
            "at_once": 4,
        }
        try:
            yield WorkerFactory(process, order, vision)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()


def queues_of(name: str) -> TaskQueues:
    return TaskQueues(f"main-{name}", f"media-{name}", f"vision-{name}")
