"""The fixtures of one calendar day, as a viewer in a time zone sees them. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from found_footy.views.fixture_views import FixturePhase, FixtureView, GoalView
from found_footy.views.timetable import PHASE_ORDER, time_zone_name

# Days whose both midnights a datetime can express in every time zone, with room to spare.
MIN_DAY = date(1970, 1, 1)
MAX_DAY = date(2999, 12, 31)


@dataclass(frozen=True)
class DaySpan:
    """The instants of a day: from `start` until before `end`, in UTC. A day has 23 or 25 hours where clocks change."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class DaySummary:
    """A day that has fixtures, and how many."""

    day: date
    matches: int


@dataclass(frozen=True)
class DayView:
    """`matches` kick off on the day: live ones first, then finished, upcoming, called off. `still_live` kicked off on
    another day and are being played; listed only on the present day. `previous_day` and `next_day` are the nearest
    days that have fixtures.
    """

    day: date
    zone: str
    is_today: bool
    previous_day: date | None
    next_day: date | None
    matches: tuple[FixtureView, ...]
    still_live: tuple[FixtureView, ...] = ()


@dataclass(frozen=True)
class PlayableGoal:
    """A goal that has a clip, and its match."""

    match: FixtureView
    goal: GoalView


def list_newest_goals(view: DayView, limit: int) -> tuple[PlayableGoal, ...]:
    """The goals of a day that have a clip, the one whose best clip came last first."""
    found = [
        PlayableGoal(match, goal) for match in (*view.still_live, *view.matches) for goal in match.goals if goal.clips
    ]
    return tuple(sorted(found, key=_playable_since, reverse=True)[:limit])


def _playable_since(found: PlayableGoal) -> tuple[datetime, str]:
    goal = found.goal
    return goal.clips[0].added_at or goal.first_seen or found.match.kickoff, goal.event_id


def day_span(day: date, zone: tzinfo) -> DaySpan:
    """Where midnight does not exist or comes twice, the day begins at its first instant: `fold` 0 gives that."""
    start, end = (datetime.combine(one, time(), zone) for one in (day, day + timedelta(days=1)))
    return DaySpan(start.astimezone(UTC), end.astimezone(UTC))


def local_day(moment: datetime, zone: tzinfo) -> date:
    """The calendar day of an instant."""
    return moment.astimezone(zone).date()


def summarize_days(kickoffs: Iterable[datetime], zone: tzinfo) -> tuple[DaySummary, ...]:
    """The days that have fixtures, earliest first."""
    counted = Counter(local_day(moment, zone) for moment in kickoffs)
    return tuple(DaySummary(day, counted[day]) for day in sorted(counted))


def order_day(fixtures: Iterable[FixtureView]) -> tuple[FixtureView, ...]:
    """Live ones first, then finished, upcoming, called off; within each by kickoff."""
    return tuple(sorted(fixtures, key=lambda one: (PHASE_ORDER[one.phase], one.kickoff, one.fixture_id)))


def build_day_view(
    day: date,
    zone: tzinfo,
    now: datetime,
    fixtures: Iterable[FixtureView],
    *,
    previous_kickoff: datetime | None,
    next_kickoff: datetime | None,
    active: Iterable[FixtureView] = (),
) -> DayView:
    """`fixtures` and `active` may overlap and may contain other days: what belongs to the day is selected here."""
    is_today = local_day(now, zone) == day
    own = [one for one in fixtures if local_day(one.kickoff, zone) == day]
    others = [one for one in active if one.phase is FixturePhase.LIVE and local_day(one.kickoff, zone) != day]
    return DayView(
        day=day,
        zone=time_zone_name(zone),
        is_today=is_today,
        previous_day=local_day(previous_kickoff, zone) if previous_kickoff else None,
        next_day=local_day(next_kickoff, zone) if next_kickoff else None,
        matches=order_day(own),
        still_live=order_day(others) if is_today else (),
    )
