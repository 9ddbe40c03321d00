"""The order of matches on the page: live ones first, then today, the days ahead, and the past days."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from found_footy.views.fixture_views import FixturePhase, FixtureView, LeagueView

PHASE_ORDER = {FixturePhase.LIVE: 0, FixturePhase.FINISHED: 1, FixturePhase.UPCOMING: 2, FixturePhase.OFF: 3}
_MAX_ZONE_NAME_LENGTH = 64


@dataclass(frozen=True)
class LeagueBlock:
    league: LeagueView
    matches: tuple[FixtureView, ...]


@dataclass(frozen=True)
class PageSection:
    key: str
    title: str
    leagues: tuple[LeagueBlock, ...]

    @property
    def fixture_count(self) -> int:
        return sum(len(block.matches) for block in self.leagues)


def find_time_zone(name: str | None) -> tzinfo:
    """Return the viewer's time zone; UTC for a name that this machine does not know."""
    if not name or len(name) > _MAX_ZONE_NAME_LENGTH:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def time_zone_name(zone: tzinfo) -> str:
    return zone.key if isinstance(zone, ZoneInfo) else "UTC"


def section_key(fixture: FixtureView, zone: tzinfo) -> str:
    return "live" if fixture.phase is FixturePhase.LIVE else f"{fixture.kickoff.astimezone(zone).date()}"


def group_into_sections(fixtures: Iterable[FixtureView], now: datetime, zone: tzinfo) -> tuple[PageSection, ...]:
    grouped: dict[str, list[FixtureView]] = {}
    for match in fixtures:
        grouped.setdefault(section_key(match, zone), []).append(match)
    today = now.astimezone(zone).date()
    ordered = sorted(grouped, key=lambda key: _section_sort_key(key, today))
    return tuple(PageSection(key, _section_title(key, today), group_by_league(grouped[key])) for key in ordered)


def _section_sort_key(key: str, today: date) -> tuple[int, int]:
    if key == "live":
        return (0, 0)
    days = (date.fromisoformat(key) - today).days
    return (1, days) if days >= 0 else (2, -days)


def _section_title(key: str, today: date) -> str:
    if key == "live":
        return "Live now"
    day = date.fromisoformat(key)
    near = {today: "Today", today + timedelta(days=1): "Tomorrow", today - timedelta(days=1): "Yesterday"}
    return near.get(day) or f"{day:%A} {day.day} {day:%B}"


def group_by_league(fixtures: list[FixtureView]) -> tuple[LeagueBlock, ...]:
    blocks: dict[tuple[int, str], list[FixtureView]] = {}
    for match in sorted(fixtures, key=lambda m: (PHASE_ORDER[m.phase], m.kickoff, m.fixture_id)):
        blocks.setdefault((match.league.id, match.league.name), []).append(match)
    ordered = sorted(blocks.values(), key=lambda block: (block[0].league.country, block[0].league.name))
    return tuple(LeagueBlock(block[0].league, tuple(block)) for block in ordered)
