"""Generates the goals: how many, when, by whom and how. Plausible, not a forecast."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from found_footy_sim.feed.timeline import MatchTimeline, build_timeline
from found_footy_sim.script.model import (
    FeedPerson,
    IncidentKind,
    MatchIncident,
    MatchPosition,
    MatchSide,
    PositionAnchor,
    SimulatedMatch,
)
from found_footy_sim.world.clubs import ClubPlayer, FootballClub, clubs_by_id
from found_footy_sim.world.goals import CLOSE_MINUTES, SimulatedGoal
from found_footy_sim.world.shares import WorldShares
from found_footy_sim.world.sizes import FeedQuirk, MatchKind, WorldShape

_FIRST_HALF_END = 45
# While a goal is reviewed, and removed, nobody scores another one.
_REVIEW_MINUTES = 5.0
_USUAL_GOAL_COUNTS = (0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 6)
# A cup match is level after ninety minutes, and after extra time too if it has a shoot-out.
_GOAL_COUNTS_BY_KIND = {MatchKind.POSTPONED: (0,), MatchKind.SHOOT_OUT: (2, 4), MatchKind.EXTRA_TIME: (1, 3)}
_PERIODS = ((1, 45), (46, 90), (91, 105), (106, 120))


def generate_goals(
    shape: WorldShape, played: Sequence[tuple[SimulatedMatch, MatchKind]], shares: WorldShares, random: Random
) -> list[SimulatedGoal]:
    """Return all goals of the day in order of time, with their feed quirks."""
    counts = _draw_goal_counts(shape, played, random)
    goals = [
        goal
        for (match, match_kind), count in zip(played, counts, strict=True)
        for goal in _generate_match_goals(match, _draw_course(match, match_kind, count, shape, shares, random), random)
    ]
    doubled = _repeat_scorers(goals, shares, random)
    return sorted(_add_scores(_assign_quirks(doubled, shape, random)), key=lambda goal: (goal.minute, goal.id))


def _draw_goal_counts(
    shape: WorldShape, played: Sequence[tuple[SimulatedMatch, MatchKind]], random: Random
) -> list[int]:
    if shape.goals_per_match:
        return random.sample(shape.goals_per_match, len(shape.goals_per_match))
    while True:
        counts = [random.choice(_GOAL_COUNTS_BY_KIND.get(match_kind, _USUAL_GOAL_COUNTS)) for _, match_kind in played]
        if shape.goal_range[0] <= sum(counts) <= shape.goal_range[1]:
            return counts


def _draw_course(
    match: SimulatedMatch, match_kind: MatchKind, count: int, shape: WorldShape, shares: WorldShares, random: Random
) -> list[tuple[MatchPosition, MatchSide]]:
    """Draw when goals fall, and for which side."""
    course = build_timeline(match)
    places = [at for at in _iter_positions(match) if _is_playable(match, course, at, shape)]
    while True:
        drawn = _draw_positions(places, count, random)
        if _fits_kind(match_kind, drawn):
            moved = _move_goals(drawn, places, shares, random)
            return list(zip(moved, _choose_sides(match_kind, moved, random), strict=True))


def _draw_positions(places: Sequence[MatchPosition], count: int, random: Random) -> list[MatchPosition]:
    """Draw different minutes freely, in order of play."""
    drawn: set[int] = set()
    weights = [_position_weight(at) for at in places]
    while len(drawn) < count:
        drawn.update(random.choices(range(len(places)), weights))
    return [places[index] for index in sorted(drawn)]


def _move_goals(
    drawn: Sequence[MatchPosition], places: Sequence[MatchPosition], shares: WorldShares, random: Random
) -> list[MatchPosition]:
    """Move some goals close to the one before them, and some to half-time; none into extra time or out of it, because
    that decides cup ties.
    """
    chosen = [places.index(at) for at in drawn]
    late = [at.minute > 90 for at in places]
    half_time = [index for index, at in enumerate(places) if _is_at_half_time(at)]
    for number in range(len(chosen)):
        near: Sequence[int] = ()
        if number and random.random() < shares.goals_close:
            before = chosen[number - 1]
            near = range(before + 1, min(before + CLOSE_MINUTES, len(places) - 1) + 1)
        elif random.random() < shares.goals_at_half_time:
            near = half_time
        if free := [index for index in near if index not in chosen and late[index] == late[chosen[number]]]:
            chosen[number] = random.choice(free)
    return [places[index] for index in sorted(chosen)]


def _is_at_half_time(at: MatchPosition) -> bool:
    added = at.minute == _FIRST_HALF_END and at.extra is not None
    return added or _FIRST_HALF_END < at.minute <= _FIRST_HALF_END + CLOSE_MINUTES


def _generate_match_goals(
    match: SimulatedMatch, drawn: Sequence[tuple[MatchPosition, MatchSide]], random: Random
) -> list[SimulatedGoal]:
    course = build_timeline(match)
    return [_generate_goal(match, course, at, index, side, random) for index, (at, side) in enumerate(drawn)]


def _fits_kind(match_kind: MatchKind, drawn: Sequence[MatchPosition]) -> bool:
    late = sum(at.minute > 90 for at in drawn)
    if match_kind is MatchKind.SHOOT_OUT:
        return late % 2 == 0 and len(drawn) % 2 == 0
    return match_kind is not MatchKind.EXTRA_TIME or (late > 0 and (len(drawn) - late) % 2 == 0)


def _choose_sides(match_kind: MatchKind, drawn: Sequence[MatchPosition], random: Random) -> list[MatchSide]:
    if match_kind not in (MatchKind.SHOOT_OUT, MatchKind.EXTRA_TIME):
        return [MatchSide.HOME if random.random() < 0.56 else MatchSide.AWAY for _ in drawn]
    winner = random.choice(tuple(MatchSide))
    decided = match_kind is MatchKind.EXTRA_TIME
    return [winner if decided and at.minute > 90 else tuple(MatchSide)[n % 2] for n, at in enumerate(drawn)]


def _iter_positions(match: SimulatedMatch) -> Iterator[MatchPosition]:
    """Yield every minute of play, added time included, up to the match's real end."""
    for (first, last), added in zip(_PERIODS[: 4 if match.extra_time else 2], match.added, strict=False):
        for minute in range(max(first, 2), last + 1):
            yield MatchPosition(PositionAnchor.MINUTE, minute)
        yield from (MatchPosition(PositionAnchor.MINUTE, last, extra) for extra in range(1, added + 1))


def _is_playable(match: SimulatedMatch, course: MatchTimeline, at: MatchPosition, shape: WorldShape) -> bool:
    if match.ending and at.minute >= match.ending.at.minute - 1:
        return False
    if shape.late_window is None:
        return True
    first, last, _ = shape.late_window
    return first <= match.kickoff + course.minute_at(at) <= last


def _position_weight(at: MatchPosition) -> float:
    """Goals are a little more frequent towards the end, and most frequent in the last minutes."""
    return 3.0 if at.extra else 1.0 + at.minute / 120


def _generate_goal(
    match: SimulatedMatch, course: MatchTimeline, at: MatchPosition, index: int, side: MatchSide, random: Random
) -> SimulatedGoal:
    home, away = clubs_by_id()[match.home.id], clubs_by_id()[match.away.id]
    club, rival = (home, away) if side is MatchSide.HOME else (away, home)
    kind = random.choices((IncidentKind.GOAL, IncidentKind.PENALTY, IncidentKind.OWN_GOAL), (86, 10, 4))[0]
    player = random.choice(_weighted_scorers(rival if kind is IncidentKind.OWN_GOAL else club))
    helper = random.choice([one for one in club.players if one is not player])
    assisted = kind is IncidentKind.GOAL and random.random() < 0.75
    return SimulatedGoal(
        f"{match.id}-{index + 1}",
        match,
        side,
        kind,
        at,
        match.kickoff + course.minute_at(at),
        club,
        rival,
        player,
        helper.person if assisted else FeedPerson(),
        (0, 0),
        random.randrange(1, 1_000_000),
    )


def _weighted_scorers(club: FootballClub) -> list[ClubPlayer]:
    """Those listed first score more often."""
    return [player for place, player in enumerate(club.players) for _ in range(3 if place < 3 else 1)]


def _repeat_scorers(goals: Sequence[SimulatedGoal], shares: WorldShares, random: Random) -> list[SimulatedGoal]:
    """Give the later of two close goals of one side the scorer of the earlier one, now and then."""
    repeated: list[SimulatedGoal] = []
    for goal in goals:
        before = repeated[-1] if repeated and repeated[-1].match is goal.match else None
        if before is not None and _can_be_double(before, goal) and random.random() < shares.doubles:
            assist = goal.assist if goal.assist.id != before.player.id else FeedPerson()
            goal = replace(goal, player=before.player, assist=assist)  # noqa: PLW2901
        repeated.append(goal)
    return repeated


def _can_be_double(before: SimulatedGoal, goal: SimulatedGoal) -> bool:
    own = IncidentKind.OWN_GOAL in (before.kind, goal.kind)
    return before.side is goal.side and not own and goal.is_close_to(before)


def _assign_quirks(goals: list[SimulatedGoal], shape: WorldShape, random: Random) -> list[SimulatedGoal]:
    """Assign the feed's quirks to goals at random."""
    wanted = [quirk for quirk, count in shape.quirks.items() for _ in range(count)]
    plain = [goal for goal in goals if not goal.match.extra_time and goal.kind is not IncidentKind.PENALTY]
    chosen = random.sample(plain, min(len(plain), len(wanted)))
    if shape.late_window:
        # Removals and re-attributions go to the earliest goals, so that there is time to observe them.
        chosen.sort(key=lambda goal: goal.minute)
    rest = [goal for goal in plain if goal not in chosen]
    dealt: dict[str, FeedQuirk] = {}
    for quirk in wanted[: len(chosen)]:
        free = [goal for goal in (*chosen, *rest) if goal.id not in dealt]
        fitting = [goal for goal in free if quirk is not FeedQuirk.REMOVED or not _has_follower(goal, goals)]
        dealt[(fitting or free)[0].id] = quirk
    return [_apply_quirk(goal, dealt.get(goal.id), random) for goal in goals]


def _has_follower(goal: SimulatedGoal, goals: Sequence[SimulatedGoal]) -> bool:
    """Whether another goal of the match falls while this one would be reviewed."""
    return any(one.match is goal.match and 0 < one.minute - goal.minute <= _REVIEW_MINUTES for one in goals)


def _apply_quirk(goal: SimulatedGoal, quirk: FeedQuirk | None, random: Random) -> SimulatedGoal:
    goal = replace(goal, quirk=quirk)
    if quirk is FeedQuirk.REMOVED:
        return replace(goal, removed_after=random.uniform(2.2, 3.6))
    if quirk is FeedQuirk.REATTRIBUTED:
        first = random.choice([one for one in goal.club.players if one is not goal.player])
        return replace(goal, first_credited_to=first)
    return goal


def _add_scores(goals: list[SimulatedGoal]) -> Iterator[SimulatedGoal]:
    """Add the score before each goal: removed goals do not count for later ones."""
    for goal in goals:
        before = [one for one in goals if one.match is goal.match and one.is_standing and one.minute < goal.minute]
        home = sum(one.side is MatchSide.HOME for one in before)
        yield replace(goal, score=(home, len(before) - home))


def generate_kicks(match: SimulatedMatch, random: Random) -> Iterator[MatchIncident]:
    """A shoot-out of five rounds that one side wins; none of its kicks is a goal of the match."""
    winner = random.choice(tuple(MatchSide))
    for number in range(1, 6):
        for side in MatchSide:
            scored = number > 1 or side is winner
            kind = IncidentKind.PENALTY if scored else IncidentKind.MISSED_PENALTY
            taker = clubs_by_id()[match.get_team(side).id].players[number % 7]
            at = MatchPosition(PositionAnchor.KICK, minute=number)
            yield MatchIncident(f"{match.id}-{side}-kick-{number}", at, kind, side, taker.person)


def to_incident(goal: SimulatedGoal) -> MatchIncident:
    return MatchIncident(goal.id, goal.at, goal.kind, goal.side, goal.player.person, goal.assist)
