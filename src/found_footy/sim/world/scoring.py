"""Which goals fall: how many, when, by whom and how. A plausible Saturday, not a forecast."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from random import Random

from found_footy.sim.feed.timeline import Timeline, timeline
from found_footy.sim.script.model import Anchor, Incident, Kind, Match, Person, Position, Side
from found_footy.sim.world.clubs import Club, Player, clubs
from found_footy.sim.world.plan import Goal, clock_minute
from found_footy.sim.world.sizes import Fate, Quirk, Shape

# Goals of one match lie so far apart that the clock on a clip says which one it shows.
APART = 5
_USUAL = (0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 6)
# A cup match is level after ninety minutes, and after extra time too if it comes to kicks.
_COUNTS = {Fate.POSTPONED: (0,), Fate.SHOOT_OUT: (2, 4), Fate.EXTRA_TIME: (1, 3)}
_HALVES = ((1, 45), (46, 90), (91, 105), (106, 120))


def goals(shape: Shape, played: Sequence[tuple[Match, Fate]], random: Random) -> list[Goal]:
    """All goals of the day in the order in which they fall, the special ones marked."""
    counts = _counts(shape, played, random)
    fallen = [
        goal
        for (match, fate), count in zip(played, counts, strict=True)
        for goal in _of_match(match, fate, count, shape, random)
    ]
    return sorted(_scored(_special(fallen, shape, random)), key=lambda goal: (goal.minute, goal.id))


def _counts(shape: Shape, played: Sequence[tuple[Match, Fate]], random: Random) -> list[int]:
    if shape.per_match:
        return random.sample(shape.per_match, len(shape.per_match))
    while True:
        counts = [random.choice(_COUNTS.get(fate, _USUAL)) for _, fate in played]
        if shape.goals[0] <= sum(counts) <= shape.goals[1]:
            return counts


def _of_match(match: Match, fate: Fate, count: int, shape: Shape, random: Random) -> list[Goal]:
    course = timeline(match)
    places = [at for at in _places(match) if _in_time(match, course, at, shape)]
    drawn = _drawn(places, count, fate, random, few=shape.late is not None)
    sides = _sides(fate, drawn, random)
    return [
        _goal(match, course, at, index, side, random) for index, (at, side) in enumerate(zip(drawn, sides, strict=True))
    ]


def _drawn(places: Sequence[Position], count: int, fate: Fate, random: Random, *, few: bool) -> tuple[Position, ...]:
    """Minutes that lie apart. Where there are only a few to choose from, all choices are laid out first."""
    if few:
        choices = [drawn for drawn in combinations(places, count) if _are_apart(drawn) and _fits(fate, drawn)]
        return random.choice(choices)
    while True:
        chosen = random.choices(places, [_weight(at) for at in places], k=count)
        drawn = tuple(sorted(chosen, key=clock_minute))
        if _are_apart(drawn) and _fits(fate, drawn):
            return drawn


def _are_apart(drawn: Sequence[Position]) -> bool:
    return all(clock_minute(later) - clock_minute(earlier) >= APART for earlier, later in pairwise(drawn))


def _fits(fate: Fate, drawn: Sequence[Position]) -> bool:
    late = sum(at.minute > 90 for at in drawn)
    if fate is Fate.SHOOT_OUT:
        return late % 2 == 0 and len(drawn) % 2 == 0
    return fate is not Fate.EXTRA_TIME or (late > 0 and (len(drawn) - late) % 2 == 0)


def _sides(fate: Fate, drawn: Sequence[Position], random: Random) -> list[Side]:
    if fate not in (Fate.SHOOT_OUT, Fate.EXTRA_TIME):
        return [Side.HOME if random.random() < 0.56 else Side.AWAY for _ in drawn]
    winner = random.choice(tuple(Side))
    decided = fate is Fate.EXTRA_TIME
    return [winner if decided and at.minute > 90 else tuple(Side)[n % 2] for n, at in enumerate(drawn)]


def _places(match: Match) -> Iterator[Position]:
    """Every minute of play, added time too, up to the end that the match really has."""
    for (first, last), added in zip(_HALVES[: 4 if match.extra_time else 2], match.added, strict=False):
        for minute in range(max(first, 2), last + 1):
            yield Position(Anchor.MINUTE, minute)
        yield from (Position(Anchor.MINUTE, last, extra) for extra in range(1, added + 1))


def _in_time(match: Match, course: Timeline, at: Position, shape: Shape) -> bool:
    if match.ending and at.minute >= match.ending.at.minute - 1:
        return False
    if shape.late is None:
        return True
    first, last, _ = shape.late
    return first <= match.kickoff + course.at(at) <= last


def _weight(at: Position) -> float:
    """Goals fall a little more often towards the end, and most often when time is running out."""
    return 3.0 if at.extra else 1.0 + at.minute / 120


def _goal(match: Match, course: Timeline, at: Position, index: int, side: Side, random: Random) -> Goal:
    home, away = clubs()[match.home.id], clubs()[match.away.id]
    club, rival = (home, away) if side is Side.HOME else (away, home)
    kind = random.choices((Kind.GOAL, Kind.PENALTY, Kind.OWN_GOAL), (86, 10, 4))[0]
    player = random.choice(_front(rival if kind is Kind.OWN_GOAL else club))
    helper = random.choice([one for one in club.players if one is not player])
    assisted = kind is Kind.GOAL and random.random() < 0.75
    return Goal(
        f"{match.id}-{index + 1}", match, side, kind, at, match.kickoff + course.at(at), club, rival, player,
        helper.person if assisted else Person(), (0, 0), random.randrange(1, 1_000_000),
    )  # fmt: skip


def _front(club: Club) -> list[Player]:
    """Those named first score more often."""
    return [player for place, player in enumerate(club.players) for _ in range(3 if place < 3 else 1)]


def _special(fallen: list[Goal], shape: Shape, random: Random) -> list[Goal]:
    """The quirks of the feed, dealt out to goals at random."""
    wanted = [quirk for quirk, count in shape.quirks.items() for _ in range(count)]
    plain = [goal for goal in fallen if not goal.match.extra_time and goal.kind is not Kind.PENALTY]
    chosen = random.sample(plain, min(len(plain), len(wanted)))
    if shape.late:
        chosen.sort(key=lambda goal: goal.minute)  # the great reversals come while there is time to watch them
    dealt = {goal.id: quirk for goal, quirk in zip(chosen, wanted, strict=False)}
    return [_with_quirk(goal, dealt.get(goal.id), random) for goal in fallen]


def _with_quirk(goal: Goal, quirk: Quirk | None, random: Random) -> Goal:
    goal = replace(goal, quirk=quirk)
    if quirk is Quirk.STRUCK_OUT:
        return replace(goal, struck_after=random.uniform(2.2, 3.6))
    if quirk is Quirk.REATTRIBUTED:
        first = random.choice([one for one in goal.club.players if one is not goal.player])
        return replace(goal, first_given_to=first)
    return goal


def _scored(fallen: list[Goal]) -> Iterator[Goal]:
    """With the score before each: goals that are struck out do not count for those after them."""
    for goal in fallen:
        before = [one for one in fallen if one.match is goal.match and one.stands and one.clock < goal.clock]
        home = sum(one.side is Side.HOME for one in before)
        yield replace(goal, score=(home, len(before) - home))


def kicks(match: Match, random: Random) -> Iterator[Incident]:
    """A shoot-out of five rounds that one side wins; none of its kicks is a goal of the match."""
    winner = random.choice(tuple(Side))
    for number in range(1, 6):
        for side in Side:
            scored = number > 1 or side is winner
            kind = Kind.PENALTY if scored else Kind.MISSED_PENALTY
            taker = clubs()[match.team(side).id].players[number % 7]
            at = Position(Anchor.KICK, minute=number)
            yield Incident(f"{match.id}-{side}-kick-{number}", at, kind, side, taker.person)


def incident(goal: Goal) -> Incident:
    return Incident(goal.id, goal.at, goal.kind, goal.side, goal.player.person, goal.assist)
