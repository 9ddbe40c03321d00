"""`found-footy aliases`"""

from contextlib import AsyncExitStack
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from found_footy import source_factory
from found_footy.cli import console
from found_footy.discovery.activities import AliasProvider
from found_footy.discovery.aliases.combine import combine_aliases, rule_aliases
from found_footy.discovery.messages import AliasSource
from found_footy.discovery.query.builder import build_query
from found_footy.domain.messages import ResolveAliases
from found_footy.domain.national_teams import is_national_team
from found_footy.platform.errors import ExternalSystemError
from found_footy.settings import Settings, load_settings

_PLACEHOLDER_PLAYER = "Player"


def command(
    team: Annotated[str, typer.Argument(help="The team's name, as the feed has it.")],
    country: Annotated[str | None, typer.Option(help="Its country; distinguishes teams of the same name.")] = None,
    national: Annotated[bool, typer.Option("--national", help="A national team.")] = False,
    player: Annotated[str, typer.Option(help="The scorer that the query is built for.")] = _PLACEHOLDER_PLAYER,
    team_id: Annotated[int, typer.Option(help="The team's number in the feed, if known.")] = 0,
) -> int:
    """Show the aliases that a team is searched by, their sources, and the query. Stores nothing."""
    settings = load_settings().settings
    wanted = ResolveAliases(team_id, team, country, national or (country is None and is_national_team(team)))
    return console.run_coroutine(lambda: show_aliases(settings, wanted, player))


async def show_aliases(settings: Settings, team: ResolveAliases, player: str) -> int:
    async with AsyncExitStack() as stack:
        rows = [await _ask_source(source, team) for source in source_factory.build_alias_sources(settings, stack)]
    said = {source: aliases for source, aliases, _ in rows}
    rows.append((AliasSource.RULES, rule_aliases(team.team_name), ""))
    console.out.print(_build_table(rows, by_rules=not any(said.values())))
    if not settings.discovery.wikidata:
        console.out.print("Wikidata is switched off.", highlight=False)
    elif not settings.discovery.wikidata_contact:
        console.out.print(
            "Wikidata is not queried: set WIKIDATA_CONTACT to your e-mail or web address.", highlight=False
        )
    query = build_query(player, combine_aliases(team.team_name, said), team.team_name)
    console.out.print(f"query: {query}", highlight=False, markup=False, soft_wrap=True)
    return console.OK


async def _ask_source(source: AliasProvider, team: ResolveAliases) -> tuple[AliasSource, tuple[str, ...], str]:
    """Return the provider's name, its aliases, and the error if it failed."""
    try:
        return source.source, await source.find_aliases(team), ""
    except ExternalSystemError as error:
        return source.source, (), str(error)


def _build_table(rows: list[tuple[AliasSource, tuple[str, ...], str]], *, by_rules: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("from", "aliases", ""):
        table.add_column(column)
    for source, aliases, problem in rows:
        said = ", ".join(aliases) or problem or "does not know this team"
        used = bool(aliases) and by_rules is (source is AliasSource.RULES)
        table.add_row(source.value, said, "used" if used else "")
    return table
