"""Three NATS servers as one JetStream cluster."""

from pathlib import Path
from typing import ClassVar

from found_footy.embedded.nats import check_jetstream, find_nats_server
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import ServerContext
from found_footy.platform.files import write_private
from found_footy_sim.cluster.timing import READY_TIMEOUT


class NatsCluster:
    members: ClassVar[tuple[str, ...]] = ("nats-1", "nats-2", "nats-3")
    port_names: ClassVar[tuple[str, ...]] = (*members, *(f"{name}-route" for name in members))

    def __init__(self, context: ServerContext) -> None:
        self._context = context

    @property
    def url(self) -> str:
        return ",".join(map(self.url_of, self.members))

    def url_of(self, name: str) -> str:
        return f"nats://{self._user_info}@{HOST}:{self._context.ports[name]}"

    def build_programs(self) -> list[ProgramSpec]:
        binary = find_nats_server()
        return [self._build_program(binary, name) for name in self.members]

    @property
    def _user_info(self) -> str:
        return f"{self._context.credentials.nats_user}:{self._context.credentials.nats_password}"

    def _build_program(self, binary: Path, name: str) -> ProgramSpec:
        home, port = self._context.make_directory(name), self._context.ports[name]
        config = home / "nats.conf"
        write_private(config, self._build_config(name, home / "store"))

        async def probe() -> None:
            await check_jetstream(port, self.url_of(name))

        return ProgramSpec(
            name,
            (str(binary), "--config", str(config)),
            ready_probe=probe,
            env=self._context.build_environment(home),
            cwd=home,
            ready_timeout=READY_TIMEOUT,
            address=f"{HOST}:{port}",
        )

    def _build_config(self, name: str, store: Path) -> str:
        credentials, ports = self._context.credentials, self._context.ports
        login = f'authorization {{ user: "{credentials.nats_user}", password: "{credentials.nats_password}" }}'
        routes = ", ".join(f'"nats://{self._user_info}@{HOST}:{ports[f"{peer}-route"]}"' for peer in self.members)
        lines = (
            f'server_name: "{name}"',
            f'listen: "{HOST}:{ports[name]}"',
            login,
            f'jetstream {{ store_dir: "{store}" }}',
            f'cluster {{ name: "found-footy", listen: "{HOST}:{ports[f"{name}-route"]}"',
            f"  {login}",
            f"  routes: [{routes}] }}",
        )
        return "\n".join(lines) + "\n"
