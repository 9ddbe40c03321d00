"""SeaweedFS in parts: three masters, three volume servers that keep two copies of everything, one filer with the S3
port.
"""

from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import ProgramProbe, ProgramSpec
from found_footy.embedded.seaweedfs import build_s3_identities, build_security_config, check_object_store, find_weed
from found_footy.embedded.server import ServerContext, check_listening
from found_footy.platform.files import write_private
from found_footy_sim.cluster.timing import READY_TIMEOUT

# One copy on another volume server of the same rack.
_REPLICATION = "001"
# SeaweedFS creates its sockets here; the path is not configurable.
_SOCKET_DIR = Path("/tmp")  # noqa: S108


class SeaweedCluster:
    """With two copies on three volume servers, one of these may be lost: what it stored is read from the other copy,
    and new objects go to the two that remain.
    """

    masters: ClassVar[tuple[str, ...]] = ("seaweedfs-master-1", "seaweedfs-master-2", "seaweedfs-master-3")
    volumes: ClassVar[tuple[str, ...]] = ("seaweedfs-volume-1", "seaweedfs-volume-2", "seaweedfs-volume-3")
    port_names: ClassVar[tuple[str, ...]] = tuple(
        name for part in (*masters, *volumes, "seaweedfs-filer", "seaweedfs-s3") for name in (part, f"{part}-grpc")
    )

    def __init__(self, context: ServerContext) -> None:
        self._context = context

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self._context.ports['seaweedfs-s3']}"

    def build_storage_programs(self) -> list[ProgramSpec]:
        """Masters and volume servers, which must run before the filer."""
        return [
            *(self._build_program(name, self._master_flags(name)) for name in self.masters),
            *(self._build_program(name, self._volume_flags(name)) for name in self.volumes),
        ]

    def build_filer_program(self) -> ProgramSpec:
        async def probe() -> None:
            await check_listening("SeaweedFS", self._context.ports["seaweedfs-s3"])
            await check_object_store(self._context.ports["seaweedfs-s3"], self._context.credentials)

        return self._build_program("seaweedfs-filer", self._filer_flags(), probe)

    def _build_program(self, name: str, flags: tuple[str, ...], probe: ProgramProbe | None = None) -> ProgramSpec:
        home, ports = self._context.make_directory(name), self._context.ports
        write_private(home / "security.toml", build_security_config(self._context.credentials))

        async def check_port() -> None:
            await check_listening("SeaweedFS", ports[name])

        return ProgramSpec(
            name,
            (str(find_weed()), "-logtostderr=true", *flags, f"-ip={HOST}", f"-ip.bind={HOST}"),
            ready_probe=probe or check_port,
            cwd=home,
            ready_timeout=READY_TIMEOUT,
            address=f"{HOST}:{ports[name]}",
            stop_grace=timedelta(seconds=15),
            leftover_files=self._socket_paths(name),
            env={**self._context.build_environment(home), "GOMEMLIMIT": "200MiB"},
        )

    def _socket_paths(self, name: str) -> tuple[Path, ...]:
        parts = (name, "seaweedfs-s3") if name == "seaweedfs-filer" else (name,)
        return tuple(
            _SOCKET_DIR / f"seaweedfs-{part.split('-')[1]}-grpc-{self._context.ports[f'{part}-grpc']}.sock"
            for part in parts
        )

    def _port_flags(self, name: str, prefix: str = "") -> tuple[str, ...]:
        ports = self._context.ports
        return (f"-{prefix}port={ports[name]}", f"-{prefix}port.grpc={ports[f'{name}-grpc']}")

    @property
    def _master_addresses(self) -> str:
        return ",".join(f"{HOST}:{self._context.ports[name]}" for name in self.masters)

    def _master_flags(self, name: str) -> tuple[str, ...]:
        return (
            "master",
            *self._port_flags(name),
            f"-mdir={self._context.make_directory(f'{name}/data')}",
            f"-peers={self._master_addresses}",
            f"-defaultReplication={_REPLICATION}",
            # The default of 30 GB is more than the test's disk may have.
            "-volumeSizeLimitMB=200",
            "-telemetry=false",
            "-disableHttp",
        )

    def _volume_flags(self, name: str) -> tuple[str, ...]:
        return (
            "volume",
            *self._port_flags(name),
            f"-dir={self._context.make_directory(f'{name}/data')}",
            f"-master={self._master_addresses}",
            "-max=200",
        )

    def _filer_flags(self) -> tuple[str, ...]:
        home = self._context.make_directory("seaweedfs-filer")
        identities = home / "s3.json"
        write_private(identities, build_s3_identities(self._context.credentials))
        return (
            "filer",
            *self._port_flags("seaweedfs-filer"),
            f"-master={self._master_addresses}",
            f"-defaultStoreDir={self._context.make_directory('seaweedfs-filer/data')}",
            f"-defaultReplicaPlacement={_REPLICATION}",
            "-disableHttp",
            "-localSocket=filer.sock",
            "-s3",
            *self._port_flags("seaweedfs-s3", "s3."),
            f"-s3.config={identities}",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-s3.localSocket=s3.sock",
        )
