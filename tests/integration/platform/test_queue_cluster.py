"""JetStream on a cluster of three servers with passwords: one of them may be lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

from found_footy.embedded.credentials import load_credentials
from found_footy.embedded.ports import load_or_assign_ports
from found_footy.embedded.program_process import ProgramProcess
from found_footy.embedded.programs import RestartPolicy
from found_footy.embedded.server import ServerContext
from found_footy.platform.errors import Unavailable
from found_footy.platform.queue import JetStreamQueue, connect
from found_footy_sim.cluster.nats_cluster import NatsCluster
from tests.support.patience import PATIENCE_SECONDS

DAY = timedelta(days=1)


def ignore_failure(_error: BaseException) -> None:
    """The test's own assertions say what is wrong."""


@asynccontextmanager
async def running_cluster(folder: Path) -> AsyncIterator[tuple[NatsCluster, dict[str, ProgramProcess]]]:
    ports = load_or_assign_ports(folder, NatsCluster.port_names)
    cluster = NatsCluster(ServerContext(folder, ports, load_credentials(folder)))
    running = {
        program.name: ProgramProcess(program, folder / f"{program.name}.log", RestartPolicy(), lambda: None)
        for program in cluster.build_programs()
    }
    try:
        await asyncio.gather(*(each.start(ignore_failure) for each in running.values()))
        yield cluster, running
    finally:
        await asyncio.gather(*(each.stop() for each in running.values()))


async def publish_when_possible(queue: JetStreamQueue, subject: str, message_id: str) -> bool:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                return await queue.publish(subject, b"x", message_id=message_id)
            except Unavailable:
                await asyncio.sleep(0.1)


async def test_messages_outlive_the_server_that_leads_their_stream(tmp_path: Path) -> None:
    name = f"test{uuid4().hex}"
    async with running_cluster(tmp_path) as (cluster, running), connect(cluster.url) as queue:
        await queue.ensure_stream(name, [f"{name}.*"], max_age=DAY, replicas=3)
        found = (await queue.stream.stream_info(name)).cluster
        assert found is not None
        assert {found.leader, *(peer.name for peer in found.replicas or ())} == set(cluster.members)
        assert await queue.publish(f"{name}.new", b"x", message_id="before")
        await running[str(found.leader)].stop()
        assert await publish_when_possible(queue, f"{name}.new", "after")
        assert not await publish_when_possible(queue, f"{name}.new", "before")
        assert (await queue.read_backlog(name)).messages == 2


async def test_a_client_that_knows_one_server_goes_on_with_the_others(tmp_path: Path) -> None:
    """The servers announce each other without credentials."""
    name = f"test{uuid4().hex}"
    async with running_cluster(tmp_path) as (cluster, running), connect(cluster.url_of("nats-1")) as queue:
        await queue.ensure_stream(name, [f"{name}.*"], max_age=DAY, replicas=3)
        await running["nats-1"].stop()
        assert await publish_when_possible(queue, f"{name}.new", "after")
        assert not queue.client.is_closed
