"""Parameters of `GET /fixtures`, and the errors for invalid ones. Pure."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from found_footy_sim.wire.envelope import build_error

MAX_IDS = 20
_INT_PATTERN = re.compile(r"\d+")
_INTS_PATTERN = re.compile(r"\d+(?:-\d+)*")
_LIVE_PATTERN = re.compile(r"all|\d+(?:-\d+)*")
_STATUS_PATTERN = re.compile(r"[A-Z0-9]{1,4}(?:-[A-Z0-9]{1,4})*")


def parse_zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _pattern_check(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_PARAMETER_CHECKS: dict[str, Callable[[str], bool]] = {
    "id": _pattern_check(_INT_PATTERN),
    "ids": _pattern_check(_INTS_PATTERN),
    "live": _pattern_check(_LIVE_PATTERN),
    "date": _is_date,
    "from": _is_date,
    "to": _is_date,
    "league": _pattern_check(_INT_PATTERN),
    "season": _pattern_check(re.compile(r"\d{4}")),
    "team": _pattern_check(_INT_PATTERN),
    "round": bool,
    "venue": _pattern_check(_INT_PATTERN),
    "last": _pattern_check(re.compile(r"\d{1,2}")),
    "next": _pattern_check(re.compile(r"\d{1,2}")),
    "status": _pattern_check(_STATUS_PATTERN),
    "timezone": lambda text: parse_zone(text) is not None,
}


def find_errors(parameters: Mapping[str, str]) -> dict[str, str] | None:
    """Return what the API puts into `errors`, or None if the parameters are valid."""
    for name, value in parameters.items():
        if name not in _PARAMETER_CHECKS:
            return {name: f"The {name.capitalize()} field do not exist."}
        if not _PARAMETER_CHECKS[name](value):
            return {name: f"The {name.capitalize()} field is not valid: {value}"}
    if len(parameters.get("ids", "").split("-")) > MAX_IDS:
        return build_error("ids")
    if not parameters.keys() - {"timezone"}:
        return {"required": "At least one parameter is required."}
    return _find_range_errors(parameters)


def _find_range_errors(parameters: Mapping[str, str]) -> dict[str, str] | None:
    if not parameters.keys() & {"from", "to"}:
        return None
    for wanted in ("from", "to", "season"):
        if wanted not in parameters:
            return {wanted: f"The {wanted.capitalize()} field is required with a range of days."}
    if not parameters.keys() & {"league", "team"}:
        return {"league": "The League field is required with a range of days."}
    return None
