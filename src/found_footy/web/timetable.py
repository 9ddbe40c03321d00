"""Which match stands where on the page: live ones first, then today, the days ahead, and the days behind."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from found_footy.web.views import League, Match, Phase

_PHASE_ORDER = {Phase.LIVE: 0, Phase.FINISHED: 1, Phase.UPCOMING: 2, Phase.OFF: 3}
_LONGEST_ZONE_NAME = 64


@dataclass(frozen=True)
class LeagueBlock:
    league: League
    matches: tuple[Match, ...]


@dataclass(frozen=True)
class Section:
    key: str
    title: str
    leagues: tuple[LeagueBlock, ...]

    @property
    def matches(self) -> int:
        return sum(len(block.matches) for block in self.leagues)


def zone_named(name: str | None) -> tzinfo:
    """The viewer's time zone; UTC where the name is none that this machine knows."""
    if not name or len(name) > _LONGEST_ZONE_NAME:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def zone_name(zone: tzinfo) -> str:
    return zone.key if isinstance(zone, ZoneInfo) else "UTC"


def section_key(match: Match, zone: tzinfo) -> str:
    return "live" if match.phase is Phase.LIVE else f"{match.kickoff.astimezone(zone).date()}"


def sections(matches: Iterable[Match], now: datetime, zone: tzinfo) -> tuple[Section, ...]:
    grouped: dict[str, list[Match]] = {}
    for match in matches:
        grouped.setdefault(section_key(match, zone), []).append(match)
    today = now.astimezone(zone).date()
    ordered = sorted(grouped, key=lambda key: _place(key, today))
    return tuple(Section(key, _title(key, today), _leagues(grouped[key])) for key in ordered)


def _place(key: str, today: date) -> tuple[int, int]:
    if key == "live":
        return (0, 0)
    days = (date.fromisoformat(key) - today).days
    return (1, days) if days >= 0 else (2, -days)


def _title(key: str, today: date) -> str:
    if key == "live":
        return "Live now"
    day = date.fromisoformat(key)
    near = {today: "Today", today + timedelta(days=1): "Tomorrow", today - timedelta(days=1): "Yesterday"}
    return near.get(day) or f"{day:%A} {day.day} {day:%B}"


def _leagues(matches: list[Match]) -> tuple[LeagueBlock, ...]:
    blocks: dict[tuple[int, str], list[Match]] = {}
    for match in sorted(matches, key=lambda m: (_PHASE_ORDER[m.phase], m.kickoff, m.fixture_id)):
        blocks.setdefault((match.league.id, match.league.name), []).append(match)
    ordered = sorted(blocks.values(), key=lambda block: (block[0].league.country, block[0].league.name))
    return tuple(LeagueBlock(block[0].league, tuple(block)) for block in ordered)
