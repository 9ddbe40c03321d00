"""How the feed misreports goals: late names, corrections, goals that appear and disappear, faulty responses."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from found_footy_sim.feed.timeline import build_timeline
from found_footy_sim.script.model import (
    UNKNOWN_PERSON,
    AnswerFault,
    AnswerFaultKind,
    EventListing,
    FeedEffect,
    FeedEffectKind,
    FeedFault,
    FeedPerson,
    FeedWindow,
    IncidentKind,
    MatchPosition,
    PositionAnchor,
    WindowEdge,
)
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.sizes import FeedQuirk

# Whole responses that fail, and omissions from good ones. Each lasts a poll or two.
_BAD_ANSWER_KINDS: tuple[AnswerFault | FeedEffectKind | EventListing, ...] = (
    EventListing.EMPTY,
    AnswerFault(AnswerFaultKind.ERRORS, key="bug"),
    AnswerFault(AnswerFaultKind.HTTP, status=500),
    FeedEffectKind.OMITTED,
    AnswerFault(AnswerFaultKind.HOLD, seconds=1.5),
    AnswerFault(AnswerFaultKind.ERRORS, key="rateLimit"),
    EventListing.SHUFFLED,
    AnswerFault(AnswerFaultKind.HTTP, status=502, html=True),
    AnswerFault(AnswerFaultKind.HALF_JSON),
    EventListing.EMPTY,
    FeedEffectKind.OMITTED,
    AnswerFault(AnswerFaultKind.WRONG_TYPES),
)


def build_window(start: float, end: float | None = None) -> FeedWindow:
    """A window from one minute after kickoff to another."""
    edges = [
        WindowEdge(position=MatchPosition(PositionAnchor.KICKOFF, offset=round(at, 3)))
        for at in (start, end)
        if at is not None
    ]
    return FeedWindow(*edges)


def build_effects(goal: SimulatedGoal, random: Random) -> list[FeedEffect]:
    """Return how the feed misreports this goal, if it does."""
    return list(_generate_effects(goal, build_timeline(goal.match).minute_at(goal.at), random))


def _generate_effects(goal: SimulatedGoal, at: float, random: Random) -> Iterator[FeedEffect]:
    def during(
        does: FeedEffectKind, start: float, end: float | None, person: FeedPerson = UNKNOWN_PERSON
    ) -> FeedEffect:
        span = build_window(at + start, None if end is None else at + end)
        return FeedEffect(span, does, goal.id, person)

    match goal.quirk:
        case FeedQuirk.REMOVED:
            yield during(FeedEffectKind.DISALLOW, goal.removed_after or 0.0, None)
        case FeedQuirk.REATTRIBUTED:
            yield from _reattribution_effects(goal, during(FeedEffectKind.CREDIT, 0, random.uniform(2.5, 4.0)), random)
        case FeedQuirk.LATE_SCORER:
            yield during(FeedEffectKind.CREDIT, 0, random.uniform(1.0, 2.0))
        case FeedQuirk.MINUTE_MOVED:
            yield FeedEffect(
                build_window(at, at + 1.6), FeedEffectKind.MOVE, goal.id, position=_minute_earlier(goal.at)
            )
        case FeedQuirk.ASSIST_LATER:
            yield during(FeedEffectKind.ASSIST, 0, random.uniform(0.8, 2.5))
        case FeedQuirk.FLICKER:
            yield from (during(FeedEffectKind.MISSING, start, start + 0.5) for start in (1.1, 2.3, 3.7))
        case FeedQuirk.SCORE_FIRST:
            yield during(FeedEffectKind.MISSING, 0, random.uniform(0.8, 1.6))


def _minute_earlier(at: MatchPosition) -> MatchPosition:
    """The minute before, in added time too."""
    return replace(at, extra=at.extra - 1 or None) if at.extra else replace(at, minute=at.minute - 1)


def _reattribution_effects(goal: SimulatedGoal, credit: FeedEffect, random: Random) -> Iterator[FeedEffect]:
    """Credited to somebody else at first. Every other time the row is missing for a moment before the right one
    appears.
    """
    assert goal.first_credited_to is not None
    kind = IncidentKind.GOAL if goal.kind is IncidentKind.OWN_GOAL else None
    yield FeedEffect(credit.window, FeedEffectKind.CREDIT, goal.id, goal.first_credited_to.person, kind)
    end = credit.window.end
    assert end is not None
    assert end.position is not None
    if random.random() < 0.5:
        yield FeedEffect(build_window(end.position.offset - 0.7, end.position.offset), FeedEffectKind.MISSING, goal.id)


def generate_bad_answers(
    goals: Sequence[SimulatedGoal], count: int, random: Random
) -> dict[int, list[FeedEffect | FeedFault]]:
    """Return other faults by fixture: shortly after a goal, when they matter most."""
    hit = random.sample(goals, min(count, len(goals)))
    found: dict[int, list[FeedEffect | FeedFault]] = {}
    for number, goal in enumerate(hit):
        start = build_timeline(goal.match).minute_at(goal.at) + random.uniform(0.4, 5.0)
        span = build_window(start, start + random.uniform(0.5, 1.2))
        found.setdefault(goal.match.id, []).append(
            _build_bad_answer(_BAD_ANSWER_KINDS[number % len(_BAD_ANSWER_KINDS)], span)
        )
    return found


def _build_bad_answer(kind: AnswerFault | FeedEffectKind | EventListing, span: FeedWindow) -> FeedEffect | FeedFault:
    if isinstance(kind, AnswerFault):
        return FeedFault(span, kind)
    if isinstance(kind, EventListing):
        return FeedEffect(span, FeedEffectKind.EVENTS, listing=kind)
    return FeedEffect(span, kind)
