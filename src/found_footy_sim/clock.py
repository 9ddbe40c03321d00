"""Clocks of the simulated world. Each maps requests, real seconds or commands to a moment per fixture."""

from collections import Counter
from datetime import datetime, timedelta
from enum import StrEnum
from threading import Lock

from found_footy_sim.feed.fixture import get_timeline
from found_footy_sim.feed.timeline import TimelineMoment
from found_footy_sim.script.model import Scenario, SimulatedMatch
from found_footy_sim.wall_clock import WallClock


class ClockMode(StrEnum):
    """timed: real time, sped up. polled: each poll advances its fixture. manual: nothing advances by itself."""

    TIMED = "timed"
    POLLED = "polled"
    MANUAL = "manual"


class SimulatedClock:
    """Thread-safe: a test may advance it while the server answers."""

    def __init__(
        self, scenario: Scenario, mode: ClockMode, speed: float, now: WallClock, *, waiting: bool = False
    ) -> None:
        self.mode = mode
        self.pace = speed if mode is ClockMode.TIMED else 1.0
        self._started_at = None if waiting else now()
        self._now = now
        self._minutes_per_poll = scenario.step
        self._polls: Counter[int] = Counter()
        self._added_polls = 0
        self._added_minutes = 0.0
        self._lock = Lock()

    @property
    def started_at(self) -> datetime:
        """When the clock started; the current time if it has not."""
        return self._started_at or self._now()

    @property
    def has_begun(self) -> bool:
        return self._started_at is not None

    def start(self) -> None:
        """Start the clock if it waits for the first request."""
        with self._lock:
            self._started_at = self._started_at or self._now()

    def get_moment(self, match: SimulatedMatch) -> TimelineMoment:
        """Return the fixture's current moment without counting a poll."""
        with self._lock:
            return self._compute_moment(match)

    def count_poll(self, match: SimulatedMatch) -> TimelineMoment:
        """Count one poll of the fixture and return the moment it sees."""
        with self._lock:
            if self.mode is not ClockMode.MANUAL:
                self._polls[match.id] += 1
            return self._compute_moment(match)

    def advance(self, minutes: float = 0.0, polls: int = 0) -> None:
        """Advance all fixtures. In manual mode nothing else does."""
        with self._lock:
            self._added_minutes += minutes
            self._added_polls += polls

    def kickoff_time(self, match: SimulatedMatch) -> datetime:
        """The wall-clock time of the true kickoff."""
        return self.started_at + timedelta(minutes=match.kickoff / self.pace)

    def announced_kickoff(self, match: SimulatedMatch) -> datetime:
        """The kickoff in the feed. A match that was in play when the clock started is never dated to the day before: a
        run that starts shortly after midnight would otherwise not find it among the matches of the day.
        """
        return max(self.kickoff_time(match), self.started_at.replace(hour=0, minute=0, second=0, microsecond=0))

    def time_of(self, match: SimulatedMatch, minute: float) -> datetime:
        return self.kickoff_time(match) + timedelta(minutes=minute / self.pace)

    def _compute_moment(self, match: SimulatedMatch) -> TimelineMoment:
        polls = self._polls[match.id] + self._added_polls
        if self.mode is ClockMode.TIMED:
            passed = (self._now() - self.started_at).total_seconds() / 60 * self.pace
            return TimelineMoment(passed - match.kickoff + self._added_minutes, polls)
        if self.mode is ClockMode.MANUAL:
            polls += 1
        return TimelineMoment(self._minute_of_poll(match, max(polls, 1)) + self._added_minutes, polls)

    def _minute_of_poll(self, match: SimulatedMatch, poll: int) -> float:
        """Count steps from the last position that the script names, but never past the next one: time does not run
        back.
        """
        course = get_timeline(match)
        named = [(1, -match.kickoff), *((reach.poll, course.minute_at(reach.position)) for reach in match.reaches)]
        reached, minute = [place for place in named if place[0] <= poll][-1]
        ahead = [place[1] for place in named if place[0] > poll]
        return min([minute + (poll - reached) * self._minutes_per_poll, *ahead[:1]])
