"""The rows of a fixture's `events`, and the score that goes with them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from found_footy.sim.feed.timeline import Moment, Timeline
from found_footy.sim.script.model import SCORING, Anchor, Does, Effect, Incident, Kind, Match, Person, Position, Side


@dataclass(frozen=True)
class Row:
    goal: str
    at: Position
    kind: Kind
    side: Side
    player: Person
    assist: Person
    text: str = ""
    shown: bool = True
    counted: bool = True

    @property
    def in_shoot_out(self) -> bool:
        return self.at.anchor is Anchor.KICK

    @property
    def scores(self) -> bool:
        return self.kind in SCORING and self.counted and not self.in_shoot_out


def rows_at(match: Match, course: Timeline, moment: Moment) -> list[Row]:
    """Every row that the feed knows of at this moment, shown or not, in the order of the match.

    What the script tells for later than an early end never happens.
    """
    active = [effect for effect in match.effects if course.open(effect.window, moment)]
    happened = [
        incident
        for incident in match.incidents
        if course.at(incident.at) <= moment.minute and course.at(incident.at) < course.end
    ]
    rows = [row for incident in happened for row in _affected(incident, active)]
    return sorted(rows, key=_order)


def score(rows: Iterable[Row]) -> tuple[int, int]:
    scoring = [row.side for row in rows if row.scores]
    return scoring.count(Side.HOME), scoring.count(Side.AWAY)


def shoot_out_score(rows: Iterable[Row]) -> tuple[int, int]:
    kicks = [row.side for row in rows if row.in_shoot_out and row.kind in SCORING]
    return kicks.count(Side.HOME), kicks.count(Side.AWAY)


def place(position: Position) -> tuple[int, int | None]:
    """Elapsed and extra as the feed writes them; a kick of the shoot-out is 120 plus its number."""
    if position.anchor is Anchor.KICK:
        return 120, position.minute
    return position.minute, position.extra


def _order(row: Row) -> tuple[int, int]:
    elapsed, extra = place(row.at)
    return elapsed, extra or 0


def _affected(incident: Incident, active: list[Effect]) -> Iterator[Row]:
    mine = [effect for effect in active if effect.goal == incident.name]
    row = Row(
        incident.name, incident.at, incident.kind, incident.side, incident.player, incident.assist, incident.text
    )  # fmt: skip
    for effect in mine:
        row = _changed(row, effect)
    yield row
    for effect in mine:
        yield from _added(row, incident, effect)


def _changed(row: Row, effect: Effect) -> Row:
    match effect.does:
        case Does.MISSING:
            return replace(row, shown=False)
        case Does.UNCOUNTED:
            return replace(row, counted=False)
        case Does.DISALLOW:
            return replace(row, shown=row.shown and effect.keep_row, counted=False)
        case Does.CREDIT:
            return replace(row, player=effect.person, kind=effect.kind or row.kind)
        case Does.MOVE if effect.position:
            return replace(row, at=effect.position)
        case Does.ASSIST:
            return replace(row, assist=effect.person)
    return row


def _added(row: Row, incident: Incident, effect: Effect) -> Iterator[Row]:
    if effect.does is Does.DUPLICATE:
        yield replace(row, counted=False)
    elif effect.does is Does.COPY:
        yield replace(row, player=effect.person, kind=effect.kind or row.kind, shown=True, counted=False)
    elif effect.does is Does.DISALLOW and effect.text:
        yield Row(incident.name, row.at, Kind.VAR, row.side, row.player, Person(), effect.text)
