"""`found-footy up`"""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from found_footy.cli import console, programs, table
from found_footy.cli.demo_world import free_port
from found_footy.cli.program_environment import environment
from found_footy.embedded.endpoints import Endpoints, find_running
from found_footy.embedded.programs import Program
from found_footy.embedded.site import Server
from found_footy.embedded.supervisor import NEEDED, Supervisor
from found_footy.embedded.temporal import Temporal, TemporalWithPage
from found_footy.health import probe_everything
from found_footy.platform.errors import ConfigError, NotFound
from found_footy.settings import Settings, external_servers, load_settings
from found_footy.web.server import listening

_REFRESH_SECONDS = 1.0


def command(
    data_dir: Annotated[
        Path | None, typer.Option(help="Where data, logs and credentials are kept.", envvar="FOOTY_DATA_DIR")
    ] = None,
) -> int:
    """Run everything on this machine: MongoDB, Temporal, the object store, a worker, the page and the X search."""
    if data_dir is not None:
        os.environ["FOOTY_DATA_DIR"] = str(data_dir.absolute())
    settings = _with_ports(load_settings().settings)
    console.start_logs(settings, "up", "WARNING" if console.interactive() else settings.log.level)
    return console.run(lambda: stay_up(settings))


def _with_ports(settings: Settings) -> Settings:
    """A free port is chosen here and now: who is told of a program's address is started before it."""
    for variable, port in (("FOOTY_WEB__PORT", settings.web.port), ("FOOTY_XSEARCH__PORT", settings.xsearch.port)):
        if port == 0:
            os.environ[variable] = str(free_port())
    return load_settings().settings


async def stay_up(settings: Settings) -> int:
    _refuse_taken_port(settings)
    external = external_servers(os.environ)
    async with Supervisor(settings.data_dir, external=external, servers=_servers(settings)) as supervisor:
        await _refuse_broken_servers()
        search = programs.search_service(settings, environment(settings))
        env = programs.with_search(environment(settings), search)
        token = ""
        if isinstance(search, Program):
            chosen = settings.xsearch.token
            token = supervisor.announce_search(search.address, chosen.get_secret_value() if chosen else "")
        page = programs.web(settings, env)
        await supervisor.run_program(programs.worker(settings, supervisor.endpoints, env))
        await supervisor.run_program(page)
        _greet(settings, page.address, supervisor.endpoints)
        await _run_search(supervisor, search, token)
        await _show_until_over(supervisor)
    return console.OK


def _servers(settings: Settings) -> tuple[type[Server], ...]:
    return tuple(TemporalWithPage if kind is Temporal and settings.temporal.page else kind for kind in NEEDED)


def _refuse_taken_port(settings: Settings) -> None:
    """Before anything is started: a page that cannot listen would otherwise be noticed last.

    Where another `up` holds the data directory, that is the better explanation, and the supervisor gives it.
    """
    try:
        find_running(settings.data_dir)
    except NotFound:
        listening(settings.web).close()


async def _run_search(supervisor: Supervisor, search: Program | str, token: str = "") -> None:
    """Clips are found by it, but everything else goes on without it."""
    if not isinstance(search, Program):
        console.out.print(search, highlight=False, markup=False, soft_wrap=True)
        return
    blocked = search.blocked() if search.blocked else ""
    if blocked:
        console.out.print(_instead(blocked, search.address), style="yellow", highlight=False, soft_wrap=True)
    await supervisor.run_program(search)
    if not blocked:
        console.out.print(
            "Log in to X at", _link(_page_of(search.address, token)), "if it asks for it.", highlight=False
        )
        if token and not console.interactive():
            console.out.print("Its token is search_token in credentials.json of the data directory, or X_SEARCH_TOKEN.")


def _page_of(address: str, token: str) -> str:
    """With the token for people at a screen; what is not one may be a log that others read."""
    return f"{address}/#token={token}" if token and console.interactive() else address


def _instead(blocked: str, address: str) -> str:
    return (
        f"No search service yet: {blocked}. If a search service of yours listens there, it is used; else end what "
        f"does, and it is started within a minute, or set FOOTY_XSEARCH__PORT=0. `found-footy doctor` asks {address}."
    )


async def _refuse_broken_servers() -> None:
    """A server that is named by address may be down, or not what it should be; say so now, with what to do."""
    broken = [found for found in await probe_everything(load_settings().settings) if not found.ok]
    if broken:
        raise ConfigError("\n".join(f"{found.system}: {found.detail} → {found.remedy}" for found in broken))


def _greet(settings: Settings, page: str, endpoints: Endpoints) -> None:
    console.out.print("\n[bold]Found Footy[/] is up:", _link(page))
    if endpoints.temporal_ui:
        console.out.print("its workflows, on Temporal's page:", _link(endpoints.temporal_ui))
    console.out.print(f"data and logs: {settings.data_dir}   stop: Ctrl-C", highlight=False, soft_wrap=True)
    if not settings.fixtures.feed_key.get_secret_value():
        console.out.print("No fixtures will come: set API_FOOTBALL_KEY (docs/setup.md).", style="yellow")


def _link(address: str) -> Text:
    """Not as markup: an address of IPv6 has brackets of its own."""
    return Text(address, f"link {address}")


async def _show_until_over(supervisor: Supervisor) -> None:
    if not console.interactive():
        await supervisor.wait()
        return
    over = asyncio.create_task(supervisor.wait())
    with Live(table.of_programs(supervisor.status()), console=console.out, auto_refresh=False) as live:
        while not over.done():
            live.update(table.of_programs(supervisor.status()), refresh=True)
            await asyncio.wait({over}, timeout=_REFRESH_SECONDS)
    await over
