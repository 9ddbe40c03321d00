"""The clubs of the simulated match day: their names, nicknames and possible scorers."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from found_footy_sim.script.model import FeedPerson, SimulatedLeague, SimulatedTeam
from found_footy_sim.search_query import fold_text

_CLUBS_FILE = files("found_footy_sim.world") / "clubs.txt"
_LEAGUE_ROUND, _CUP_ROUND = "Regular Season - 12", "3rd Round"


@dataclass(frozen=True)
class ClubPlayer:
    """`common_name` is what people write, without accents."""

    id: int
    name: str
    common_name: str

    @property
    def person(self) -> FeedPerson:
        return FeedPerson(self.name, self.id)


@dataclass(frozen=True)
class FootballClub:
    team: SimulatedTeam
    aliases: tuple[str, ...]
    players: tuple[ClubPlayer, ...]


@dataclass(frozen=True)
class CountryCompetitions:
    league: SimulatedLeague
    cup: SimulatedLeague
    clubs: tuple[FootballClub, ...]


@lru_cache(maxsize=1)
def load_countries() -> tuple[CountryCompetitions, ...]:
    blocks = _CLUBS_FILE.read_text(encoding="utf-8").split("\nleague ")[1:]
    return tuple(_parse_country(block) for block in blocks)


@lru_cache(maxsize=1)
def clubs_by_id() -> dict[int, FootballClub]:
    """Return every club by its id."""
    return {club.team.id: club for country in load_countries() for club in country.clubs}


def _parse_country(block: str) -> CountryCompetitions:
    head, *lines = [line for line in block.splitlines() if line.strip()]
    number, name, nation, cup_number, cup = _split_cells(head)
    return CountryCompetitions(
        SimulatedLeague(name, int(number), nation, round=_LEAGUE_ROUND),
        SimulatedLeague(cup, int(cup_number), nation, round=_CUP_ROUND),
        tuple(_parse_club(line) for line in lines),
    )


def _split_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _parse_club(line: str) -> FootballClub:
    number, name, short, kit, aliases, players = _split_cells(line)
    shirt, _, shorts = kit.partition("/")
    team = SimulatedTeam(name, int(number), short, (shirt, shorts))
    return FootballClub(
        team, tuple(alias.strip() for alias in aliases.split(",")), tuple(_parse_players(int(number), players))
    )


def _parse_players(club: int, listed: str) -> Iterator[ClubPlayer]:
    for index, entry in enumerate(listed.split(",")):
        name, _, called = (part.strip() for part in entry.partition("="))
        plain = fold_text(called or name.split()[-1])
        yield ClubPlayer(600_000 + club * 100 + index, name, " ".join(word.capitalize() for word in plain.split()))
