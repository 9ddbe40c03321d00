"""`found-footy up`"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from found_footy.cli import console, program_table, programs
from found_footy.cli.admin_link import print_first_admin_link
from found_footy.cli.program_environment import build_environment
from found_footy.embedded.endpoints import PlatformEndpoints, find_running_endpoints
from found_footy.embedded.nats import NatsServer
from found_footy.embedded.programs import ProgramSpec
from found_footy.embedded.server import EmbeddedServer
from found_footy.embedded.supervisor import ALL_SERVERS, Supervisor
from found_footy.embedded.temporal import TemporalServer, TemporalServerWithUi
from found_footy.platform import mongo
from found_footy.platform.errors import ConfigError, ExternalSystemError, NotFound
from found_footy.platform.free_port import find_free_port
from found_footy.platform.logs import ActionLogger
from found_footy.platform.tasks import cancel_and_wait
from found_footy.server_probes import probe_servers
from found_footy.settings import Settings, load_settings, read_external_servers
from found_footy.web.listening_socket import bind_socket

_REFRESH_INTERVAL_SECONDS = 1.0

logger = ActionLogger(__name__)


def command(
    data_dir: Annotated[
        Path | None, typer.Option(help="Directory of data, logs and credentials.", envvar="FOOTY_DATA_DIR")
    ] = None,
    servers_only: Annotated[
        bool, typer.Option("--servers-only", help="Run the servers without worker, page and search, as for a restore.")
    ] = False,
) -> int:
    """Run everything on this machine: MongoDB, Temporal, the object store, NATS, a worker, the page and the X
    search.
    """
    if data_dir is not None:
        os.environ["FOOTY_DATA_DIR"] = str(data_dir.absolute())
    settings = _assign_free_ports(load_settings().settings)
    console.start_logs(settings, "up", "WARNING" if console.is_interactive() else settings.log.level)
    return console.run_coroutine(lambda: run_platform(settings, servers_only=servers_only))


def _assign_free_ports(settings: Settings) -> Settings:
    """Choose free ports now: programs that are given an address start before the program behind it."""
    for variable, port in (("FOOTY_WEB__PORT", settings.web.port), ("FOOTY_XSEARCH__PORT", settings.xsearch.port)):
        if port == 0:
            os.environ[variable] = str(find_free_port())
    return load_settings().settings


async def run_platform(settings: Settings, *, servers_only: bool = False) -> int:
    _refuse_taken_port(settings)
    external = read_external_servers(os.environ)
    async with Supervisor(
        settings.data_dir,
        external=external,
        servers=_select_servers(settings),
        notifications=programs.build_notification_target(settings),
    ) as supervisor:
        await _refuse_broken_servers()
        if servers_only:
            console.out.print("The servers are up; stop them with Ctrl-C.")
            await _show_status_until_stopped(supervisor)
            return console.OK
        search = programs.build_search_program(settings, build_environment(settings))
        env = programs.add_search_url(build_environment(settings), search)
        token = ""
        if isinstance(search, ProgramSpec):
            chosen = settings.xsearch.token
            token = supervisor.announce_search(search.address, chosen.get_secret_value() if chosen else "")
        page = programs.build_web_program(settings, env)
        await supervisor.run_program(programs.build_worker_program(settings, supervisor.endpoints, env))
        await supervisor.run_program(page)
        _print_greeting(settings, page.address, supervisor.endpoints)
        await _offer_admin_link(page.address)
        await _start_search(supervisor, search, token)
        async with _scale_workers(settings, supervisor, env):
            await _show_status_until_stopped(supervisor)
    return console.OK


@asynccontextmanager
async def _scale_workers(settings: Settings, supervisor: Supervisor, env: Mapping[str, str]) -> AsyncIterator[None]:
    """Scale the workers on this machine during the block, if the settings say so. A scaler that fails is reported; the
    workers that run go on.
    """
    if settings.scaler.driver != "local":
        yield
        return
    # Imported where it is used: it loads the drivers of the stores, which `up` does without.
    scaler = import_module("found_footy.cli.scaler")
    task: asyncio.Task[None] = asyncio.create_task(scaler.scale_local_workers(supervisor, env), name="scaler")
    task.add_done_callback(_report_scaler_failure)
    try:
        yield
    finally:
        await cancel_and_wait([task])


def _report_scaler_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.error("the scaler has ended: %s", error, exc_info=error, action="scaler_ended")


def _select_servers(settings: Settings) -> tuple[type[EmbeddedServer], ...]:
    """NATS serves organization uploads only."""
    return tuple(
        TemporalServerWithUi if kind is TemporalServer and settings.temporal.page else kind
        for kind in ALL_SERVERS
        if settings.uploads.enabled or kind is not NatsServer
    )


def _refuse_taken_port(settings: Settings) -> None:
    """Check the page's port before anything starts: otherwise the conflict would be noticed last.

    If another `up` holds the data directory, that is the better explanation, and the supervisor gives it.
    """
    try:
        find_running_endpoints(settings.data_dir)
    except NotFound:
        bind_socket(settings.web).close()


async def _start_search(supervisor: Supervisor, search: ProgramSpec | str, token: str = "") -> None:
    """Start the search service. It is optional: everything else runs without it."""
    if not isinstance(search, ProgramSpec):
        console.out.print(search, highlight=False, markup=False, soft_wrap=True)
        return
    blocked = search.blocked_reason() if search.blocked_reason else ""
    if blocked:
        console.out.print(
            _describe_blocked_search(blocked, search.address), style="yellow", highlight=False, soft_wrap=True
        )
    await supervisor.run_program(search)
    if not blocked:
        console.out.print(
            "Log in to X at",
            _build_link(_search_page_url(search.address, token)),
            "if it asks for it.",
            highlight=False,
        )
        if token and not console.is_interactive():
            console.out.print("Its token is search_token in credentials.json of the data directory, or X_SEARCH_TOKEN.")


def _search_page_url(address: str, token: str) -> str:
    """Add the token only on an interactive terminal; other output may be a log that others can read."""
    return f"{address}/#token={token}" if token and console.is_interactive() else address


def _describe_blocked_search(blocked: str, address: str) -> str:
    return (
        f"No search service yet: {blocked}. If a search service of yours listens there, it is used; "
        "else stop the program that does, and it is started within a minute, or set FOOTY_XSEARCH__PORT=0. "
        f"`found-footy doctor` checks {address}."
    )


async def _refuse_broken_servers() -> None:
    """Raise ConfigError with the remedy if an external server is down or is not what it should be."""
    broken = [found for found in await probe_servers(load_settings().settings) if not found.ok]
    if broken:
        raise ConfigError("\n".join(f"{found.system}: {found.detail} → {found.remedy}" for found in broken))


def _print_greeting(settings: Settings, page: str, endpoints: PlatformEndpoints) -> None:
    console.out.print("\n[bold]Found Footy[/] is up:", _build_link(page))
    if endpoints.temporal_ui:
        console.out.print("workflows (Temporal's web UI):", _build_link(endpoints.temporal_ui))
    console.out.print(f"data and logs: {settings.data_dir}   stop: Ctrl-C", highlight=False, soft_wrap=True)
    if not settings.fixtures.feed_key.get_secret_value():
        console.out.print("No fixtures are ingested: set API_FOOTBALL_KEY (docs/operating.md).", style="yellow")


async def _offer_admin_link(page: str) -> None:
    """The page's own output is a log file, where the link does not belong. Without the link everything else runs, so a
    database that does not answer right now does not end the start.
    """
    settings = load_settings().settings
    known = settings.mongo
    try:
        async with mongo.connect(known.uri, known.database, timeout=known.timeout) as database:
            await print_first_admin_link(settings, database, page)
    except ExternalSystemError as error:
        console.err.print(
            f"No link for the first admin: {error}. Later: found-footy user add NAME --role admin",
            style="yellow",
            highlight=False,
            soft_wrap=True,
        )


def _build_link(address: str) -> Text:
    """Not as markup: an IPv6 address contains brackets."""
    return Text(address, f"link {address}")


async def _show_status_until_stopped(supervisor: Supervisor) -> None:
    if not console.is_interactive():
        await supervisor.wait()
        return
    over = asyncio.create_task(supervisor.wait())
    with Live(
        program_table.build_program_table(supervisor.list_statuses()), console=console.out, auto_refresh=False
    ) as live:
        while not over.done():
            live.update(program_table.build_program_table(supervisor.list_statuses()), refresh=True)
            await asyncio.wait({over}, timeout=_REFRESH_INTERVAL_SECONDS)
    await over
