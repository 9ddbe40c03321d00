"""All servers of the cluster, and the settings with which the product uses them."""

from collections.abc import Mapping
from pathlib import Path

from found_footy.embedded.credentials import load_credentials
from found_footy.embedded.ports import load_or_assign_ports
from found_footy.embedded.server import ServerContext
from found_footy.embedded.supervisor import Supervisor
from found_footy_sim.cluster.nats_cluster import NatsCluster
from found_footy_sim.cluster.replica_set import ReplicaSet
from found_footy_sim.cluster.seaweedfs_cluster import SeaweedCluster
from found_footy_sim.demo.concurrency import gather_or_cancel

PAGE_PORTS = ("web-1", "web-2")
_PROXY_PORT = "nginx"


class ClusterServers:
    """Everything but Temporal, whose only server that exists as a wheel is the dev server: one process."""

    def __init__(self, data_dir: Path) -> None:
        names = (*ReplicaSet.members, *NatsCluster.port_names, *SeaweedCluster.port_names, *PAGE_PORTS, _PROXY_PORT)
        self.ports = load_or_assign_ports(data_dir, names)
        context = ServerContext(data_dir, self.ports, load_credentials(data_dir))
        self._credentials = context.credentials
        self.replica_set = ReplicaSet(context)
        self.nats = NatsCluster(context)
        self.seaweedfs = SeaweedCluster(context)

    @property
    def proxy_port(self) -> int:
        return self.ports[_PROXY_PORT]

    @property
    def endpoints(self) -> dict[str, str]:
        """By the fields of `PlatformEndpoints`."""
        return {
            "mongodb_uri": self.replica_set.uri,
            "s3_endpoint": self.seaweedfs.endpoint,
            "s3_access_key": self._credentials.s3_access_key,
            "s3_secret_key": self._credentials.s3_secret_key,
            "nats_url": self.nats.url,
        }

    def build_settings(self, temporal_address: str) -> Mapping[str, str]:
        """The settings that an operator of such a cluster gives to every process of the product."""
        return {
            **{name.upper(): value for name, value in self.endpoints.items()},
            "TEMPORAL_ADDRESS": temporal_address,
            "FOOTY_NATS__REPLICAS": str(len(self.nats.members)),
        }

    async def start(self, supervisor: Supervisor) -> None:
        mongods = await self.replica_set.build_programs()
        await gather_or_cancel(
            supervisor.run_program(program)
            for program in (*mongods, *self.nats.build_programs(), *self.seaweedfs.build_storage_programs())
        )
        await gather_or_cancel(
            [self.replica_set.initiate(), supervisor.run_program(self.seaweedfs.build_filer_program())]
        )
