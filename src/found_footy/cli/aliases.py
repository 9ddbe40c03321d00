"""`found-footy aliases`"""

from contextlib import AsyncExitStack
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from found_footy import app
from found_footy.cli import console
from found_footy.discovery.activities import Aliases
from found_footy.discovery.aliases import rule_aliases
from found_footy.discovery.messages import AliasSource
from found_footy.discovery.query import build_query
from found_footy.model.handoff import ResolveAliases
from found_footy.platform.errors import OutsideError
from found_footy.settings import Settings, load_settings

_NOBODY = "Player"


def command(
    team: Annotated[str, typer.Argument(help="The team's name, as the feed has it.")],
    country: Annotated[str | None, typer.Option(help="Its country; tells namesakes apart.")] = None,
    national: Annotated[bool, typer.Option("--national", help="A national team.")] = False,
    player: Annotated[str, typer.Option(help="Whose goal the query should be for.")] = _NOBODY,
    team_id: Annotated[int, typer.Option(help="The team's number in the feed, if known.")] = 0,
) -> int:
    """Show what a team would be searched by, who says so, and the query. Asks afresh; nothing is stored."""
    settings = load_settings().settings
    wanted = ResolveAliases(team_id, team, country, national)
    return console.run(lambda: show(settings, wanted, player))


async def show(settings: Settings, team: ResolveAliases, player: str) -> int:
    async with AsyncExitStack() as stack:
        rows = [await _answer(source, team) for source in app.alias_sources(settings, stack)]
    rows.append((AliasSource.RULES.value, rule_aliases(team.team_name), ""))
    used = next(place for place, (_, aliases, _) in enumerate(rows) if aliases)
    console.out.print(_table(rows, used))
    if not settings.discovery.wikidata:
        console.out.print("Wikidata is switched off.", highlight=False)
    elif not settings.discovery.wikidata_contact:
        console.out.print("Wikidata is not asked: set WIKIDATA_CONTACT to your e-mail or web address.", highlight=False)
    query = build_query(player, rows[used][1], team.team_name)
    console.out.print(f"query: {query}", highlight=False, markup=False, soft_wrap=True)
    return console.OK


async def _answer(source: Aliases, team: ResolveAliases) -> tuple[str, tuple[str, ...], str]:
    """Its name, what it says, and what was wrong if it could not be asked."""
    try:
        return source.source.value, await source.aliases(team), ""
    except OutsideError as error:
        return source.source.value, (), str(error)


def _table(rows: list[tuple[str, tuple[str, ...], str]], used: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("from", "aliases", ""):
        table.add_column(column)
    for place, (source, aliases, problem) in enumerate(rows):
        said = ", ".join(aliases) or problem or "does not know this team"
        table.add_row(source, said, "used" if place == used else "")
    return table
