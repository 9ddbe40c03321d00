"""What the feed makes of the goals: late names, corrections, goals that come and go, answers that are no good."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from found_footy.sim.feed.timeline import timeline
from found_footy.sim.script.model import (
    UNKNOWN,
    Anchor,
    Breaks,
    Does,
    Edge,
    Effect,
    Fault,
    FeedFault,
    Kind,
    Listing,
    Person,
    Position,
    Window,
)
from found_footy.sim.world.plan import Goal
from found_footy.sim.world.sizes import Quirk

# Whole answers that break, and what is left out of good ones. Each lasts a poll or two.
_BAD_ANSWERS: tuple[Fault | Does | Listing, ...] = (
    Listing.EMPTY,
    Fault(Breaks.ERRORS, key="bug"),
    Fault(Breaks.HTTP, status=500),
    Does.OMITTED,
    Fault(Breaks.HOLD, seconds=1.5),
    Fault(Breaks.ERRORS, key="rateLimit"),
    Listing.SHUFFLED,
    Fault(Breaks.HTTP, status=502, html=True),
    Fault(Breaks.HALF_JSON),
    Listing.EMPTY,
    Does.OMITTED,
    Fault(Breaks.WRONG_TYPES),
)


def window(start: float, end: float | None = None) -> Window:
    """From one minute after kick-off to another."""
    edges = [Edge(position=Position(Anchor.KICKOFF, offset=round(at, 3))) for at in (start, end) if at is not None]
    return Window(*edges)


def effects(goal: Goal, random: Random) -> list[Effect]:
    """How the feed tells this goal, where it does not tell it plainly."""
    return list(_effects(goal, timeline(goal.match).at(goal.at), random))


def _effects(goal: Goal, at: float, random: Random) -> Iterator[Effect]:
    def during(does: Does, start: float, end: float | None, person: Person = UNKNOWN) -> Effect:
        span = window(at + start, None if end is None else at + end)
        return Effect(span, does, goal.id, person)

    match goal.quirk:
        case Quirk.STRUCK_OUT:
            yield during(Does.DISALLOW, goal.struck_after or 0.0, None)
        case Quirk.REATTRIBUTED:
            yield from _reattributed(goal, during(Does.CREDIT, 0, random.uniform(2.5, 4.0)), random)
        case Quirk.LATE_SCORER:
            yield during(Does.CREDIT, 0, random.uniform(1.0, 2.0))
        case Quirk.MINUTE_MOVED:
            yield Effect(window(at, at + 1.6), Does.MOVE, goal.id, position=_earlier(goal.at))
        case Quirk.ASSIST_LATER:
            yield during(Does.ASSIST, 0, random.uniform(0.8, 2.5))
        case Quirk.FLICKER:
            yield from (during(Does.MISSING, start, start + 0.5) for start in (1.1, 2.3, 3.7))
        case Quirk.SCORE_FIRST:
            yield during(Does.MISSING, 0, random.uniform(0.8, 1.6))


def _earlier(at: Position) -> Position:
    """A minute before, in added time too."""
    return replace(at, extra=at.extra - 1 or None) if at.extra else replace(at, minute=at.minute - 1)


def _reattributed(goal: Goal, credit: Effect, random: Random) -> Iterator[Effect]:
    """Given to somebody else at first. Every other time there is no row at all for a moment before the right one."""
    assert goal.first_given_to is not None
    kind = Kind.GOAL if goal.kind is Kind.OWN_GOAL else None
    yield Effect(credit.window, Does.CREDIT, goal.id, goal.first_given_to.person, kind)
    end = credit.window.end
    assert end is not None
    assert end.position is not None
    if random.random() < 0.5:
        yield Effect(window(end.position.offset - 0.7, end.position.offset), Does.MISSING, goal.id)


def bad_answers(goals: Sequence[Goal], count: int, random: Random) -> dict[int, list[Effect | FeedFault]]:
    """By fixture, what else goes wrong: shortly after a goal, when it hurts."""
    hit = random.sample(goals, min(count, len(goals)))
    found: dict[int, list[Effect | FeedFault]] = {}
    for number, goal in enumerate(hit):
        start = timeline(goal.match).at(goal.at) + random.uniform(0.4, 5.0)
        span = window(start, start + random.uniform(0.5, 1.2))
        found.setdefault(goal.match.id, []).append(_bad(_BAD_ANSWERS[number % len(_BAD_ANSWERS)], span))
    return found


def _bad(kind: Fault | Does | Listing, span: Window) -> Effect | FeedFault:
    if isinstance(kind, Fault):
        return FeedFault(span, kind)
    if isinstance(kind, Listing):
        return Effect(span, Does.EVENTS, listing=kind)
    return Effect(span, kind)
