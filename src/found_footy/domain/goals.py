"""Goals as a fixture document stores them: the message made from one, and which of them were removed.

A goal that leaves `events` stays in `removed_events` as a tombstone. A tombstone with `_moved_to` is of a re-attributed
goal, which continues under another id and does not count as removed.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeVar

from found_footy.domain.documents import FixtureDocument, GoalDocument
from found_footy.domain.ids import GoalSlug
from found_footy.domain.messages import Goal

MOVED_TO_FIELD: Final = "_moved_to"
MATCHED_FROM_FIELD: Final = "_matched_from"

GoalT = TypeVar("GoalT", bound=Mapping[str, Any])


def goal_from_document(fixture: FixtureDocument, event: GoalDocument) -> Goal:
    """Return the message for the next stages. Country and nationality of the team, which only the search for aliases
    needs, are left out.
    """
    time, player = event["time"], event.get("player")
    return Goal(
        fixture_id=fixture["_id"],
        event_id=event["_event_id"],
        slug=GoalSlug.parse(event["_slug"]),
        team_id=event["team"]["id"],
        team_name=event["team"].get("name") or "",
        player_name=(player.get("name") if player else None) or "",
        elapsed=time["elapsed"],
        extra=time.get("extra"),
        first_seen=event["_first_seen"],
        scored_at=event.get("_fell_at"),
        home_name=_team_name(fixture, "home"),
        away_name=_team_name(fixture, "away"),
    )


def _team_name(fixture: FixtureDocument, side: Literal["home", "away"]) -> str:
    teams = fixture.get("teams")
    team = teams.get(side) if teams else None
    return team["name"] if team else ""


def select_removed_goals(events: Iterable[Mapping[str, Any]], tombstones: Iterable[GoalT]) -> list[GoalT]:
    """Return the tombstones of goals that were removed: not re-attributed, and not listed again."""
    continued = {event.get(field) for event in events for field in ("_event_id", MATCHED_FROM_FIELD)} - {None}
    return [one for one in tombstones if not one.get(MOVED_TO_FIELD) and one.get("_event_id") not in continued]


def resolve_event_id(fixture: Mapping[str, Any], event_id: str) -> str:
    """Return the id that a goal has now, after any number of re-attributions."""
    moves = {one.get("_event_id"): one.get(MOVED_TO_FIELD) for one in fixture.get("removed_events") or ()}
    for _ in moves:
        following = moves.get(event_id)
        if not isinstance(following, str):
            break
        event_id = following
    return event_id
