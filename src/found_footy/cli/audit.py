"""`found-footy audit`"""

from typing import Annotated

import typer

from found_footy.cli import clip, console
from found_footy.settings import load_settings


def command(
    target: Annotated[
        str, typer.Argument(help="A clip id, user:NAME or key:ID; by default everything.", metavar="[TARGET]")
    ] = "",
    by: Annotated[str, typer.Option(help="Only acts of this person.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of entries, newest first.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Show who did what to which clip, user or key, when, and with what result."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: clip.print_history(settings, target, limit, as_json, by))
