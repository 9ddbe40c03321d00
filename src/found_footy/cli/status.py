"""`found-footy status`"""

import os
from collections.abc import Mapping

from found_footy.cli import console
from found_footy.embedded.endpoints import find_running_endpoints
from found_footy.platform.errors import NotFound
from found_footy.settings import Settings, load_settings, read_external_servers
from found_footy.web.deps import DependencyStatus


def command() -> int:
    """Show fixtures, goals, clips, sources and queues."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: show_status(settings))


def is_down(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Whether this machine should run the servers itself, and does not."""
    if read_external_servers(environ):
        return False
    try:
        find_running_endpoints(settings.data_dir)
    except NotFound:
        return True
    return False


def print_start_hint(settings: Settings) -> None:
    console.err.print(
        f"\nFound Footy is not running here (data directory {settings.data_dir}): run `found-footy up` (`make up`)",
        style="red",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


async def show_status(settings: Settings) -> int:
    if is_down(settings, os.environ):
        print_start_hint(settings)
        return console.FAILED
    # Imported only now: where nothing runs, the drivers of its servers need not be loaded to say so.
    from found_footy.cli.running_status import print_running_status  # noqa: PLC0415

    await print_running_status(settings)
    return console.OK


def print_dependency(dependency: DependencyStatus) -> None:
    mark = "[green]✓[/]" if dependency.ok else "[red]✗[/]"
    console.out.print(f"{mark} [bold]{dependency.name}[/]", highlight=False)
    console.out.print(f"  {dependency.detail}", markup=False, highlight=False, soft_wrap=True)
    if dependency.remedy:
        console.out.print(f"  → {dependency.remedy}", style="yellow", markup=False, highlight=False, soft_wrap=True)
