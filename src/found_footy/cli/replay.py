"""`found-footy replay`. Exit code 0: every history replays; 1: some do not; 2: wrong use."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Annotated

import typer
from temporalio.client import WorkflowHistory

from found_footy.cli import console
from found_footy.platform.temporal import client as temporal
from found_footy.platform.temporal.replay import (
    ReplayOutcome,
    fetch_open_histories,
    read_histories,
    replay_histories,
)
from found_footy.settings import Settings, load_settings
from found_footy.worker import WORKFLOWS


def command(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder of histories as JSON; without it, those of running workflows.")
    ] = None,
    limit: Annotated[int, typer.Option(help="Most running workflows that are replayed.", min=1)] = 1000,
) -> int:
    """Check that workflows in progress can go on with this build, before its workers start."""
    settings = load_settings().settings
    if folder is None:
        return console.run_coroutine(lambda: _replay_running(settings, limit))
    return console.run_coroutine(lambda: _replay_folder(folder))


async def _replay_folder(folder: Path) -> int:
    return await print_outcomes(replay_histories(WORKFLOWS, _iterate(read_histories(folder))))


async def _replay_running(settings: Settings, limit: int) -> int:
    named = settings.temporal
    async with temporal.connect(named.address, named.namespace, access=named.access) as client:
        return await print_outcomes(replay_histories(WORKFLOWS, fetch_open_histories(client, limit)))


async def _iterate(histories: Iterable[WorkflowHistory]) -> AsyncIterator[WorkflowHistory]:
    for history in histories:
        yield history


async def print_outcomes(outcomes: AsyncIterator[ReplayOutcome]) -> int:
    """Print every failure and a summary."""
    replayed = failed = 0
    async for one in outcomes:
        replayed += 1
        if one.failure:
            failed += 1
            text = f"{one.workflow_type} {one.workflow_id}: {one.failure}"
            console.err.print(text, style="red", markup=False, highlight=False, soft_wrap=True)
    console.out.print(f"{replayed} histories, {failed} do not replay", highlight=False)
    return console.FAILED if failed else console.OK
