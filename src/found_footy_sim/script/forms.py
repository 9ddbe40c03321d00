"""Forms of statements: `kickoff <minutes>` is the pattern, the error text and the manual in one."""

import re
from dataclasses import dataclass

_POSITION_PATTERN = r"(?:start|KO|HT|FT)(?:[+-]\d+(?:\.\d+)?)?|P\d+|\d+(?:\+\d+)?"
_PERSON_PATTERN = r'"[^"]*"(?:\(\d+\))?|unknown'
_NAME_PATTERN = r"[A-Za-z]\w*"
_NUMBER_PATTERN = r"\d+(?:\.\d+)?"

# The pattern of each <name> of a form.
PLACEHOLDER_PATTERNS = {
    "about": r".+",
    "assist": _PERSON_PATTERN,
    "author": r"\w+",
    "category": r"goal|penalty|own-goal",
    "clip": _NAME_PATTERN,
    "code": r"[A-Za-z0-9]+",
    "colours": r"(?:#[0-9a-fA-F]{6}|[a-z]+)/(?:#[0-9a-fA-F]{6}|[a-z]+)",
    "copies": r"\d+",
    "country": r'"[^"]*"|\w+',
    "edge": rf"poll\s+\d+|{_POSITION_PATTERN}",
    "end": rf"poll\s+\d+|{_POSITION_PATTERN}",
    "fault": r".+",
    "id": r"\d+",
    "incident_name": _NAME_PATTERN,
    "incident": r"goal|penalty|own-goal|missed-penalty|yellow|red|subst",
    "league": r'"[^"]*"\(\d+\)',
    "minute": r"P\d+|\d+(?:\+\d+)?",
    "minutes": rf"[+-]?{_NUMBER_PATTERN}",
    "more": r".*",
    "name": _NAME_PATTERN,
    "order": r"reversed|shuffled|empty|absent",
    "parent": _NAME_PATTERN,
    "player": _PERSON_PATTERN,
    "poll": r"\d+",
    "polls": r"\d+(?:-\d+)?",
    "position": _POSITION_PATTERN,
    "round": r'"[^"]*"',
    "score": r"\d+-\d+|none",
    "season": r"\d{4}",
    "seconds": rf"{_NUMBER_PATTERN}s",
    "search_fault": r"session_expired|rate_limited|blocked|account_locked|protocol_drift|transient|slow|html",
    "short": r"[A-Z]{2,4}",
    "side": r"home|away",
    "speed": _NUMBER_PATTERN,
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
class StatementForm:
    """A statement's form as text, and compiled."""

    text: str
    pattern: re.Pattern[str]

    def match_line(self, line: str) -> re.Match[str] | None:
        return self.pattern.fullmatch(line)


def compile_form(text: str) -> StatementForm:
    """Compile `at <position> goal <side> [as <name>]`: words match themselves, brackets are optional."""
    pattern = text.replace(" [", r"(?:\s+").replace("]", ")?").replace(" ", r"\s+")
    return StatementForm(text, re.compile(re.sub(r"<(\w+)>", _placeholder_group, pattern)))


def _placeholder_group(found: re.Match[str]) -> str:
    return f"(?P<{found[1]}>{PLACEHOLDER_PATTERNS[found[1]]})"
