"""The course of a match: phases over time, and the way from a place in the match to minutes after kick-off and back."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import floor

from found_footy.sim.script.model import Anchor, Edge, Match, Position, Post, Window
from found_footy.sim.script.values import ScriptError

LONG = {
    "TBD": "Time to be defined", "NS": "Not Started", "1H": "First Half", "HT": "Halftime", "2H": "Second Half",
    "ET": "Extra Time", "BT": "Break Time", "P": "Penalty In Progress", "SUSP": "Match Suspended",
    "INT": "Match Interrupted", "FT": "Match Finished", "AET": "Match Finished", "PEN": "Match Finished",
    "PST": "Match Postponed", "CANC": "Match Cancelled", "ABD": "Match Abandoned", "AWD": "Technical Loss",
    "WO": "WalkOver", "LIVE": "In Progress",
}  # fmt: skip
IN_PLAY = frozenset({"1H", "HT", "2H", "ET", "BT", "P", "LIVE", "SUSP", "INT"})

_HALVES = ((1, 45, "1H"), (46, 90, "2H"), (91, 105, "ET"), (106, 120, "ET"))
_SHORT_BREAK = 1.0


@dataclass(frozen=True)
class Moment:
    """Minutes since the true kick-off, and how many polls the fixture has had, this one included."""

    minute: float
    poll: int = 0


@dataclass(frozen=True)
class Phase:
    """A stretch of the match. In play, `first` is the minute it begins with and `regular` the last regular one."""

    start: float
    status: str
    half: int = -1
    first: int = 0
    regular: int = 0


@dataclass(frozen=True)
class Status:
    short: str
    long: str
    elapsed: int | None
    extra: int | None


@dataclass(frozen=True)
class Timeline:
    phases: tuple[Phase, ...]
    kickoff: float

    @property
    def end(self) -> float:
        return self.phases[-1].start

    def at(self, position: Position) -> float:
        """Minutes after kick-off of a place in the match."""
        match position.anchor:
            case Anchor.START:
                return position.offset - self.kickoff
            case Anchor.KICKOFF:
                return position.offset
            case Anchor.END:
                return self.end + position.offset
            case Anchor.HALF_TIME:
                return self._start_of("HT") + position.offset
            case Anchor.KICK:
                return self._start_of("P") + position.minute
        return self._minute(position)

    def _start_of(self, status: str) -> float:
        for phase in self.phases:
            if phase.status == status:
                return phase.start
        raise ScriptError(f"this match never comes to {status}")

    def _minute(self, position: Position) -> float:
        half = next((index for index, (_, last, _) in enumerate(_HALVES) if position.minute <= last), len(_HALVES))
        wanted = position.minute + (position.extra or 0)
        playing = [phase for phase in self.phases if phase.half == half and phase.first <= wanted]
        if not playing:
            raise ScriptError(f"minute {position.minute} is never played in this match")
        return playing[-1].start + wanted - playing[-1].first

    def phase(self, minute: float) -> Phase:
        begun = [phase for phase in self.phases if phase.start <= minute]
        return begun[-1] if begun else Phase(float("-inf"), "NS")

    def status(self, minute: float) -> Status:
        phase = self.phase(minute)
        if phase.half >= 0 and phase.status not in ("SUSP", "INT", "HT", "BT"):
            played = phase.first + floor(minute - phase.start)
            extra = played - phase.regular
            elapsed = min(played, phase.regular)
            return Status(phase.status, LONG[phase.status], elapsed, extra if extra > 0 else None)
        return Status(phase.status, LONG.get(phase.status, phase.status), phase.regular or None, None)

    def open(self, window: Window, moment: Moment) -> bool:
        if not self._reached(window.start, moment):
            return False
        end = window.end
        if end is None:
            return True
        if end.poll is not None:
            return moment.poll <= end.poll
        return not self._reached(end, moment)

    def _reached(self, edge: Edge, moment: Moment) -> bool:
        if edge.poll is not None:
            return moment.poll >= edge.poll
        assert edge.position is not None
        return moment.minute >= self.at(edge.position)

    def second_half(self) -> float | None:
        return next((phase.start for phase in self.phases if phase.half == 1), None)


def timeline(match: Match) -> Timeline:
    """Play lasts one minute past the announced added time, so that 90+4 of `added 2 4` is still seen in play."""
    phases = _whole(match)
    for stop in match.stops:
        phases = _halted(phases, Timeline(tuple(phases), match.kickoff).at(stop.at), stop.minutes, stop.status)
    if match.ending:
        course = Timeline(tuple(phases), match.kickoff)
        end = course.at(match.ending.at)
        shown = course.status(end).elapsed or 0
        phases = [phase for phase in phases if phase.start < end] + [Phase(end, match.ending.status, regular=shown)]
    return Timeline(tuple(phases), match.kickoff)


def check(match: Match, posts: Iterable[Post]) -> None:
    """Refuse a script that names a place which this match never comes to."""
    course = timeline(match)
    edges = [edge for window in _windows(match) for edge in (window.start, window.end) if edge]
    places = [edge.position for edge in edges if edge.position] + [reach.position for reach in match.reaches]
    places += [post.at for post in posts if post.at and post.fixture == match.id]
    for place in places:
        course.at(place)
    reached = [(reach.poll, course.at(reach.position)) for reach in match.reaches]
    for (poll, minute), (next_poll, next_minute) in pairwise(reached):
        if next_poll <= poll or next_minute < minute:
            raise ScriptError(f"fixture {match.id} would run backwards between poll {poll} and poll {next_poll}")
    for incident in match.incidents:
        shown = course.status(course.at(incident.at))
        in_time = incident.at.anchor is Anchor.KICK or (shown.elapsed, shown.extra) == (
            incident.at.minute,
            incident.at.extra,
        )
        if match.ending is None and not in_time:
            raise ScriptError(f"{incident.name} comes after the whistle: fixture {match.id} needs more added time")


def _windows(match: Match) -> list[Window]:
    return [effect.window for effect in match.effects] + [said.window for said in match.faults]


def _whole(match: Match) -> list[Phase]:
    phases: list[Phase] = []
    now = 0.0
    for half, (first, last, status) in enumerate(_HALVES[: 4 if match.extra_time else 2]):
        begins = 0 if half == 0 else first
        phases.append(Phase(now, status, half, begins, last))
        now += last - begins + match.added[half] + 1
        phases.append(Phase(now, "HT" if half == 0 else "BT", regular=last))
        now += match.pause if half == 0 else _SHORT_BREAK
    last_whistle = phases.pop()
    if match.shoot_out:
        phases.append(Phase(last_whistle.start, "P", regular=120))
        kicks = [incident.at.minute for incident in match.incidents if incident.at.anchor is Anchor.KICK]
        end = last_whistle.start + max(kicks, default=0) + 1
        return [*phases, Phase(end, "PEN", regular=120)]
    status = "AET" if match.extra_time else "FT"
    return [*phases, Phase(last_whistle.start, status, regular=last_whistle.regular)]


def _halted(phases: list[Phase], at: float, minutes: float, status: str) -> list[Phase]:
    """The phases with a halt put in: what comes after it is moved back."""
    before = [phase for phase in phases if phase.start <= at]
    cut = before[-1]
    shown = Timeline(tuple(phases), 0.0).status(at).elapsed or 0
    resumed = Phase(at + minutes, cut.status, cut.half, cut.first + floor(at - cut.start), cut.regular)
    later = [Phase(p.start + minutes, p.status, p.half, p.first, p.regular) for p in phases if p.start > at]
    return [*before, Phase(at, status, regular=shown), resumed, *later]
