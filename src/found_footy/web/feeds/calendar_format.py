"""Matches as a calendar (RFC 5545). Pure."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from found_footy.domain.collections import POSTPONED_STATUSES
from found_footy.views.fixture_views import FixturePhase, FixtureView
from found_footy.web.feeds.feed_items import drop_forbidden_characters

# Ninety minutes, the break and added time.
_MATCH_LENGTH = timedelta(hours=2)
_MAX_LINE_BYTES = 75
_ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})


def render_calendar(title: str, fixtures: Iterable[FixtureView], base_url: str) -> bytes:
    """Events in the order of kickoff. Nothing in it depends on the time of the request."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Found Footy//Matches//EN", "CALSCALE:GREGORIAN"]
    lines += ["METHOD:PUBLISH", f"X-WR-CALNAME:{_escape(title)}", "REFRESH-INTERVAL;VALUE=DURATION:PT1H"]
    for fixture in sorted(fixtures, key=lambda one: (one.kickoff, one.fixture_id)):
        lines += _iter_event_lines(fixture, base_url)
    lines.append("END:VCALENDAR")
    return b"".join(fold_line(line) for line in lines)


def _iter_event_lines(fixture: FixtureView, base_url: str) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:fixture-{fixture.fixture_id}@found-footy"
    yield f"DTSTAMP:{_format_time(fixture.kickoff)}"
    yield f"DTSTART:{_format_time(fixture.kickoff)}"
    yield f"DTEND:{_format_time(fixture.kickoff + _MATCH_LENGTH)}"
    yield f"SUMMARY:{_escape(_summarize(fixture))}"
    if fixture.venue:
        yield f"LOCATION:{_escape(fixture.venue)}"
    parts = (fixture.league.name, fixture.league.round, fixture.state)
    yield f"DESCRIPTION:{_escape(chr(10).join(part for part in parts if part))}"
    yield f"CATEGORIES:{_escape(fixture.league.name)}"
    yield f"URL:{base_url}/matches/{fixture.fixture_id}"
    yield f"STATUS:{_event_status(fixture)}"
    yield "END:VEVENT"


def _summarize(fixture: FixtureView) -> str:
    score = f"{fixture.score.home}–{fixture.score.away}" if fixture.score else "–"
    return f"{fixture.home.name} {score} {fixture.away.name}"


def _event_status(fixture: FixtureView) -> str:
    if fixture.status in POSTPONED_STATUSES:
        return "TENTATIVE"
    return "CANCELLED" if fixture.phase is FixturePhase.OFF else "CONFIRMED"


def _escape(text: str) -> str:
    return drop_forbidden_characters(text).translate(_ESCAPES)


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def fold_line(line: str) -> bytes:
    """End a line with CRLF; one of more than 75 bytes goes on in lines that begin with a space. No character is
    divided.
    """
    pieces, current = [], b""
    for character in line:
        encoded = character.encode()
        if len(current) + len(encoded) > _MAX_LINE_BYTES:
            pieces.append(current)
            current = b" "
        current += encoded
    return b"\r\n".join([*pieces, current]) + b"\r\n"
