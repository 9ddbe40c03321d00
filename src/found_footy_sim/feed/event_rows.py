"""The feed events of a fixture, and the score that goes with them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from found_footy_sim.feed.timeline import MatchTimeline, TimelineMoment
from found_footy_sim.script.model import (
    SCORING_KINDS,
    FeedEffect,
    FeedEffectKind,
    FeedPerson,
    IncidentKind,
    MatchIncident,
    MatchPosition,
    MatchSide,
    PositionAnchor,
    SimulatedMatch,
)


@dataclass(frozen=True)
class EventRow:
    goal: str
    at: MatchPosition
    kind: IncidentKind
    side: MatchSide
    player: FeedPerson
    assist: FeedPerson
    text: str = ""
    shown: bool = True
    counted: bool = True

    @property
    def in_shoot_out(self) -> bool:
        return self.at.anchor is PositionAnchor.KICK

    @property
    def counts_for_score(self) -> bool:
        return self.kind in SCORING_KINDS and self.counted and not self.in_shoot_out


def list_rows(match: SimulatedMatch, course: MatchTimeline, moment: TimelineMoment) -> list[EventRow]:
    """Every feed event known at this moment, shown or not, in the order of the match.

    Incidents of the script after an early end do not happen.
    """
    active = [effect for effect in match.effects if course.is_open(effect.window, moment)]
    happened = [
        incident
        for incident in match.incidents
        if course.minute_at(incident.at) <= moment.minute and course.minute_at(incident.at) < course.end
    ]
    rows = [row for incident in happened for row in _apply_effects(incident, active)]
    return sorted(rows, key=_sort_key)


def count_goals(rows: Iterable[EventRow]) -> tuple[int, int]:
    scoring = [row.side for row in rows if row.counts_for_score]
    return scoring.count(MatchSide.HOME), scoring.count(MatchSide.AWAY)


def count_shoot_out_goals(rows: Iterable[EventRow]) -> tuple[int, int]:
    kicks = [row.side for row in rows if row.in_shoot_out and row.kind in SCORING_KINDS]
    return kicks.count(MatchSide.HOME), kicks.count(MatchSide.AWAY)


def feed_minute(position: MatchPosition) -> tuple[int, int | None]:
    """Elapsed and extra as the feed writes them; a kick of the shoot-out is 120 plus its number."""
    if position.anchor is PositionAnchor.KICK:
        return 120, position.minute
    return position.minute, position.extra


def _sort_key(row: EventRow) -> tuple[int, int]:
    elapsed, extra = feed_minute(row.at)
    return elapsed, extra or 0


def _apply_effects(incident: MatchIncident, active: list[FeedEffect]) -> Iterator[EventRow]:
    mine = [effect for effect in active if effect.goal == incident.name]
    row = EventRow(
        incident.name, incident.at, incident.kind, incident.side, incident.player, incident.assist, incident.text
    )
    for effect in mine:
        row = _change_row(row, effect)
    yield row
    for effect in mine:
        yield from _extra_rows(row, incident, effect)


def _change_row(row: EventRow, effect: FeedEffect) -> EventRow:
    match effect.effect_kind:
        case FeedEffectKind.MISSING:
            return replace(row, shown=False)
        case FeedEffectKind.UNCOUNTED:
            return replace(row, counted=False)
        case FeedEffectKind.DISALLOW:
            return replace(row, shown=row.shown and effect.keep_row, counted=False)
        case FeedEffectKind.CREDIT:
            return replace(row, player=effect.person, kind=effect.kind or row.kind)
        case FeedEffectKind.MOVE if effect.position:
            return replace(row, at=effect.position)
        case FeedEffectKind.ASSIST:
            return replace(row, assist=effect.person)
    return row


def _extra_rows(row: EventRow, incident: MatchIncident, effect: FeedEffect) -> Iterator[EventRow]:
    if effect.effect_kind is FeedEffectKind.DUPLICATE:
        yield replace(row, counted=False)
    elif effect.effect_kind is FeedEffectKind.COPY:
        yield replace(row, player=effect.person, kind=effect.kind or row.kind, shown=True, counted=False)
    elif effect.effect_kind is FeedEffectKind.DISALLOW and effect.text:
        yield EventRow(incident.name, row.at, IncidentKind.VAR, row.side, row.player, FeedPerson(), effect.text)
