"""`found-footy rollout`"""

from typing import Annotated

import typer

from found_footy.cli import console
from found_footy.platform.errors import ConfigError
from found_footy.platform.temporal import client as temporal
from found_footy.platform.temporal.versions import default_build, fetch_deployment, make_current
from found_footy.settings import Settings, load_settings


def command(
    build: Annotated[str, typer.Option(help="Build id to make the current one; by default that of this build.")] = "",
    show: Annotated[bool, typer.Option("--show", help="Only show the builds and which one is current.")] = False,
) -> int:
    """Let new runs begin on this build; runs in progress end on theirs (docs/scaling.md)."""
    settings = load_settings().settings
    if not settings.worker.deployment:
        raise ConfigError("FOOTY_WORKER__DEPLOYMENT is not set, so workers are not versioned")
    wanted = build or settings.worker.build or default_build()
    return console.run_coroutine(lambda: _show_builds(settings) if show else roll_out(settings, wanted))


async def roll_out(settings: Settings, build: str) -> int:
    named, deployment = settings.temporal, settings.worker.deployment
    async with temporal.connect(named.address, named.namespace, access=named.access) as client:
        await make_current(client, deployment, build)
    console.out.print(f"new runs of {deployment} begin on {build}", highlight=False, markup=False)
    return console.OK


async def _show_builds(settings: Settings) -> int:
    named = settings.temporal
    async with temporal.connect(named.address, named.namespace, access=named.access) as client:
        state = await fetch_deployment(client, settings.worker.deployment)
    for build in state.builds:
        mark = "current" if build == state.current else ""
        console.out.print(f"{build}  {mark}".rstrip(), highlight=False, markup=False)
    if not state.current:
        console.out.print("no build is current: new runs wait for unversioned workers", style="yellow")
    return console.OK
