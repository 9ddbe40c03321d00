"""The timeline of a match: its phases, and the conversion between match positions and minutes after kickoff."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import floor

from found_footy_sim.script.model import (
    FeedWindow,
    MatchPosition,
    PositionAnchor,
    SimulatedMatch,
    SimulatedPost,
    WindowEdge,
)
from found_footy_sim.script.values import ScriptError

STATUS_NAMES = {
    "TBD": "Time to be defined",
    "NS": "Not Started",
    "1H": "First Half",
    "HT": "Halftime",
    "2H": "Second Half",
    "ET": "Extra Time",
    "BT": "Break Time",
    "P": "Penalty In Progress",
    "SUSP": "Match Suspended",
    "INT": "Match Interrupted",
    "FT": "Match Finished",
    "AET": "Match Finished",
    "PEN": "Match Finished",
    "PST": "Match Postponed",
    "CANC": "Match Cancelled",
    "ABD": "Match Abandoned",
    "AWD": "Technical Loss",
    "WO": "WalkOver",
    "LIVE": "In Progress",
}
IN_PLAY_STATUSES = frozenset({"1H", "HT", "2H", "ET", "BT", "P", "LIVE", "SUSP", "INT"})

_PERIODS = ((1, 45, "1H"), (46, 90, "2H"), (91, 105, "ET"), (106, 120, "ET"))
_EXTRA_TIME_BREAK_MINUTES = 1.0


@dataclass(frozen=True)
class TimelineMoment:
    """Minutes since the true kickoff, and the number of polls of the fixture, this one included."""

    minute: float
    poll: int = 0


@dataclass(frozen=True)
class TimelinePhase:
    """A phase of the match. In play, `first` is its first minute and `regular` the last regular one."""

    start: float
    status: str
    half: int = -1
    first: int = 0
    regular: int = 0


@dataclass(frozen=True)
class TimelineStatus:
    short: str
    long: str
    elapsed: int | None
    extra: int | None


@dataclass(frozen=True)
class MatchTimeline:
    phases: tuple[TimelinePhase, ...]
    kickoff: float

    @property
    def end(self) -> float:
        return self.phases[-1].start

    def minute_at(self, position: MatchPosition) -> float:
        """Return the minutes after kickoff of a match position."""
        match position.anchor:
            case PositionAnchor.START:
                return position.offset - self.kickoff
            case PositionAnchor.KICKOFF:
                return position.offset
            case PositionAnchor.END:
                return self.end + position.offset
            case PositionAnchor.HALF_TIME:
                return self._phase_start("HT") + position.offset
            case PositionAnchor.KICK:
                return self._phase_start("P") + position.minute
        return self._minute_in_play(position)

    def _phase_start(self, status: str) -> float:
        for phase in self.phases:
            if phase.status == status:
                return phase.start
        raise ScriptError(f"this match never comes to {status}")

    def _minute_in_play(self, position: MatchPosition) -> float:
        half = next((index for index, (_, last, _) in enumerate(_PERIODS) if position.minute <= last), len(_PERIODS))
        wanted = position.minute + (position.extra or 0)
        playing = [phase for phase in self.phases if phase.half == half and phase.first <= wanted]
        if not playing:
            raise ScriptError(f"minute {position.minute} is never played in this match")
        return playing[-1].start + wanted - playing[-1].first

    def phase_at(self, minute: float) -> TimelinePhase:
        begun = [phase for phase in self.phases if phase.start <= minute]
        return begun[-1] if begun else TimelinePhase(float("-inf"), "NS")

    def status_at(self, minute: float) -> TimelineStatus:
        phase = self.phase_at(minute)
        if phase.half >= 0 and phase.status not in ("SUSP", "INT", "HT", "BT"):
            played = phase.first + floor(minute - phase.start)
            extra = played - phase.regular
            elapsed = min(played, phase.regular)
            return TimelineStatus(phase.status, STATUS_NAMES[phase.status], elapsed, extra if extra > 0 else None)
        return TimelineStatus(phase.status, STATUS_NAMES.get(phase.status, phase.status), phase.regular or None, None)

    def is_open(self, window: FeedWindow, moment: TimelineMoment) -> bool:
        if not self._has_reached(window.start, moment):
            return False
        end = window.end
        if end is None:
            return True
        if end.poll is not None:
            return moment.poll <= end.poll
        return not self._has_reached(end, moment)

    def _has_reached(self, edge: WindowEdge, moment: TimelineMoment) -> bool:
        if edge.poll is not None:
            return moment.poll >= edge.poll
        assert edge.position is not None
        return moment.minute >= self.minute_at(edge.position)

    def second_half_start(self) -> float | None:
        return next((phase.start for phase in self.phases if phase.half == 1), None)


def build_timeline(match: SimulatedMatch) -> MatchTimeline:
    """Play lasts one minute past the announced added time, so that 90+4 of `added 2 4` is still seen in play."""
    phases = _build_phases(match)
    for stop in match.stops:
        phases = _insert_stoppage(
            phases, MatchTimeline(tuple(phases), match.kickoff).minute_at(stop.at), stop.minutes, stop.status
        )
    if match.ending:
        course = MatchTimeline(tuple(phases), match.kickoff)
        end = course.minute_at(match.ending.at)
        shown = course.status_at(end).elapsed or 0
        phases = [phase for phase in phases if phase.start < end] + [
            TimelinePhase(end, match.ending.status, regular=shown)
        ]
    return MatchTimeline(tuple(phases), match.kickoff)


def check_match(match: SimulatedMatch, posts: Iterable[SimulatedPost]) -> None:
    """Raise for a script that names a position which this match never reaches."""
    course = build_timeline(match)
    edges = [edge for window in _list_windows(match) for edge in (window.start, window.end) if edge]
    places = [edge.position for edge in edges if edge.position] + [reach.position for reach in match.reaches]
    places += [post.at for post in posts if post.at and post.fixture == match.id]
    for place in places:
        course.minute_at(place)
    reached = [(reach.poll, course.minute_at(reach.position)) for reach in match.reaches]
    for (poll, minute), (next_poll, next_minute) in pairwise(reached):
        if next_poll <= poll or next_minute < minute:
            raise ScriptError(f"fixture {match.id} would run backwards between poll {poll} and poll {next_poll}")
    for incident in match.incidents:
        shown = course.status_at(course.minute_at(incident.at))
        in_time = incident.at.anchor is PositionAnchor.KICK or (shown.elapsed, shown.extra) == (
            incident.at.minute,
            incident.at.extra,
        )
        if match.ending is None and not in_time:
            raise ScriptError(f"{incident.name} comes after the whistle: fixture {match.id} needs more added time")


def _list_windows(match: SimulatedMatch) -> list[FeedWindow]:
    return [effect.window for effect in match.effects] + [fault.window for fault in match.faults]


def _build_phases(match: SimulatedMatch) -> list[TimelinePhase]:
    phases: list[TimelinePhase] = []
    now = 0.0
    for half, (first, last, status) in enumerate(_PERIODS[: 4 if match.extra_time else 2]):
        begins = 0 if half == 0 else first
        phases.append(TimelinePhase(now, status, half, begins, last))
        now += last - begins + match.added[half] + 1
        phases.append(TimelinePhase(now, "HT" if half == 0 else "BT", regular=last))
        now += match.pause if half == 0 else _EXTRA_TIME_BREAK_MINUTES
    last_whistle = phases.pop()
    if match.shoot_out:
        phases.append(TimelinePhase(last_whistle.start, "P", regular=120))
        kicks = [incident.at.minute for incident in match.incidents if incident.at.anchor is PositionAnchor.KICK]
        end = last_whistle.start + max(kicks, default=0) + 1
        return [*phases, TimelinePhase(end, "PEN", regular=120)]
    status = "AET" if match.extra_time else "FT"
    return [*phases, TimelinePhase(last_whistle.start, status, regular=last_whistle.regular)]


def _insert_stoppage(phases: list[TimelinePhase], at: float, minutes: float, status: str) -> list[TimelinePhase]:
    """Insert a stoppage into the phases: later ones are delayed."""
    before = [phase for phase in phases if phase.start <= at]
    cut = before[-1]
    shown = MatchTimeline(tuple(phases), 0.0).status_at(at).elapsed or 0
    resumed = TimelinePhase(at + minutes, cut.status, cut.half, cut.first + floor(at - cut.start), cut.regular)
    later = [TimelinePhase(p.start + minutes, p.status, p.half, p.first, p.regular) for p in phases if p.start > at]
    return [*before, TimelinePhase(at, status, regular=shown), resumed, *later]
