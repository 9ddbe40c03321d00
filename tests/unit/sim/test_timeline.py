import pytest

from found_footy_sim import parse_scenario
from found_footy_sim.feed.timeline import MatchTimeline, TimelineMoment, TimelineStatus, build_timeline
from found_footy_sim.script.model import FeedWindow
from found_footy_sim.script.values import parse_edge, parse_position

TEAMS = 'fixture 1\nhome "H"(1)\naway "A"(2)\nadded 2 4\nbreak 15\n'


def course(more: str = "") -> MatchTimeline:
    return build_timeline(parse_scenario("test", TEAMS + more).matches[0])


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("KO-1", ("NS", None, None)),
        ("KO", ("1H", 0, None)),
        ("23", ("1H", 23, None)),
        ("45", ("1H", 45, None)),
        ("45+2", ("1H", 45, 2)),
        ("HT", ("HT", 45, None)),
        ("46", ("2H", 46, None)),
        ("90", ("2H", 90, None)),
        ("90+4", ("2H", 90, 4)),
        ("FT", ("FT", 90, None)),
        ("FT+600", ("FT", 90, None)),
    ],
)
def test_status_through_an_ordinary_match(place: str, status: tuple[str, int | None, int | None]) -> None:
    reported = course().status_at(course().minute_at(parse_position(place)))
    assert (reported.short, reported.elapsed, reported.extra) == status


@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("91", ("ET", 91, None)),
        ("105+1", ("ET", 105, 1)),
        ("106", ("ET", 106, None)),
        ("120+1", ("ET", 120, 1)),
        ("P1", ("P", 120, None)),
        ("FT", ("PEN", 120, None)),
    ],
)
def test_status_through_extra_time_and_kicks(place: str, status: tuple[str, int | None, int | None]) -> None:
    whole = course('shoot-out\nat P5 penalty home "X"(1)')
    reported = whole.status_at(whole.minute_at(parse_position(place)))
    assert (reported.short, reported.elapsed, reported.extra) == status


def test_extra_time_alone_ends_as_such() -> None:
    whole = course("extra time")
    assert whole.status_at(whole.end).short == "AET"


def test_the_break_lasts_as_long_as_scripted_and_the_second_half_begins_at_46() -> None:
    whole = course()
    assert whole.minute_at(parse_position("46")) - whole.minute_at(parse_position("HT")) == 15
    assert whole.second_half_start() == whole.minute_at(parse_position("46"))


def test_a_halt_stops_the_minute_and_delays_everything_after_it() -> None:
    plain, halted = course(), course("stops at 30 for 20 as SUSP")
    assert halted.status_at(30) == TimelineStatus("SUSP", "Match Suspended", 30, None)
    assert halted.status_at(49.9).short == "SUSP"
    assert halted.status_at(50) == TimelineStatus("1H", "First Half", 30, None)
    assert halted.minute_at(parse_position("29")) == plain.minute_at(parse_position("29"))
    assert halted.minute_at(parse_position("31")) == plain.minute_at(parse_position("31")) + 20
    assert halted.end == plain.end + 20


def test_an_early_end_is_final() -> None:
    ended = course("ends at 63 as ABD")
    assert ended.status_at(ended.minute_at(parse_position("62"))).short == "2H"
    assert ended.status_at(ended.end) == TimelineStatus("ABD", "Match Abandoned", 63, None)
    assert ended.status_at(ended.end + 1000).short == "ABD"


@pytest.mark.parametrize(
    ("start", "end", "moment", "is_open"),
    [
        ("poll 3", None, TimelineMoment(0, 2), False),
        ("poll 3", None, TimelineMoment(0, 3), True),
        ("poll 3", "poll 5", TimelineMoment(0, 5), True),
        ("poll 3", "poll 5", TimelineMoment(0, 6), False),
        ("23", None, TimelineMoment(22.9, 9), False),
        ("23", "25", TimelineMoment(24.9, 9), True),
        ("23", "25", TimelineMoment(25, 9), False),
        ("poll 3", "25", TimelineMoment(30, 3), False),
    ],
)
def test_windows_include_their_polls_and_end_before_their_minute(
    start: str, end: str | None, moment: TimelineMoment, is_open: bool
) -> None:
    window = FeedWindow(parse_edge(start), parse_edge(end) if end else None)
    assert course().is_open(window, moment) is is_open
