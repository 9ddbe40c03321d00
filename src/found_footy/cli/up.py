"""`found-footy up`"""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live

from found_footy.cli import console, programs, table
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import logs
from found_footy.settings import Settings, external_servers, load_settings

_REFRESH_SECONDS = 1.0


def command(
    data_dir: Annotated[
        Path | None, typer.Option(help="Where data, logs and credentials are kept.", envvar="FOOTY_DATA_DIR")
    ] = None,
) -> int:
    """Run everything on this machine: MongoDB, Temporal, the object store, NATS, a worker and the page."""
    if data_dir is not None:
        os.environ["FOOTY_DATA_DIR"] = str(data_dir.absolute())
    settings = load_settings().settings
    logs.configure("WARNING" if console.interactive() else settings.log.level, settings.log.format, "up")
    return console.run(lambda: stay_up(settings))


async def stay_up(settings: Settings) -> int:
    async with Supervisor(settings.data_dir, external=external_servers(os.environ)) as supervisor:
        env = programs.environment(settings)
        await supervisor.run_program(programs.worker(settings, supervisor.endpoints, env))
        await supervisor.run_program(programs.web(settings, env))
        _greet(settings)
        await _show_until_over(supervisor)
    return console.OK


def _greet(settings: Settings) -> None:
    console.out.print(f"\n[bold]Found Footy[/] is up: [link]http://{settings.web.host}:{settings.web.port}[/]")
    console.out.print(f"data and logs: {settings.data_dir}   stop: Ctrl-C", highlight=False, soft_wrap=True)
    if not settings.fixtures.feed_key.get_secret_value():
        console.out.print("No fixtures will come: set API_FOOTBALL_KEY (docs/setup.md).", style="yellow")


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
