"""Which parameters `GET /fixtures` takes, and how it refuses the rest. Pure."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from found_footy.sim.wire.envelope import error

MAX_IDS = 20
_INT = re.compile(r"\d+")
_INTS = re.compile(r"\d+(?:-\d+)*")
_LIVE = re.compile(r"all|\d+(?:-\d+)*")
_STATUS = re.compile(r"[A-Z0-9]{1,4}(?:-[A-Z0-9]{1,4})*")


def zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _shaped(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_TAKES: dict[str, Callable[[str], bool]] = {
    "id": _shaped(_INT),
    "ids": _shaped(_INTS),
    "live": _shaped(_LIVE),
    "date": _is_date,
    "from": _is_date,
    "to": _is_date,
    "league": _shaped(_INT),
    "season": _shaped(re.compile(r"\d{4}")),
    "team": _shaped(_INT),
    "round": bool,
    "venue": _shaped(_INT),
    "last": _shaped(re.compile(r"\d{1,2}")),
    "next": _shaped(re.compile(r"\d{1,2}")),
    "status": _shaped(_STATUS),
    "timezone": lambda text: zone(text) is not None,
}


def refuse(parameters: Mapping[str, str]) -> dict[str, str] | None:
    """What the API would put into `errors`, or None if it would answer."""
    for name, value in parameters.items():
        if name not in _TAKES:
            return {name: f"The {name.capitalize()} field do not exist."}
        if not _TAKES[name](value):
            return {name: f"The {name.capitalize()} field is not valid: {value}"}
    if len(parameters.get("ids", "").split("-")) > MAX_IDS:
        return error("ids")
    if not parameters.keys() - {"timezone"}:
        return {"required": "At least one parameter is required."}
    return _refuse_range(parameters)


def _refuse_range(parameters: Mapping[str, str]) -> dict[str, str] | None:
    if not parameters.keys() & {"from", "to"}:
        return None
    for wanted in ("from", "to", "season"):
        if wanted not in parameters:
            return {wanted: f"The {wanted.capitalize()} field is required with a range of days."}
    if not parameters.keys() & {"league", "team"}:
        return {"league": "The League field is required with a range of days."}
    return None
