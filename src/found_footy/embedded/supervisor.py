"""The supervisor: starts and watches the platform's servers and the product's own processes on one machine."""

import asyncio
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from found_footy.embedded import endpoints as published
from found_footy.embedded.credentials import load_credentials
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.lock import DataDirLock
from found_footy.embedded.mongodb import MongoServer
from found_footy.embedded.nats import NatsServer
from found_footy.embedded.ports import load_or_assign_ports, refuse_taken_ports
from found_footy.embedded.process_registry import kill_leftover_processes, record_processes
from found_footy.embedded.program_process import ProgramProcess
from found_footy.embedded.programs import ProgramSpec, ProgramStatus, RestartPolicy
from found_footy.embedded.seaweedfs import SeaweedServer
from found_footy.embedded.server import EmbeddedServer, NotificationTarget, ServerContext
from found_footy.embedded.temporal import TemporalServer
from found_footy.platform.disk import DiskFloorRule, format_size, measure_file_systems
from found_footy.platform.errors import ConfigError
from found_footy.platform.files import ensure_private_dir
from found_footy.platform.logs import ActionLogger

ALL_SERVERS: tuple[type[EmbeddedServer], ...] = (MongoServer, TemporalServer, SeaweedServer, NatsServer)
_LOG_CHECK_INTERVAL_SECONDS = 60.0
# mongod preallocates journal files of 100 MB, two of them when it starts; with less space it does not start at all.
_FULL_DISK_RULE = DiskFloorRule(share=0, min_bytes=250 * 10**6)

logger = ActionLogger(__name__)
_OPTIONAL_ENDPOINT_FIELDS = {"temporal_ui"}


class Supervisor:
    """`async with Supervisor(data_dir) as supervisor:` runs the platform; leaving the block stops it.

    Must be started from the main thread: the kernel ties a child's life to the thread that started it. `servers` are
    started except those that `external` configures, keyed by their fields of `PlatformEndpoints`. The object store
    sends notifications to the address in `notifications`. `abrupt` stops servers by SIGKILL, which is quick and safe
    for throw-away data.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        external: Mapping[str, str] | None = None,
        servers: Sequence[type[EmbeddedServer]] = ALL_SERVERS,
        notifications: NotificationTarget | None = None,
        restart_policy: RestartPolicy | None = None,
        abrupt: bool = False,
    ) -> None:
        self.data_dir = data_dir.absolute()
        self._external = dict(external or {})
        self._servers = servers
        self._notifications = notifications
        self._restart_policy = restart_policy or RestartPolicy()
        self._abrupt = abrupt
        self._lock = DataDirLock(self.data_dir)
        # In start order; programs of one group start and stop together.
        self._groups: list[list[ProgramProcess]] = []
        self._endpoints: PlatformEndpoints | None = None
        self._completion: asyncio.Future[None] | None = None
        self._log_rotation_task: asyncio.Task[None] | None = None

    @property
    def endpoints(self) -> PlatformEndpoints:
        if self._endpoints is None:
            raise RuntimeError("the platform is not running")
        return self._endpoints

    async def __aenter__(self) -> Self:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError(
                "a supervisor runs in the main thread: its children die with the thread that started them"
            )
        ensure_private_dir(self.data_dir)
        self._lock.acquire()
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def run_program(self, program: ProgramSpec) -> None:
        """Start another program, with a unique name, and keep it running; returns when it is ready or optional."""
        if program.name in {status.name for status in self.list_statuses()}:
            raise ValueError(f"{program.name} is running already")
        await self._start_group([program])

    def announce_search(self, address: str, token: str = "") -> str:
        """Publish the address of the search service, which may start later, and its token in the endpoints: the given
        token, else a generated one. Returns the token.
        """
        token = token or load_credentials(self.data_dir).search_token
        self._endpoints = replace(self.endpoints, search_url=address, search_token=token)
        published.publish_endpoints(self.data_dir, self._endpoints, os.getpid())
        return token

    async def stop_program(self, name: str) -> None:
        """Stop a program until `start_program` is called."""
        await self._find_process(name).stop()

    async def start_program(self, name: str) -> None:
        """Start a program that `stop_program` stopped; returns once it is ready."""
        await self._find_process(name).start(self._report_failure)

    def _find_process(self, name: str) -> ProgramProcess:
        return next(watch for group in self._groups for watch in group if watch.program.name == name)

    async def wait(self) -> None:
        """Return after `request_stop`; raise when a program was given up."""
        await asyncio.shield(self._require_completion())

    def request_stop(self) -> None:
        """Make `wait` return. May be called from a signal handler of the event loop."""
        if not self._require_completion().done():
            self._require_completion().set_result(None)

    def list_statuses(self) -> tuple[ProgramStatus, ...]:
        """The status of every program, in start order."""
        return tuple(watch.status for group in self._groups for watch in group)

    async def _start(self) -> None:
        self._completion = asyncio.get_running_loop().create_future()
        self._groups = []
        kill_leftover_processes(self.data_dir)
        kinds = select_servers(self._external, self._servers)
        site = ServerContext(
            self.data_dir,
            load_or_assign_ports(self.data_dir, [name for kind in kinds for name in kind.port_names]),
            load_credentials(self.data_dir),
            self._notifications,
        )
        for kind in kinds:
            refuse_taken_ports(self.data_dir, kind.name, {name: site.ports[name] for name in kind.port_names})
        servers = [kind(site) for kind in kinds]
        await self._start_group(await asyncio.gather(*(server.prepare() for server in servers)))
        given = {key: value for server in servers for key, value in server.endpoints().items()}
        secret = (self._notifications and self._notifications.secret) or site.credentials.notification_secret
        self._endpoints = PlatformEndpoints(**{"notification_secret": secret, **given, **self._external})
        published.publish_endpoints(self.data_dir, self._endpoints, os.getpid())
        self._log_rotation_task = asyncio.create_task(self._rotate_logs_periodically())

    async def _start_group(self, programs: Sequence[ProgramSpec]) -> None:
        logs = ensure_private_dir(self.data_dir / "logs")
        group = [
            ProgramProcess(
                self._apply_abrupt(p),
                logs / f"{p.name}.log",
                self._restart_policy,
                self._record_statuses,
                self._describe_full_disk,
            )
            for p in programs
        ]
        self._groups.append(group)
        await asyncio.gather(*(watch.start(self._report_failure) for watch in group))

    def _apply_abrupt(self, program: ProgramSpec) -> ProgramSpec:
        return replace(program, stop_grace=timedelta(0)) if self._abrupt else program

    def _report_failure(self, error: BaseException) -> None:
        if not self._require_completion().done():
            self._require_completion().set_exception(error)

    def _require_completion(self) -> asyncio.Future[None]:
        if self._completion is None:
            raise RuntimeError("the platform is not running")
        return self._completion

    async def _stop(self) -> None:
        """Stop the programs, the last started first. If interrupted, the kernel kills the rest when this
        process exits.
        """
        try:
            if self._log_rotation_task is not None:
                self._log_rotation_task.cancel()
            for group in reversed(self._groups):
                await asyncio.gather(*(watch.stop() for watch in group))
        finally:
            self._endpoints = None
            published.withdraw_endpoints(self.data_dir)
            if self._completion is not None and self._completion.done():
                self._completion.exception()  # mark it as retrieved, if nobody waited for it
            self._lock.release()

    async def _rotate_logs_periodically(self) -> None:
        while True:
            await asyncio.sleep(_LOG_CHECK_INTERVAL_SECONDS)
            for watch in [watch for group in self._groups for watch in group]:
                try:
                    watch.rotate_log()
                except OSError as error:  # a full disk; rotating the log would not help
                    name = watch.program.name
                    logger.warning(
                        "the log of %s could not be bounded: %s", name, error, action="log_not_bounded", program=name
                    )

    def _describe_full_disk(self) -> str:
        """Return why the servers cannot write, empty if there is enough space."""
        for at in measure_file_systems([self.data_dir]):
            if at.free < _FULL_DISK_RULE.floor_bytes(at.total):
                return f"the disk of {self.data_dir} is full ({format_size(at.free)} of {format_size(at.total)} free)"
        return ""

    def _record_statuses(self) -> None:
        record_processes(self.data_dir, self.list_statuses())


def select_servers(
    external: Mapping[str, str], servers: Sequence[type[EmbeddedServer]] = ALL_SERVERS
) -> list[type[EmbeddedServer]]:
    """Return the servers to start here; raises ConfigError if an external one is configured incompletely."""
    if unknown := set(external) - {field.name for field in fields(PlatformEndpoints)}:
        raise ConfigError(f"unknown endpoint {', '.join(sorted(unknown))}")
    needed = []
    for kind in servers:
        missing = [
            name for name in kind.endpoint_fields if name not in external and name not in _OPTIONAL_ENDPOINT_FIELDS
        ]
        given = [name for name in kind.endpoint_fields if name in external]
        if missing and given:
            raise ConfigError(f"{', '.join(given)} is given, so {', '.join(missing)} must be given too")
        if missing:
            needed.append(kind)
    return needed
