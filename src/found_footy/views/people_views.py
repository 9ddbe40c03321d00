"""View models of teams and players: their names, matches and goals. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.catalogue import NamedTeam
from found_footy.views.field_readers import get_nested, read_datetime, read_int, read_text
from found_footy.views.fixture_views import FixtureView, GoalView, TeamView, build_team_view
from found_footy.views.search import FoundGoal

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class TeamMatch:
    """A team that a search found; `aliases` are its other names."""

    team: TeamView
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class PlayerMatch:
    """A player with the team of the newest goal. `id` is missing where the feed gives none."""

    id: int | None
    name: str
    team: TeamView


@dataclass(frozen=True)
class TeamPage:
    """`upcoming` begins with the next match, `matches` with the latest that has begun; `next` is the cursor of older
    ones.
    """

    team: TeamView
    aliases: tuple[str, ...]
    upcoming: tuple[FixtureView, ...]
    matches: tuple[FixtureView, ...]
    next: str | None = None


@dataclass(frozen=True)
class PlayerPage:
    """`goals` are those that the player scored or assisted, newest first; `next` is the cursor of older ones."""

    player: PlayerMatch
    goals: tuple[FoundGoal, ...]
    next: str | None = None


def build_team_match(team: NamedTeam) -> TeamMatch:
    return TeamMatch(build_team_view({"id": team.id, "name": team.name}), team.aliases)


def build_player_matches(rows: Iterable[Mapping[str, Any]], names: Iterable[str]) -> tuple[PlayerMatch, ...]:
    """One entry per player, in the order of `names`; `rows` are goals, of which the newest gives name and team."""
    newest: dict[tuple[int, str], Mapping[str, Any]] = {}
    for row in sorted(rows, key=lambda one: read_datetime(one.get("kickoff")) or _LONG_AGO):
        player_id, name = read_int(get_nested(row, "player", "id")) or 0, read_text(get_nested(row, "player", "name"))
        newest[(player_id, "" if player_id else name)] = row
    by_name: dict[str, list[PlayerMatch]] = {}
    for (player_id, _), row in newest.items():
        name = get_nested(row, "player", "name")
        player = PlayerMatch(player_id or None, read_text(name), build_team_view(row.get("team")))
        by_name.setdefault(name, []).append(player)
    return tuple(player for name in names for player in by_name.get(name, ()))


def identify_player(player_id: int, goals: Iterable[FoundGoal]) -> PlayerMatch | None:
    """The player's name and team as the newest goal has them; None if no goal names the player. `goals` are newest
    first.
    """
    named = [(found.goal, _name_in(found.goal, player_id)) for found in goals]
    # Only the scorer's team is known for sure; who assisted plays for the same one unless it was an own goal.
    named.sort(key=lambda one: one[0].player_id != player_id)
    return next((PlayerMatch(player_id, name, goal.team) for goal, name in named if name), None)


def _name_in(goal: GoalView, player_id: int) -> str:
    if goal.player_id == player_id:
        return goal.player
    return goal.assist if goal.assist_id == player_id else ""


def count_watchable(goals: Iterable[GoalView]) -> int:
    return sum(goal.status is GoalStatus.WATCHABLE for goal in goals)
