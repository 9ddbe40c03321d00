"""The written forms of statements: `kickoff <minutes>` is at once the pattern, the error text and the manual."""

import re
from dataclasses import dataclass

_POSITION = r"(?:start|KO|HT|FT)(?:[+-]\d+(?:\.\d+)?)?|P\d+|\d+(?:\+\d+)?"
_PERSON = r'"[^"]*"(?:\(\d+\))?|unknown'
_NAME = r"[A-Za-z]\w*"
_NUMBER = r"\d+(?:\.\d+)?"

# What may stand in the place of each <name> of a form.
PLACES = {
    "about": r".+",
    "assist": _PERSON,
    "author": r"\w+",
    "category": r"goal|penalty|own-goal",
    "clip": _NAME,
    "code": r"[A-Za-z0-9]+",
    "colours": r"(?:#[0-9a-fA-F]{6}|[a-z]+)/(?:#[0-9a-fA-F]{6}|[a-z]+)",
    "copies": r"\d+",
    "country": r'"[^"]*"|\w+',
    "edge": rf"poll\s+\d+|{_POSITION}",
    "end": rf"poll\s+\d+|{_POSITION}",
    "fault": r".+",
    "id": r"\d+",
    "incident_name": _NAME,
    "incident": r"goal|penalty|own-goal|missed-penalty|yellow|red|subst",
    "league": r'"[^"]*"\(\d+\)',
    "minute": r"P\d+|\d+(?:\+\d+)?",
    "minutes": rf"[+-]?{_NUMBER}",
    "more": r".*",
    "name": _NAME,
    "order": r"reversed|shuffled|empty|absent",
    "parent": _NAME,
    "player": _PERSON,
    "poll": r"\d+",
    "polls": r"\d+(?:-\d+)?",
    "position": _POSITION,
    "round": r'"[^"]*"',
    "score": r"\d+-\d+|none",
    "season": r"\d{4}",
    "seconds": rf"{_NUMBER}s",
    "search_fault": r"session_expired|rate_limited|blocked|account_locked|protocol_drift|transient|slow|html",
    "short": r"[A-Z]{2,4}",
    "side": r"home|away",
    "speed": _NUMBER,
    "status": r"[A-Z][A-Z0-9]*",
    "team": r'"[^"]*"\(\d+\)',
    "text": r'"[^"]*"',
    "who": r"\d+|unknown",
    "four": r"\d+(?:\s+\d+){1,3}",
    "per_minute": r"\d+",
    "per_day": r"\d+",
    "tweet": r'"[^"]*"',
}


@dataclass(frozen=True)
class Form:
    """A statement's form, for people, and the same compiled."""

    text: str
    pattern: re.Pattern[str]

    def match(self, line: str) -> re.Match[str] | None:
        return self.pattern.fullmatch(line)


def form(text: str) -> Form:
    """`at <position> goal <side> [as <name>]`: words stand for themselves, brackets for what may be left out."""
    pattern = text.replace(" [", r"(?:\s+").replace("]", ")?").replace(" ", r"\s+")
    return Form(text, re.compile(re.sub(r"<(\w+)>", _place, pattern)))


def _place(found: re.Match[str]) -> str:
    return f"(?P<{found[1]}>{PLACES[found[1]]})"
