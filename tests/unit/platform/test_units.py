"""Durations and sizes: what people write is read, everything else is refused with a hint."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from found_footy.platform.settings.units import (
    Bytes,
    Duration,
    format_bytes,
    format_duration,
    parse_bytes,
    parse_duration,
)


class Sample(BaseModel):
    wait: Duration = timedelta(seconds=30)
    size: Bytes = 1024


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30s", timedelta(seconds=30)),
        ("5m", timedelta(minutes=5)),
        ("500ms", timedelta(milliseconds=500)),
        ("1h30m", timedelta(hours=1, minutes=30)),
        ("1h 30m", timedelta(hours=1, minutes=30)),
        ("2d", timedelta(days=2)),
        ("1.5h", timedelta(minutes=90)),
        ("0s", timedelta(0)),
        (" 10S ", timedelta(seconds=10)),
        ("1m500ms", timedelta(minutes=1, milliseconds=500)),
        ("7us", timedelta(microseconds=7)),
    ],
)
def test_a_duration_is_amounts_with_units(text: str, expected: timedelta) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize(
    "text", ["", "30", "s", "-5s", "5 minutes", "1h-30m", "1,5h", "0.5us", "١s", "1e3s", "9" * 30 + "d", "1h30"]
)
def test_anything_else_is_not_a_duration_and_the_error_shows_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match="30s, 5m, 1h30m or 2d"):
        parse_duration(text)


def test_a_bare_number_is_answered_with_the_missing_unit() -> None:
    with pytest.raises(ValueError, match=r"needs a unit \(30s\?\)"):
        parse_duration("30")


def test_a_duration_beyond_what_python_can_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="longer than a duration can be"):
        parse_duration("999999999999999999d")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("25MB", 25_000_000),
        ("300MiB", 300 * 2**20),
        ("512B", 512),
        ("512", 512),
        ("64kB", 64_000),
        ("64 KiB", 65_536),
        ("1.5GB", 1_500_000_000),
        ("2tib", 2 * 2**40),
        ("0B", 0),
    ],
)
def test_a_size_is_a_number_with_a_unit(text: str, expected: int) -> None:
    assert parse_bytes(text) == expected


@pytest.mark.parametrize("text", ["", "MB", "-1MB", "25 megabytes", "1.5B", "0x10", "1MB2", "١MB", "25Mb/s"])
def test_anything_else_is_not_a_size_and_the_error_shows_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match="512B, 64kB, 25MB or 300MiB"):
        parse_bytes(text)


@given(st.timedeltas(min_value=timedelta(0)))
def test_every_duration_is_read_back_from_its_text(value: timedelta) -> None:
    assert parse_duration(format_duration(value)) == value


@given(st.integers(min_value=0, max_value=2**59))
def test_every_size_is_read_back_from_its_text(value: int) -> None:
    assert parse_bytes(format_bytes(value)) == value


@given(st.text(max_size=40))
def test_no_text_crashes_the_parsers(text: str) -> None:
    for parse in (parse_duration, parse_bytes):
        try:
            parse(text)
        except ValueError as error:
            assert str(error)  # noqa: PT017  any text may also be valid


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (timedelta(minutes=90), "1h30m"),
        (timedelta(seconds=30), "30s"),
        (timedelta(days=14), "14d"),
        (timedelta(milliseconds=1500), "1s500ms"),
        (timedelta(0), "0s"),
        (timedelta(seconds=-5), "-5s"),
    ],
)
def test_a_duration_is_written_as_people_write_it(value: timedelta, text: str) -> None:
    assert format_duration(value) == text


@pytest.mark.parametrize(("value", "text"), [(25_000_000, "25MB"), (300 * 2**20, "300MiB"), (1023, "1023B"), (0, "0B")])
def test_a_size_is_written_in_its_largest_exact_unit(value: int, text: str) -> None:
    assert format_bytes(value) == text


def test_models_take_text_and_python_values_and_write_text() -> None:
    sample = Sample.model_validate({"wait": "1h30m", "size": "25MB"})
    assert sample == Sample(wait=timedelta(minutes=90), size=25_000_000)
    assert sample.model_dump(mode="json") == {"wait": "1h30m", "size": "25MB"}


@pytest.mark.parametrize(
    "wrong", [{"wait": 30}, {"wait": timedelta(seconds=-1)}, {"size": -1}, {"size": 1.5}, {"size": True}]
)
def test_models_refuse_what_has_no_clear_meaning(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Sample.model_validate(wrong)
