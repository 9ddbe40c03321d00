"""The clubs of the simulated Saturday: who they are, what people call them, and who may score for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from found_footy.sim.query import folded
from found_footy.sim.script.model import League, Person, Team

_FILE = files("found_footy.sim.world") / "clubs.txt"
_ROUND, _CUP_ROUND = "Regular Season - 12", "3rd Round"


@dataclass(frozen=True)
class Player:
    """`called` is what people write, without accents."""

    id: int
    name: str
    called: str

    @property
    def person(self) -> Person:
        return Person(self.name, self.id)


@dataclass(frozen=True)
class Club:
    team: Team
    aliases: tuple[str, ...]
    players: tuple[Player, ...]


@dataclass(frozen=True)
class Country:
    league: League
    cup: League
    clubs: tuple[Club, ...]


@lru_cache(maxsize=1)
def countries() -> tuple[Country, ...]:
    blocks = _FILE.read_text(encoding="utf-8").split("\nleague ")[1:]
    return tuple(_country(block) for block in blocks)


@lru_cache(maxsize=1)
def clubs() -> dict[int, Club]:
    """Every club by its id."""
    return {club.team.id: club for country in countries() for club in country.clubs}


def _country(block: str) -> Country:
    head, *lines = [line for line in block.splitlines() if line.strip()]
    number, name, nation, cup_number, cup = _cells(head)
    return Country(
        League(name, int(number), nation, round=_ROUND),
        League(cup, int(cup_number), nation, round=_CUP_ROUND),
        tuple(_club(line) for line in lines),
    )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _club(line: str) -> Club:
    number, name, short, kit, aliases, players = _cells(line)
    shirt, _, shorts = kit.partition("/")
    team = Team(name, int(number), short, (shirt, shorts))
    return Club(team, tuple(alias.strip() for alias in aliases.split(",")), tuple(_players(int(number), players)))


def _players(club: int, listed: str) -> Iterator[Player]:
    for index, told in enumerate(listed.split(",")):
        name, _, called = (part.strip() for part in told.partition("="))
        plain = folded(called or name.split()[-1])
        yield Player(600_000 + club * 100 + index, name, " ".join(word.capitalize() for word in plain.split()))
