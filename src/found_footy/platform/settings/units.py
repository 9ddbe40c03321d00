"""Parses and formats durations and sizes: 30s, 1h30m, 25MB, 300MiB."""

import re
from datetime import timedelta
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from found_footy.platform.settings.environment import DisplayFormat

_MICROSECONDS_PER_UNIT = {
    "d": 86_400_000_000,
    "h": 3_600_000_000,
    "m": 60_000_000,
    "s": 1_000_000,
    "ms": 1_000,
    "us": 1,
}
_BYTE_UNITS = {
    "TiB": 2**40,
    "TB": 10**12,
    "GiB": 2**30,
    "GB": 10**9,
    "MiB": 2**20,
    "MB": 10**6,
    "KiB": 2**10,
    "kB": 10**3,
    "B": 1,
}
_BYTE_UNITS_LOWERCASE = {unit.lower(): factor for unit, factor in _BYTE_UNITS.items()}

# Bounded, so that a long run of digits is rejected instead of computed.
_NUMBER_PATTERN = r"[0-9]{1,18}(?:\.[0-9]{1,9})?"
_DURATION_PART_PATTERN = re.compile(rf"({_NUMBER_PATTERN})(us|ms|d|h|m|s)")
_DURATION_PATTERN = re.compile(rf"(?:{_NUMBER_PATTERN}(?:us|ms|d|h|m|s)\s*)+")
_SIZE_PATTERN = re.compile(rf"({_NUMBER_PATTERN})\s*([a-z]*)")

DURATION_FORMS = "a number with a unit, such as 500ms, 30s, 5m, 1h30m or 2d"
SIZE_FORMS = "a number with a unit, such as 512B, 64kB, 25MB or 300MiB"


def parse_duration(text: str) -> timedelta:
    """Raises ValueError, naming the accepted forms, unless `text` is a sequence of amounts with units."""
    folded = text.strip().lower()
    if not _DURATION_PATTERN.fullmatch(folded):
        hint = f"a duration needs a unit ({folded}s?); " if re.fullmatch(_NUMBER_PATTERN, folded) else ""
        raise ValueError(f"{hint}accepted is {DURATION_FORMS}")
    parts = _DURATION_PART_PATTERN.findall(folded)
    total = sum((Fraction(amount) * _MICROSECONDS_PER_UNIT[unit] for amount, unit in parts), Fraction(0))
    if total.denominator != 1:
        raise ValueError(f"finer than a microsecond; accepted is {DURATION_FORMS}")
    try:
        return timedelta(microseconds=int(total))
    except OverflowError as error:
        raise ValueError("longer than a duration can be") from error


def format_duration(value: timedelta) -> str:
    """The shortest exact text that `parse_duration` reads back as `value`."""
    if value < timedelta(0):
        return f"-{format_duration(-value)}"
    rest = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    parts = []
    for unit, size in _MICROSECONDS_PER_UNIT.items():
        amount, rest = divmod(rest, size)
        parts += [f"{amount}{unit}"] if amount else []
    return "".join(parts) or "0s"


def parse_bytes(text: str) -> int:
    """Raises ValueError, naming the accepted forms. A number without a unit is bytes; the case of units does not
    matter.
    """
    match = _SIZE_PATTERN.fullmatch(text.strip().lower())
    factor = _BYTE_UNITS_LOWERCASE.get(match.group(2) or "b") if match else None
    if not match or factor is None:
        raise ValueError(f"accepted is {SIZE_FORMS}")
    size = Fraction(match.group(1)) * factor
    if size.denominator != 1:
        raise ValueError(f"not a whole number of bytes; accepted is {SIZE_FORMS}")
    return int(size)


def format_bytes(value: int) -> str:
    """The text with the largest unit that is exact; `parse_bytes` reads it back as `value`."""
    factors = sorted(_BYTE_UNITS.items(), key=lambda item: -item[1])
    unit, factor = next((unit, factor) for unit, factor in factors if value % factor == 0 and (value or factor == 1))
    return f"{value // factor}{unit}"


def _validate_duration(value: Any) -> Any:
    if isinstance(value, timedelta):
        if value < timedelta(0):
            raise ValueError("a duration cannot be negative")
        return value
    # pydantic would read a bare number as seconds; a unit is required instead.
    return parse_duration(str(value))


def _validate_bytes(value: Any) -> Any:
    if isinstance(value, str):
        return parse_bytes(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ValueError(f"accepted is {SIZE_FORMS}")


Duration = Annotated[
    timedelta,
    BeforeValidator(_validate_duration),
    PlainSerializer(format_duration, when_used="json"),
    DisplayFormat(format_duration),
]
"""A timedelta setting, written 500ms, 30s, 5m, 1h30m or 2d; never negative."""

Bytes = Annotated[
    int, BeforeValidator(_validate_bytes), PlainSerializer(format_bytes, when_used="json"), DisplayFormat(format_bytes)
]
"""A size in bytes, written 25MB (powers of 1000) or 300MiB (powers of 1024); never negative."""
