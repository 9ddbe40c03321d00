from dataclasses import replace
from datetime import UTC, datetime, timedelta

from found_footy_sim import Scenario, parse_scenario
from found_footy_sim.clock import ClockMode, SimulatedClock

START = datetime(2026, 11, 15, 15, 0, tzinfo=UTC)
TEAMS = 'fixture 1\nhome "H"(1)\naway "A"(2)\n'


class ManualWallClock:
    """A wall clock that a test moves."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def move(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def clock(
    mode: ClockMode, more: str = "", head: str = "", speed: float = 1.0
) -> tuple[SimulatedClock, Scenario, ManualWallClock]:
    scenario, wall = parse_scenario("test", head + TEAMS + more), ManualWallClock()
    return SimulatedClock(scenario, mode, speed, wall), scenario, wall


def test_timed_time_runs_with_the_wall_clock_at_its_speed() -> None:
    timed, scenario, wall = clock(ClockMode.TIMED, "kickoff 10", speed=20)
    (match,) = scenario.matches
    assert timed.get_moment(match).minute == -10
    wall.move(60)
    assert timed.get_moment(match).minute == 10
    assert timed.kickoff_time(match) == START + timedelta(seconds=30)


def test_timed_time_counts_polls_but_does_not_move_by_them() -> None:
    timed, scenario, _ = clock(ClockMode.TIMED)
    (match,) = scenario.matches
    assert [timed.count_poll(match).poll for _ in range(3)] == [1, 2, 3]
    assert timed.get_moment(match).minute == 0


def test_polled_time_moves_by_a_step_per_poll() -> None:
    polled, scenario, wall = clock(ClockMode.POLLED, "kickoff 1", head="each poll 2 minutes\n")
    (match,) = scenario.matches
    wall.move(500)
    assert [polled.count_poll(match).minute for _ in range(4)] == [-1, 1, 3, 5]
    assert polled.get_moment(match).poll == 4


def test_polled_time_jumps_where_the_script_says_and_never_runs_back() -> None:
    polled, scenario, _ = clock(ClockMode.POLLED, "poll 2 reaches 22\npoll 5 reaches 24")
    (match,) = scenario.matches
    assert [polled.count_poll(match).minute for _ in range(6)] == [0, 22, 23, 24, 24, 25]


def test_fixtures_are_polled_apart() -> None:
    polled, scenario, _ = clock(ClockMode.POLLED, 'fixture 2\nhome "C"(3)\naway "D"(4)')
    first, second = scenario.matches
    polled.count_poll(first)
    polled.count_poll(first)
    assert (polled.get_moment(first).poll, polled.get_moment(second).poll) == (2, 0)


def test_manual_time_moves_only_by_command() -> None:
    manual, scenario, wall = clock(ClockMode.MANUAL, "poll 3 reaches 40")
    (match,) = scenario.matches
    wall.move(500)
    manual.count_poll(match)
    assert (manual.count_poll(match).minute, manual.count_poll(match).poll) == (0, 1)
    manual.advance(minutes=23)
    assert manual.get_moment(match).minute == 23
    manual.advance(polls=2)
    assert (manual.get_moment(match).minute, manual.get_moment(match).poll) == (63, 3)


def test_waiting_time_begins_on_command() -> None:
    scenario, wall = parse_scenario("test", TEAMS), ManualWallClock()
    timed = SimulatedClock(scenario, ClockMode.TIMED, 1.0, wall, waiting=True)
    wall.move(600)
    assert timed.get_moment(scenario.matches[0]).minute == 0
    timed.start()
    wall.move(60)
    timed.start()
    assert timed.get_moment(scenario.matches[0]).minute == 1


def test_a_match_that_was_under_way_when_time_began_is_one_of_the_same_day() -> None:
    scenario = parse_scenario("test", TEAMS + "kickoff 0")
    match = replace(scenario.matches[0], kickoff=-90.0)
    began = START.replace(hour=0, minute=5)
    early = SimulatedClock(scenario, ClockMode.TIMED, 2.0, lambda: began)
    assert early.kickoff_time(match) == began - timedelta(minutes=45)
    assert early.announced_kickoff(match) == began.replace(minute=0)
    assert SimulatedClock(scenario, ClockMode.TIMED, 2.0, lambda: START).announced_kickoff(match) == START - timedelta(
        minutes=45
    )
