"""Who plays whom, when, and what is special about it."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from found_footy.sim.feed.timeline import timeline
from found_footy.sim.script.model import (
    Anchor,
    Does,
    Edge,
    Effect,
    Ending,
    Match,
    Position,
    Stop,
    Window,
)
from found_footy.sim.world.clubs import Club, Country, countries
from found_footy.sim.world.sizes import Fate, Shape

_FIRST_ID = 1_500_000


def matches(shape: Shape, random: Random, seed: int) -> list[tuple[Match, Fate]]:
    """The fixtures in the order of their kick-offs."""
    count = sum(number for _, number in shape.waves)
    pairs = _pairs(random)[:count]
    fates = [*shape.fates, *[Fate.PLAIN] * (count - len(shape.fates))]
    random.shuffle(fates)
    kickoffs = [start for start, number in shape.waves for _ in range(number)]
    first = _FIRST_ID + seed % 4_000 * 100
    rows = zip(pairs, fates, kickoffs, strict=True)
    return [
        (_match(first + index, pair, fate, kickoff, shape, random), fate)
        for index, (pair, fate, kickoff) in enumerate(rows)
    ]


def _pairs(random: Random) -> list[tuple[Country, Club, Club]]:
    """All clubs of every league in pairs, leagues mixed."""
    pairs = [pair for country in countries() for pair in _paired(country, random)]
    random.shuffle(pairs)
    return pairs


def _paired(country: Country, random: Random) -> Iterator[tuple[Country, Club, Club]]:
    drawn = random.sample(country.clubs, len(country.clubs))
    for home, away in zip(drawn[::2], drawn[1::2], strict=False):
        yield country, home, away


def _match(
    number: int, pair: tuple[Country, Club, Club], fate: Fate, kickoff: float, shape: Shape, random: Random
) -> Match:
    country, home, away = pair
    cup = fate in (Fate.EXTRA_TIME, Fate.SHOOT_OUT)
    match = Match(
        number, country.cup if cup else country.league, home.team, replace(away.team, kit=_away_kit(home, away)),
        kickoff + random.uniform(0, 0.9), (random.randint(1, 4), random.randint(3, 6), 1, 1), 15.0,
        extra_time=cup, shoot_out=fate is Fate.SHOOT_OUT,
    )  # fmt: skip
    match = _fated(match, fate, random)
    if shape.late is None:
        return match
    return replace(match, kickoff=shape.late[2] + random.uniform(0, 1.5) - timeline(match).end)


def _away_kit(home: Club, away: Club) -> tuple[str, str]:
    """Their own, unless it looks like the other side's."""
    own, other = away.team.kit[0], home.team.kit[0]
    apart = sum(abs(int(own[i : i + 2], 16) - int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return away.team.kit if apart > 180 else ("#1c1f26", "#f2d21b") if _bright(other) else ("#f2efe6", "#1c1f26")


def _bright(colour: str) -> bool:
    return sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) > 380


def _fated(match: Match, fate: Fate, random: Random) -> Match:
    match fate:
        case Fate.POSTPONED:
            window = Window(Edge(position=Position(Anchor.KICKOFF, offset=-40)))
            return replace(match, effects=(Effect(window, Does.STATUS, code="PST"),))
        case Fate.ABANDONED:
            return replace(match, ending=Ending(Position(Anchor.MINUTE, random.randint(64, 78)), "ABD"))
        case Fate.INTERRUPTED:
            return replace(match, stops=(Stop(Position(Anchor.MINUTE, random.randint(30, 40)), 9.0, "INT"),))
    return match
