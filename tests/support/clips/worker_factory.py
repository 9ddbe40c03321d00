"""Workers as processes that a test may kill, and the services they call."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
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
from tests.support.forking import ForkingProgram, open_forking_program
from tests.support.pipeline.outside import OutsideServices


@dataclass
class WorkerFactory:
    """Starts workers that check with the simulated vision server; each is a process that may be killed."""

    program: ForkingProgram
    order: dict[str, Any]
    vision: VisionServer

    async def worker(self, *queues: str, **order: Any) -> int:
        return await self.program.send({**self.order, "queues": queues, **order})


@pytest.fixture
async def worker_factory(
    platform: PlatformEndpoints, database: Database, objects: ObjectStore, outside: OutsideServices, tmp_path: Path
) -> AsyncIterator[WorkerFactory]:
    vision = VisionServer(
        lambda pictures: [SimulatedAnswer(CLOCK=f"23:{14 + 2 * number}") for number, _ in enumerate(pictures)]
    )
    with serve_vision(vision) as url:
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
        async with open_forking_program("clips/worker_process.py") as program:
            yield WorkerFactory(program, order, vision)


def queues_of(name: str) -> TaskQueues:
    return TaskQueues(f"main-{name}", f"media-{name}", f"vision-{name}")
