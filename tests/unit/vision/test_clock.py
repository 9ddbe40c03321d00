"""The broadcast clock: tables of what a text means."""

from dataclasses import dataclass

import pytest

from found_footy.domain.outcomes import TimestampStatus
from found_footy.vision.clock import (
    compute_absolute_minute,
    frame_minute,
    parse_added_field,
    parse_clock_field,
    parse_stoppage_clock_field,
    validate_timestamp,
)

VERIFIED, UNVERIFIED, REJECTED = TimestampStatus.VERIFIED, TimestampStatus.UNVERIFIED, TimestampStatus.REJECTED


@dataclass(frozen=True)
class Shown:
    """What one frame shows."""

    clock: str | None = None
    stoppage_clock: str | None = None
    added: str | None = None


@pytest.mark.parametrize(
    ("text", "minute"),
    [
        ("34:12", 34),
        ("112:54", 112),
        ("0:45", 0),
        ("90", 90),
        ("12'", 12),
        ("34.12", 34),
        ("  34:12 ", 34),
        ("HT", None),
        ("FT", None),
        ("NONE", None),
        ("", None),
        (None, None),
        ("1st half", None),
        ("HT 45:00", None),
        ("2H 5:00", 50),
        ("2h 5:00", 50),
        ("2H 67:00", 67),
        ("1H 35:00", 35),
        ("2ND HALF 5:00", 50),
        ("5:00 2H", 50),
        ("2T 04:53", 49),
        ("2º T 04:53", 49),
        ("1ª 13:09", 13),
        ("2H5:00", 50),
        ("1H 2H 5:00", None),
        ("ET 04:04", 94),
        ("ET 102:53", 102),
        ("ET 30:00", 120),
        ("ET2 20:00", 110),
        ("ET2 05:00", None),
        ("VERL 116:24", 116),
        ("116:24 VERL", 116),
        ("Verl. 116:24", 116),
        ("n.V. 116:24", 116),
        ("NV 116:24", 116),
        ("Prol. 116:24", 116),
        ("Prol. 26:24", 116),
        ("A.E.T. 116:24", 116),
        ("AET 116:24", 116),
        ("pro. 116:24", 116),
        ("PRO 16:24", 16),
        ("1º TS 07:00", 97),
        ("2TS 112:00", 112),
        ("2. VERL 112:00", 112),
        ("2. VERL 07:00", None),
        ("VERLUST 116:24", None),
        ("2H 45+2", 92),
        ("2HZ 12:03", 57),
        ("1H 45+2", 47),
        ("45+2", 47),
        ("45+2:30", 47),
        ("45 + 2", 47),
        ("90+4'", 94),
        ("45:00+2", 47),
        ("34+2", None),
        ("90:00 +4", 90),
        ("90:00 +4 02:17", 92),
        ("90:00 02:17", 92),
        ("91:43 +2", 91),
        ("91:43+2", 91),
        ("34:12 02:17", None),
        ("34:12 67:10", None),
        ("34:12 34:12", None),
    ],
)
def test_the_clock_field_means_one_minute_or_none(text: str | None, minute: int | None) -> None:
    assert parse_clock_field(text) == minute


@pytest.mark.parametrize(
    ("text", "minute"),
    [("+291:43", 91), ("+2 91:43", 91), ("+1091:43", 91), ("+1105:20", 105), ("90:00+502:17", 92), ("+112:30", None)],
)
def test_an_announcement_joined_to_the_clock_is_separated(text: str, minute: int | None) -> None:
    assert parse_clock_field(text) == minute


@pytest.mark.parametrize(
    "text", ["20:45 KO", "2:1", "34:72", "131", "999:00", "45²", "15.11.2026", "QTR 12:34", "1:2:3", "-5:00"]
)
def test_what_is_no_match_clock_is_none(text: str) -> None:
    assert parse_clock_field(text) is None


@pytest.mark.parametrize("text", ["３４：１２", "٣٤:١٢", "34∶12", "34:12\u00a0", "34：12"])
def test_other_ways_of_writing_the_same_signs_mean_the_same(text: str) -> None:
    assert parse_clock_field(text) == 34


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("+4", 4),
        ("+ 3", 3),
        ("+4'", 4),
        (" +10 ", 10),
        ("4", None),
        ("", None),
        (None, None),
        ("+99", None),
        ("+", None),
    ],
)
def test_added_time_needs_its_plus(text: str | None, minutes: int | None) -> None:
    assert parse_added_field(text) == minutes


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("03:57", 3),
        ("3:57", 3),
        ("12:01", 12),
        ("3", None),
        ("03:60", None),
        ("+3:57", None),
        ("NONE", None),
        (None, None),
    ],
)
def test_the_small_timer_is_minutes_and_seconds(text: str | None, minutes: int | None) -> None:
    assert parse_stoppage_clock_field(text) == minutes


def test_the_small_timer_is_added_to_the_clock() -> None:
    assert compute_absolute_minute(90, 3) == 93
    assert compute_absolute_minute(90, None) == 90
    assert compute_absolute_minute(None, 3) is None


def test_a_timer_beside_a_clock_that_runs_on_only_repeats_it() -> None:
    assert frame_minute(Shown("95:10", "05:10")) == 95
    assert frame_minute(Shown("90:00", "05:10")) == 95
    assert frame_minute(Shown("90:00 +6 05:10", "05:10")) == 95


@pytest.mark.parametrize(
    ("frames", "elapsed", "extra", "status", "minute"),
    [
        ([Shown("34:12")], 34, None, VERIFIED, 34),
        ([Shown("31:59")], 34, None, VERIFIED, 31),
        ([Shown("30:59")], 34, None, REJECTED, 30),
        ([Shown("37:00")], 34, None, VERIFIED, 37),
        ([Shown("38:00")], 34, None, REJECTED, 38),
        ([Shown("30:00"), Shown("33:59")], 34, None, VERIFIED, 33),
        ([Shown("36:00"), Shown("35:00")], 34, None, VERIFIED, 35),
        ([Shown("12:00"), Shown("80:00")], 34, None, REJECTED, 12),
        ([Shown()], 34, None, UNVERIFIED, None),
        ([], 34, None, UNVERIFIED, None),
        ([Shown("HT")], 45, 2, UNVERIFIED, None),
        ([Shown("90:00", "03:57")], 90, 4, VERIFIED, 93),
        ([Shown("93:20")], 90, 4, VERIFIED, 93),
        ([Shown("02:36")], 90, 2, UNVERIFIED, None),
        ([Shown("02:36", None, "+4")], 90, 2, VERIFIED, 92),
        ([Shown("+4 02:36")], 90, 2, VERIFIED, 92),
        ([Shown("02:36"), Shown("90:00")], 90, 6, REJECTED, 90),
        ([Shown("02:36"), Shown("90:00")], 90, 4, VERIFIED, 92),
        ([Shown("02:36"), Shown("45:00")], 90, 2, UNVERIFIED, None),
        ([Shown("02:36")], 45, 1, UNVERIFIED, None),
        ([Shown("1H 02:36")], 45, 1, REJECTED, 2),
        ([Shown("02:36"), Shown("30:10")], 90, 2, REJECTED, 30),
        ([Shown("12:36", None, "+4")], 90, 2, REJECTED, 12),
        ([Shown("02:36")], 90, None, REJECTED, 2),
        ([Shown("30:00")], 90, 3, REJECTED, 30),
        ([Shown("90:00")], 90, 6, UNVERIFIED, None),
        ([Shown("90:00 +7")], 90, 6, UNVERIFIED, None),
        ([Shown("45:00"), Shown("45:00")], 45, 5, UNVERIFIED, None),
        ([Shown("120:00")], 120, 5, UNVERIFIED, None),
        ([Shown("90:00")], 90, 2, VERIFIED, 90),
        ([Shown("90:00", "00:30")], 90, 6, REJECTED, 90),
        ([Shown("90:00"), Shown("71:00")], 90, 6, REJECTED, 90),
        ([Shown("45:00")], 90, 6, UNVERIFIED, None),
        ([Shown("2H 45:00")], 90, 2, UNVERIFIED, None),
        ([Shown("2H 45:00", "03:58")], 90, 4, VERIFIED, 93),
        ([Shown("1H 45:00", "03:58")], 90, 4, REJECTED, 48),
        ([Shown("1H 45:00")], 90, 6, REJECTED, 45),
        ([Shown("45:10")], 90, 6, REJECTED, 45),
        ([Shown("45:00"), Shown("46:10")], 90, 6, REJECTED, 46),
        ([Shown("90:30")], 90, 6, REJECTED, 90),
        ([Shown("90:00")], 45, 2, REJECTED, 90),
        ([Shown("90'")], 90, 6, UNVERIFIED, None),
        ([Shown("105:00")], 105, 5, UNVERIFIED, None),
        ([Shown("90:00")], 80, None, REJECTED, 90),
        ([Shown("113:09")], 13, None, REJECTED, 113),
    ],
)
def test_the_minute_is_checked_against_the_goals(
    frames: list[Shown], elapsed: int, extra: int | None, status: TimestampStatus, minute: int | None
) -> None:
    found = validate_timestamp(frames, elapsed, extra)
    assert (found.status, found.minute) == (status, minute)


def test_the_tolerance_is_a_choice() -> None:
    assert validate_timestamp([Shown("40:00")], 34, None, tolerance=6).status is VERIFIED
    assert validate_timestamp([Shown("35:00")], 34, None, tolerance=0).status is REJECTED


@pytest.mark.parametrize(
    ("frame", "elapsed", "extra", "status"),
    [
        (Shown("1H 48:12"), 48, None, REJECTED),
        (Shown("1H 48:12"), 45, 3, VERIFIED),
        (Shown("1ST HALF 47:30"), 47, None, REJECTED),
        (Shown("2H 48:05"), 45, 3, REJECTED),
        (Shown("2H 48:05"), 48, None, VERIFIED),
        (Shown("2ND 47:10"), 45, 2, REJECTED),
        (Shown("45+3"), 48, None, REJECTED),
        (Shown("45+3"), 45, 3, VERIFIED),
        (Shown("45+2:30"), 46, None, REJECTED),
        (Shown("90+4"), 94, None, REJECTED),
        (Shown("90+4"), 90, 4, VERIFIED),
        (Shown("2H 45+4"), 90, 4, VERIFIED),
        (Shown("ET 04:04"), 90, 4, REJECTED),
        (Shown("ET 04:04"), 94, None, VERIFIED),
        (Shown("ET 94:04"), 90, 4, REJECTED),
        (Shown("ET 107:10"), 107, None, VERIFIED),
        (Shown("n.V. 116:24"), 117, None, VERIFIED),
        (Shown("PRO 92:24"), 90, 3, REJECTED),
        (Shown("PRO 12:24"), 13, None, VERIFIED),
        (Shown("ET2 107:10"), 105, 2, REJECTED),
        (Shown("90:00", "03:57"), 94, None, REJECTED),
        (Shown("93:20", None, "+5"), 93, None, REJECTED),
        (Shown("47:10", None, "+3"), 47, None, REJECTED),
        (Shown("47:10 +3"), 45, 2, VERIFIED),
        (Shown("48:05"), 45, 3, VERIFIED),
        (Shown("48:05"), 48, None, VERIFIED),
        (Shown("93:20"), 90, 4, VERIFIED),
        (Shown("93:20"), 93, None, VERIFIED),
    ],
)
def test_the_half_that_the_picture_names_must_be_the_goals(
    frame: Shown, elapsed: int, extra: int | None, status: TimestampStatus
) -> None:
    assert validate_timestamp([frame], elapsed, extra).status is status


def test_a_clock_of_the_goals_half_verifies_beside_one_of_the_other() -> None:
    found = validate_timestamp([Shown("1H 48:12"), Shown("2H 48:40")], 48, None)
    assert found.status is VERIFIED
