"""Who leads, who follows and who works in the running cluster."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from nats.errors import Error as NatsError
from nats.js.api import ClusterInfo
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.service import RPCError

from found_footy.app import AppContext
from found_footy.platform.errors import Unavailable
from found_footy.platform.queue_connection import QueueConnection
from found_footy_sim.cluster.product import WEB_PROCESSES, WORKERS
from found_footy_sim.cluster.replica_set import ReplicaSet
from found_footy_sim.cluster.seaweedfs_cluster import SeaweedCluster
from found_footy_sim.cluster.servers import ClusterServers
from found_footy_sim.cluster.watched_store import STREAM
from found_footy_sim.demo.polling import wait_until_answered

_QUEUE_TIMEOUT = timedelta(seconds=30)
_LEADER_TIMEOUT_SECONDS = 60.0
_CALL_TIMEOUT = timedelta(seconds=10)


@dataclass(frozen=True)
class ClusterMembers:
    servers: ClusterServers
    app: AppContext
    queue: QueueConnection

    @property
    def replica_set(self) -> ReplicaSet:
        return self.servers.replica_set

    @property
    def seaweedfs(self) -> SeaweedCluster:
        return self.servers.seaweedfs

    @property
    def web_programs(self) -> tuple[str, ...]:
        return WEB_PROCESSES

    def list_half_of_workers(self) -> Sequence[str]:
        """One of each role."""
        return list({role: name for name, role in reversed(WORKERS.items())}.values())

    async def is_replica_set_whole(self) -> bool:
        return await self.replica_set.count_healthy() == len(self.replica_set.members)

    async def unite_stream_leaders(self) -> str:
        """Let the server that leads the product's stream lead the watched one too, so that the watch sees what the
        product sees. Returns its name.
        """
        leader = await self._find_leader(self.app.settings.uploads.stream)

        async def is_united() -> bool:
            if await self._find_leader(STREAM) == leader:
                return True
            await self._request_leader(STREAM, leader)
            return False

        if not await wait_until_answered(is_united, _LEADER_TIMEOUT_SECONDS):
            raise Unavailable("NATS", f"{leader} does not lead {STREAM}")
        return leader

    async def are_streams_whole(self) -> bool:
        """Whether every server has every message of both streams."""
        found = [await self._read_cluster(name) for name in (self.app.settings.uploads.stream, STREAM)]
        others = len(self.servers.nats.members) - 1
        return all(
            len(one.replicas or ()) == others and all(peer.current and not peer.offline for peer in one.replicas or ())
            for one in found
        )

    async def list_polling_pids(self) -> set[int]:
        """The processes that poll the main task queue, those killed lately among them."""
        request = DescribeTaskQueueRequest(
            namespace=self.app.temporal.namespace,
            task_queue=TaskQueue(name=self.app.settings.queues.main),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
            report_pollers=True,
        )
        try:
            answer = await self.app.temporal.workflow_service.describe_task_queue(request, timeout=_CALL_TIMEOUT)
        except RPCError as error:
            raise Unavailable("Temporal", str(error)) from error
        return {int(poller.identity.partition("@")[0]) for poller in answer.pollers}

    async def _find_leader(self, stream: str) -> str:
        leader = (await self._read_cluster(stream)).leader
        if not leader:
            raise Unavailable("NATS", f"the stream {stream} has no leader")
        return leader

    async def _read_cluster(self, stream: str) -> ClusterInfo:
        queue = await self.queue.wait_for_queue(_QUEUE_TIMEOUT)
        with _translate_errors():
            info = (await queue.stream.stream_info(stream)).cluster
        if info is None:
            raise Unavailable("NATS", f"the stream {stream} is stored by no cluster")
        return info

    async def _request_leader(self, stream: str, server: str) -> None:
        queue = await self.queue.wait_for_queue(_QUEUE_TIMEOUT)
        wish = json.dumps({"placement": {"preferred": server}}).encode()
        with _translate_errors():
            await queue.client.request(
                f"$JS.API.STREAM.LEADER.STEPDOWN.{stream}", wish, timeout=_CALL_TIMEOUT.total_seconds()
            )


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (NatsError, TimeoutError, OSError) as error:
        raise Unavailable("NATS", str(error) or type(error).__name__) from error
