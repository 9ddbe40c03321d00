"""Clocks among the text of a frame."""

import pytest

from found_footy.vision.clock import frame_minute
from found_footy.vision.local.clock_readings import (
    ClockReading,
    find_clocks,
    find_rows_beside_clocks,
    find_running_pair,
    find_static_clocks,
)
from found_footy.vision.local.text_boxes import RelativeBox, TextBox, TextRow, group_rows

WIDE = 16 / 9


def text(words: str, left: float, top: float = 0.05, *, tall: float = 0.04, score: float = 0.99) -> TextBox:
    return TextBox(RelativeBox(left, top, left + 0.012 * len(words), top + tall), words, score)


def clocks(*boxes: TextBox) -> list[ClockReading]:
    return find_clocks(group_rows(boxes, WIDE))


def printed(*boxes: TextBox) -> list[str]:
    return [clock.clock for clock in clocks(*boxes)]


def row(*boxes: TextBox) -> list[str]:
    return [found.text for found in group_rows(boxes, WIDE)]


def test_boxes_on_one_line_are_joined_from_left_to_right() -> None:
    assert row(text("ARS", 0.30), text("34:12", 0.05), text("LIV", 0.15, 0.055), text("0-0", 0.22)) == [
        "34:12 LIV 0-0 ARS"
    ]


def test_lines_and_far_things_are_kept_apart() -> None:
    assert row(text("LIV", 0.05), text("34:12", 0.05, 0.12), text("CHANNEL", 0.85)) == ["LIV", "CHANNEL", "34:12"]


def test_a_place_in_a_row_leads_to_its_boxes() -> None:
    joined = TextRow((text("LIV", 0.05), text("34:12", 0.15)))
    assert [part.text for part in joined.boxes_between(4, 9)] == ["34:12"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("LIV 0-0 ARS 34:12", ["34:12"]),
        ("34.12", ["34:12"]),
        ("LIV 0-0 ARS 34.12", ["34:12"]),
        ("BET NOW 2.10", []),
        ("HOME 1.85", []),
        ("ONLY 9.99", []),
        ("FM 98.50", []),
        ("1.85 3.40 4.20", []),
        ("2.10", []),
        ("TONIGHT 21.00", []),
        ("KO 20:45", []),
        ("20:45 KO", []),
        ("KICK-OFF 20:45", []),
        ("TODAY 18:30", []),
        ("8:00 PM", []),
        ("20:45 UHR", []),
        ("LIVE AT 20:45 CET", []),
        ("2T 04:53", ["2T 04:53"]),
        ("+291:43", ["91:43"]),
        ("+2 91:43", ["91:43"]),
        ("34 : 12", ["34:12"]),
        ("45+2:30 LIV", ["45+2:30"]),
        ("2°T 04:53", ["2OT 04:53"]),
        ("2 : 10", []),
        ("LIV 2:1 ARS", []),
        ("34:12:05", []),
        ("15.11.2026", []),
        ("1234:56", []),
        ("99:99", []),
        ("DOR 1-1 FCB VERL 116:24", ["VERL 116:24"]),
        ("DOR 1-1 FCB n.V. 116:24", ["N.V 116:24"]),
        ("116:24 Prol. DOR 1-1 FCB", ["PROL 116:24"]),
        ("1st HALF", []),
        ("THE WEEKLY", []),
    ],
)
def test_a_clock_is_found_among_other_words(words: str, found: list[str]) -> None:
    assert printed(text(words, 0.05)) == found


def test_the_announcement_is_kept_beside_the_clock() -> None:
    assert [clock.added for clock in clocks(text("91:43", 0.05), text("+4", 0.12))] == ["+4"]
    assert [clock.added for clock in clocks(text("+2", 0.02), text("91:43", 0.05))] == ["+2"]


@pytest.mark.parametrize("half", ["1ST HALF", "2ND HALF", "ET"])
def test_the_half_may_stand_above_the_clock(half: str) -> None:
    assert printed(text(half, 0.05, 0.02), text("04:53", 0.06, 0.07)) == [f"{half} 04:53"]


def test_a_dot_behind_the_label_above_the_clock_does_not_matter() -> None:
    assert printed(text("Verl.", 0.05, 0.02), text("116:24", 0.06, 0.07)) == ["VERL 116:24"]


def test_the_name_of_a_channel_above_the_clock_is_not_its_half() -> None:
    assert printed(text("PRO", 0.05, 0.02), text("116:24", 0.06, 0.07)) == ["116:24"]


def test_a_score_above_the_clock_is_not_its_half() -> None:
    assert printed(text("1O", 0.05, 0.02), text("48:53", 0.06, 0.07)) == ["48:53"]


def test_at_a_known_place_a_dot_will_do() -> None:
    line = TextRow((text("LIV 34.12", 0.05),))
    assert [clock.clock for clock in find_clocks([line], is_known_place=True)] == ["34:12"]
    assert find_clocks([line]) == []


def test_only_the_rows_of_the_score_bug_say_which_sport_it_is() -> None:
    bug = [text("KC 14", 0.05), text("SF 10", 0.13), text("12:34", 0.21)]
    below, caption = text("3RD & 8", 0.12, 0.1), text("4TH QUARTER RESULTS", 0.3, 0.8)
    lines = group_rows([*bug, below, caption, text("SET 2", 0.8)], WIDE)
    assert [row.text for row in find_rows_beside_clocks(lines, find_clocks(lines))] == ["KC 14 SF 10 12:34", "3RD & 8"]
    large = group_rows([*bug, text("LAP 12", 0.1, 0.1, tall=0.2)], WIDE)
    assert [row.text for row in find_rows_beside_clocks(large, find_clocks(large))] == ["KC 14 SF 10 12:34"]


def test_a_timer_belongs_to_the_clock_that_stands_beside_it() -> None:
    [clock] = clocks(text("90:00", 0.05), text("02:17", 0.13))
    assert (clock.clock, clock.stoppage_clock, clock.match_seconds) == ("90:00", "02:17", 92 * 60 + 17)


def test_a_timer_below_a_standing_clock_belongs_to_it_too() -> None:
    [clock] = clocks(text("45:00", 0.05), text("+3", 0.12), text("01:05", 0.05, 0.11))
    assert (clock.stoppage_clock, clock.added) == ("01:05", "+3")


@pytest.mark.parametrize(("stands", "minute"), [("45:00", 93), ("90:00", 93)])
def test_a_word_between_a_standing_clock_and_its_timer_names_the_half_of_both(stands: str, minute: int) -> None:
    [clock] = clocks(text(stands, 0.05), text("2ND", 0.13), text("03:58", 0.19))
    assert (clock.clock, clock.stoppage_clock, frame_minute(clock)) == (f"2ND {stands}", "03:58", minute)


def test_two_running_clocks_are_two() -> None:
    assert printed(text("34:12", 0.05), text("20:45", 0.8)) == ["34:12", "20:45"]


def at(clock: str, left: float = 0.05, *, timer: str | None = None) -> ClockReading:
    box = RelativeBox(left, 0.05, left + 0.06, 0.09)
    return ClockReading(clock, box, box, 0.99, stoppage_clock=timer)


@pytest.mark.parametrize(
    ("first", "second", "apart", "together"),
    [
        (at("34:10"), at("34:15"), 5.0, True),
        (at("34:10"), at("34:29"), 5.0, True),
        (at("34:10"), at("34:35"), 5.0, False),
        (at("34:10"), at("34:05"), 5.0, False),
        (at("20:45"), at("20:45"), 5.0, False),
        (at("34:10"), at("34:10"), 0.5, False),
        (at("34:10"), at("34:11"), 0.5, True),
        (at("90:00"), at("90:00"), 5.0, True),
        (at("90:00", timer="02:10"), at("90:00", timer="02:15"), 5.0, True),
        (at("34:10"), at("34:15", 0.5), 5.0, False),
    ],
)
def test_a_match_clock_runs(first: ClockReading, second: ClockReading, apart: float, together: bool) -> None:
    assert (find_running_pair([first], [second], apart) is not None) is together


def test_the_clock_that_runs_is_chosen_among_those_that_do_not() -> None:
    first, second = [at("20:45", 0.8), at("34:10")], [at("20:45", 0.8), at("34:15")]
    assert find_running_pair(first, second, 5.0) == (first[1], second[1])
    assert find_static_clocks(first, second, 5.0) == [first[0], second[0]]
