"""The order of matches on the page: by phase and league, within a league by kickoff; and time zones of visitors."""

from dataclasses import dataclass
from datetime import UTC, tzinfo
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


def group_by_league(fixtures: list[FixtureView]) -> tuple[LeagueBlock, ...]:
    blocks: dict[tuple[int, str], list[FixtureView]] = {}
    for match in sorted(fixtures, key=lambda m: (PHASE_ORDER[m.phase], m.kickoff, m.fixture_id)):
        blocks.setdefault((match.league.id, match.league.name), []).append(match)
    ordered = sorted(blocks.values(), key=lambda block: (block[0].league.country, block[0].league.name))
    return tuple(LeagueBlock(block[0].league, tuple(block)) for block in ordered)
