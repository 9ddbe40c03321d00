"""One fixture as the football API would describe it at a moment."""

from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from random import Random
from typing import Any

from found_footy.sim.feed.rows import Row, place, rows_at, score, shoot_out_score
from found_footy.sim.feed.timeline import LONG, Moment, Status, Timeline, timeline
from found_footy.sim.script.model import Does, Effect, Kind, League, Listing, Match, Person, Side, Team

Json = dict[str, Any]

_MEDIA = "https://media.api-sports.io"
_WIRE = {
    Kind.GOAL: ("Goal", "Normal Goal"), Kind.PENALTY: ("Goal", "Penalty"), Kind.OWN_GOAL: ("Goal", "Own Goal"),
    Kind.MISSED_PENALTY: ("Goal", "Missed Penalty"), Kind.YELLOW: ("Card", "Yellow Card"),
    Kind.RED: ("Card", "Red Card"), Kind.SUBST: ("subst", "Substitution 1"),
}  # fmt: skip
_SCORELESS = frozenset({"NS", "TBD", "PST", "CANC"})

course_of = lru_cache(maxsize=256)(timeline)


def feed_at(match: Match, moment: Moment, kickoff: datetime, pace: float = 1.0) -> Json | None:
    """The fixture with its events, or None while the feed leaves it out.

    `kickoff` is the wall-clock time of the true kick-off, and `pace` how many match minutes pass in a real one: dates
    and period stamps follow from the two.
    """
    course = course_of(match)
    active = [effect for effect in match.effects if course.open(effect.window, moment)]
    if any(effect.does is Does.OMITTED for effect in active):
        return None
    status = _status(course, moment, active)
    rows = rows_at(match, course, moment)
    if any(effect.does is Does.UNREPORTED for effect in active):
        status, rows = Status("NS", LONG["NS"], None, None), []
    goals = _goals(status, rows, active)
    stamp = kickoff + timedelta(minutes=_shift(match, active) / pace)
    payload = {
        "fixture": _head(match, stamp, status, _periods(course, moment, kickoff, pace, status)),
        "league": _league(match.league),
        "teams": _teams(match, goals),
        "goals": {"home": goals[0], "away": goals[1]},
        "score": _score(course, match, moment, status, goals, rows),
        "events": _events(match, rows, active),
    }
    if any(effect.listing is Listing.ABSENT for effect in active):
        del payload["events"]
    return payload


def in_zone(payload: Json, zone: tzinfo, name: str) -> Json:
    """The same fixture with its date written for another time zone; the timestamp never changes."""
    head = payload["fixture"]
    stamp = datetime.fromtimestamp(head["timestamp"], tz=zone)
    return payload | {"fixture": head | {"timezone": name, "date": stamp.isoformat()}}


def _last(active: list[Effect], does: Does) -> Effect | None:
    return next((effect for effect in reversed(active) if effect.does is does), None)


def _shift(match: Match, active: list[Effect]) -> float:
    """Minutes between the true kick-off and the one the feed announces."""
    said = _last(active, Does.DATE)
    return said.minutes - match.kickoff if said else 0.0


def _status(course: Timeline, moment: Moment, active: list[Effect]) -> Status:
    minute = moment.minute
    if frozen := _last(active, Does.FROZEN):
        assert frozen.window.start.position is not None
        minute = course.at(frozen.window.start.position)
    status = course.status(minute)
    if said := _last(active, Does.STATUS):
        stopped = said.code in _SCORELESS
        long = said.text or LONG.get(said.code, said.code)
        return Status(said.code, long, None if stopped else status.elapsed, None if stopped else status.extra)
    return status


def _goals(status: Status, rows: list[Row], active: list[Effect]) -> tuple[int | None, int | None]:
    if said := _last(active, Does.SCORE):
        return said.score
    return (None, None) if status.short in _SCORELESS else score(rows)


def _head(match: Match, stamp: datetime, status: Status, periods: Json) -> Json:
    return {
        "id": match.id,
        "referee": "A. Example, England",
        "timezone": "UTC",
        "date": stamp.replace(microsecond=0).isoformat(),
        "timestamp": int(stamp.timestamp()),
        "periods": periods,
        "venue": {"id": None, "name": f"{match.home.name} Park", "city": match.home.name},
        "status": {"long": status.long, "short": status.short, "elapsed": status.elapsed, "extra": status.extra},
    }


def _periods(course: Timeline, moment: Moment, kickoff: datetime, pace: float, status: Status) -> Json:
    second = course.second_half()
    begun = moment.minute >= 0 and status.short not in _SCORELESS
    halved = second is not None and moment.minute >= second and begun
    restart = kickoff + timedelta(minutes=(second or 0.0) / pace)
    return {
        "first": int(kickoff.timestamp()) if begun else None,
        "second": int(restart.timestamp()) if halved else None,
    }


def _league(league: League) -> Json:
    return {
        "id": league.id,
        "name": league.name,
        "country": league.country,
        "logo": f"{_MEDIA}/football/leagues/{league.id}.png",
        "flag": None,
        "season": league.season,
        "round": league.round,
        "standings": True,
    }


def _team(team: Team) -> Json:
    return {"id": team.id, "name": team.name, "logo": f"{_MEDIA}/football/teams/{team.id}.png"}


def _teams(match: Match, goals: tuple[int | None, int | None]) -> Json:
    home, away = goals
    level = home is None or away is None or home == away
    ahead = not level and (home or 0) > (away or 0)
    return {
        "home": _team(match.home) | {"winner": None if level else ahead},
        "away": _team(match.away) | {"winner": None if level else not ahead},
    }


def _pair(goals: tuple[int | None, int | None]) -> Json:
    return {"home": goals[0], "away": goals[1]}


def _score(
    course: Timeline,
    match: Match,
    moment: Moment,
    status: Status,
    goals: tuple[int | None, int | None],
    rows: list[Row],
) -> Json:
    def by(minute: int) -> tuple[int, int]:
        return score(row for row in rows if row.at.minute <= minute)

    none = _pair((None, None))
    begun = status.short not in _SCORELESS and goals != (None, None)
    extra = match.extra_time and moment.minute >= course.end and begun
    after = tuple(a - b for a, b in zip(by(120), by(90), strict=True))
    kicked = match.shoot_out and status.short in ("P", "PEN")
    return {
        "halftime": _pair(by(45)) if begun else none,
        "fulltime": _pair(by(90)) if begun and (extra or moment.minute >= course.end or kicked) else none,
        "extratime": _pair((after[0], after[1])) if extra or kicked else none,
        "penalty": _pair(shoot_out_score(rows)) if kicked else none,
    }


def _events(match: Match, rows: list[Row], active: list[Effect]) -> list[Json]:
    events = [_event(match, row) for row in rows if row.shown]
    said = _last(active, Does.EVENTS)
    match said.listing if said else None:
        case Listing.EMPTY:
            return []
        case Listing.REVERSED:
            return events[::-1]
        case Listing.SHUFFLED:
            return Random(match.id).sample(events, len(events))
    return events


def _event(match: Match, row: Row) -> Json:
    elapsed, extra = place(row.at)
    kind, detail = _WIRE.get(row.kind, ("Var", row.text))
    return {
        "time": {"elapsed": elapsed, "extra": extra},
        "team": _team(match.team(Side(row.side))),
        "player": _person(row.player),
        "assist": _person(row.assist),
        "type": kind,
        "detail": detail,
        "comments": "Penalty Shootout" if row.in_shoot_out else None,
    }


def _person(person: Person) -> Json:
    return {"id": person.id, "name": person.name}
