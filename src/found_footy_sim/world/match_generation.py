"""Generates the fixtures: teams, kickoff, and kind of match."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from found_footy_sim.feed.timeline import build_timeline
from found_footy_sim.script.model import (
    EarlyEnding,
    FeedEffect,
    FeedEffectKind,
    FeedWindow,
    MatchPosition,
    PlayStoppage,
    PositionAnchor,
    SimulatedMatch,
    WindowEdge,
)
from found_footy_sim.world.clubs import CountryCompetitions, FootballClub, load_countries
from found_footy_sim.world.sizes import MatchKind, WorldShape

_FIRST_FIXTURE_ID = 1_500_000


def generate_matches(shape: WorldShape, random: Random, seed: int) -> list[tuple[SimulatedMatch, MatchKind]]:
    """Return the fixtures in the order of their kickoffs."""
    count = sum(number for _, number in shape.waves)
    pairs = _draw_pairs(random)[:count]
    fates = [*shape.match_kinds, *[MatchKind.PLAIN] * (count - len(shape.match_kinds))]
    random.shuffle(fates)
    kickoffs = [start for start, number in shape.waves for _ in range(number)]
    first = _FIRST_FIXTURE_ID + seed % 4_000 * 100
    rows = zip(pairs, fates, kickoffs, strict=True)
    return [
        (_generate_match(first + index, pair, match_kind, kickoff, shape, random), match_kind)
        for index, (pair, match_kind, kickoff) in enumerate(rows)
    ]


def _draw_pairs(random: Random) -> list[tuple[CountryCompetitions, FootballClub, FootballClub]]:
    """Pair all clubs of every league, leagues mixed."""
    pairs = [pair for country in load_countries() for pair in _pair_clubs(country, random)]
    random.shuffle(pairs)
    return pairs


def _pair_clubs(
    country: CountryCompetitions, random: Random
) -> Iterator[tuple[CountryCompetitions, FootballClub, FootballClub]]:
    drawn = random.sample(country.clubs, len(country.clubs))
    for home, away in zip(drawn[::2], drawn[1::2], strict=False):
        yield country, home, away


def _generate_match(
    number: int,
    pair: tuple[CountryCompetitions, FootballClub, FootballClub],
    kind: MatchKind,
    kickoff: float,
    shape: WorldShape,
    random: Random,
) -> SimulatedMatch:
    country, home, away = pair
    cup = kind in (MatchKind.EXTRA_TIME, MatchKind.SHOOT_OUT)
    match = SimulatedMatch(
        number,
        country.cup if cup else country.league,
        home.team,
        replace(away.team, kit=_choose_away_kit(home, away)),
        kickoff + random.uniform(0, 0.9),
        (random.randint(1, 4), random.randint(3, 6), 1, 1),
        15.0,
        extra_time=cup,
        shoot_out=kind is MatchKind.SHOOT_OUT,
    )
    match = _apply_kind(match, kind, random)
    if shape.late_window is None:
        return match
    return replace(match, kickoff=shape.late_window[2] + random.uniform(0, 1.5) - build_timeline(match).end)


def _choose_away_kit(home: FootballClub, away: FootballClub) -> tuple[str, str]:
    """Their own kit, unless it resembles the other side's."""
    own, other = away.team.kit[0], home.team.kit[0]
    apart = sum(abs(int(own[i : i + 2], 16) - int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return away.team.kit if apart > 180 else ("#1c1f26", "#f2d21b") if _is_bright(other) else ("#f2efe6", "#1c1f26")


def _is_bright(colour: str) -> bool:
    return sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) > 380


def _apply_kind(match: SimulatedMatch, kind: MatchKind, random: Random) -> SimulatedMatch:
    match kind:
        case MatchKind.POSTPONED:
            window = FeedWindow(WindowEdge(position=MatchPosition(PositionAnchor.KICKOFF, offset=-40)))
            return replace(match, effects=(FeedEffect(window, FeedEffectKind.STATUS, code="PST"),))
        case MatchKind.ABANDONED:
            return replace(
                match, ending=EarlyEnding(MatchPosition(PositionAnchor.MINUTE, random.randint(64, 78)), "ABD")
            )
        case MatchKind.INTERRUPTED:
            return replace(
                match, stops=(PlayStoppage(MatchPosition(PositionAnchor.MINUTE, random.randint(30, 40)), 9.0, "INT"),)
            )
    return match
