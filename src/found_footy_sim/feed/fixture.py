"""One fixture as the football API would describe it at a moment."""

from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from random import Random
from typing import Any

from found_footy_sim.feed.event_rows import EventRow, count_goals, count_shoot_out_goals, feed_minute, list_rows
from found_footy_sim.feed.timeline import STATUS_NAMES, MatchTimeline, TimelineMoment, TimelineStatus, build_timeline
from found_footy_sim.script.model import (
    EventListing,
    FeedEffect,
    FeedEffectKind,
    FeedPerson,
    IncidentKind,
    MatchSide,
    SimulatedLeague,
    SimulatedMatch,
    SimulatedTeam,
)

Json = dict[str, Any]

_MEDIA_URL = "https://media.api-sports.io"
_TYPE_AND_DETAIL = {
    IncidentKind.GOAL: ("Goal", "Normal Goal"),
    IncidentKind.PENALTY: ("Goal", "Penalty"),
    IncidentKind.OWN_GOAL: ("Goal", "Own Goal"),
    IncidentKind.MISSED_PENALTY: ("Goal", "Missed Penalty"),
    IncidentKind.YELLOW: ("Card", "Yellow Card"),
    IncidentKind.RED: ("Card", "Red Card"),
    IncidentKind.SUBST: ("subst", "Substitution 1"),
}
_SCORELESS_STATUSES = frozenset({"NS", "TBD", "PST", "CANC"})

get_timeline = lru_cache(maxsize=256)(build_timeline)


def build_fixture(match: SimulatedMatch, moment: TimelineMoment, kickoff: datetime, pace: float = 1.0) -> Json | None:
    """Build the fixture with its events, or None while the feed leaves it out.

    `kickoff` is the wall-clock time of the true kickoff, and `pace` the number of match minutes per real minute: dates
    and period stamps follow from the two.
    """
    course = get_timeline(match)
    active = [effect for effect in match.effects if course.is_open(effect.window, moment)]
    if any(effect.effect_kind is FeedEffectKind.OMITTED for effect in active):
        return None
    status = _reported_status(course, moment, active)
    rows = list_rows(match, course, moment)
    if any(effect.effect_kind is FeedEffectKind.UNREPORTED for effect in active):
        status, rows = TimelineStatus("NS", STATUS_NAMES["NS"], None, None), []
    goals = _reported_goals(status, rows, active)
    stamp = kickoff + timedelta(minutes=_kickoff_shift(match, active) / pace)
    payload = {
        "fixture": _build_head(match, stamp, status, _build_periods(course, moment, kickoff, pace, status)),
        "league": _build_league(match.league),
        "teams": _build_teams(match, goals),
        "goals": {"home": goals[0], "away": goals[1]},
        "score": _build_score(course, match, moment, status, goals, rows),
        "events": _build_events(match, rows, active),
    }
    if any(effect.listing is EventListing.ABSENT for effect in active):
        del payload["events"]
    return payload


def convert_time_zone(payload: Json, zone: tzinfo, name: str) -> Json:
    """Return the same fixture with its date in another time zone; the timestamp never changes."""
    head = payload["fixture"]
    stamp = datetime.fromtimestamp(head["timestamp"], tz=zone)
    return payload | {"fixture": head | {"timezone": name, "date": stamp.isoformat()}}


def _find_last_effect(active: list[FeedEffect], does: FeedEffectKind) -> FeedEffect | None:
    return next((effect for effect in reversed(active) if effect.effect_kind is does), None)


def _kickoff_shift(match: SimulatedMatch, active: list[FeedEffect]) -> float:
    """Minutes between the true kickoff and the one the feed announces."""
    effect = _find_last_effect(active, FeedEffectKind.DATE)
    return effect.minutes - match.kickoff if effect else 0.0


def _reported_status(course: MatchTimeline, moment: TimelineMoment, active: list[FeedEffect]) -> TimelineStatus:
    minute = moment.minute
    if frozen := _find_last_effect(active, FeedEffectKind.FROZEN):
        assert frozen.window.start.position is not None
        minute = course.minute_at(frozen.window.start.position)
    status = course.status_at(minute)
    if effect := _find_last_effect(active, FeedEffectKind.STATUS):
        stopped = effect.code in _SCORELESS_STATUSES
        long = effect.text or STATUS_NAMES.get(effect.code, effect.code)
        return TimelineStatus(effect.code, long, None if stopped else status.elapsed, None if stopped else status.extra)
    return status


def _reported_goals(
    status: TimelineStatus, rows: list[EventRow], active: list[FeedEffect]
) -> tuple[int | None, int | None]:
    if effect := _find_last_effect(active, FeedEffectKind.SCORE):
        return effect.score
    return (None, None) if status.short in _SCORELESS_STATUSES else count_goals(rows)


def _build_head(match: SimulatedMatch, stamp: datetime, status: TimelineStatus, periods: Json) -> Json:
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


def _build_periods(
    course: MatchTimeline, moment: TimelineMoment, kickoff: datetime, pace: float, status: TimelineStatus
) -> Json:
    second = course.second_half_start()
    begun = moment.minute >= 0 and status.short not in _SCORELESS_STATUSES
    halved = second is not None and moment.minute >= second and begun
    restart = kickoff + timedelta(minutes=(second or 0.0) / pace)
    return {
        "first": int(kickoff.timestamp()) if begun else None,
        "second": int(restart.timestamp()) if halved else None,
    }


def _build_league(league: SimulatedLeague) -> Json:
    return {
        "id": league.id,
        "name": league.name,
        "country": league.country,
        "logo": f"{_MEDIA_URL}/football/leagues/{league.id}.png",
        "flag": None,
        "season": league.season,
        "round": league.round,
        "standings": True,
    }


def _build_team(team: SimulatedTeam) -> Json:
    return {"id": team.id, "name": team.name, "logo": f"{_MEDIA_URL}/football/teams/{team.id}.png"}


def _build_teams(match: SimulatedMatch, goals: tuple[int | None, int | None]) -> Json:
    home, away = goals
    level = home is None or away is None or home == away
    ahead = not level and (home or 0) > (away or 0)
    return {
        "home": _build_team(match.home) | {"winner": None if level else ahead},
        "away": _build_team(match.away) | {"winner": None if level else not ahead},
    }


def _build_pair(goals: tuple[int | None, int | None]) -> Json:
    return {"home": goals[0], "away": goals[1]}


def _build_score(
    course: MatchTimeline,
    match: SimulatedMatch,
    moment: TimelineMoment,
    status: TimelineStatus,
    goals: tuple[int | None, int | None],
    rows: list[EventRow],
) -> Json:
    def by(minute: int) -> tuple[int, int]:
        return count_goals(row for row in rows if row.at.minute <= minute)

    none = _build_pair((None, None))
    begun = status.short not in _SCORELESS_STATUSES and goals != (None, None)
    extra = match.extra_time and moment.minute >= course.end and begun
    after = tuple(a - b for a, b in zip(by(120), by(90), strict=True))
    kicked = match.shoot_out and status.short in ("P", "PEN")
    return {
        "halftime": _build_pair(by(45)) if begun else none,
        "fulltime": _build_pair(by(90)) if begun and (extra or moment.minute >= course.end or kicked) else none,
        "extratime": _build_pair((after[0], after[1])) if extra or kicked else none,
        "penalty": _build_pair(count_shoot_out_goals(rows)) if kicked else none,
    }


def _build_events(match: SimulatedMatch, rows: list[EventRow], active: list[FeedEffect]) -> list[Json]:
    events = [_build_event(match, row) for row in rows if row.shown]
    effect = _find_last_effect(active, FeedEffectKind.EVENTS)
    match effect.listing if effect else None:
        case EventListing.EMPTY:
            return []
        case EventListing.REVERSED:
            return events[::-1]
        case EventListing.SHUFFLED:
            return Random(match.id).sample(events, len(events))
    return events


def _build_event(match: SimulatedMatch, row: EventRow) -> Json:
    elapsed, extra = feed_minute(row.at)
    kind, detail = _TYPE_AND_DETAIL.get(row.kind, ("Var", row.text))
    return {
        "time": {"elapsed": elapsed, "extra": extra},
        "team": _build_team(match.get_team(MatchSide(row.side))),
        "player": _build_person(row.player),
        "assist": _build_person(row.assist),
        "type": kind,
        "detail": detail,
        "comments": "Penalty Shootout" if row.in_shoot_out else None,
    }


def _build_person(person: FeedPerson) -> Json:
    return {"id": person.id, "name": person.name}
