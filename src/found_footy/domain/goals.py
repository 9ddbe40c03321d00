"""Goals as a fixture document stores them: the message made from one, and which of them were removed.

A goal that leaves `events` stays in `removed_events` as a tombstone. A tombstone with `_moved_to` is of a re-attributed
goal, which continues under another id and does not count as removed.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeVar

from found_footy.domain.documents import FixtureDocument, GoalDocument
from found_footy.domain.ids import GoalSlug
from found_footy.domain.messages import Goal, OtherGoal
from found_footy.domain.scores import Score

MOVED_TO_FIELD: Final = "_moved_to"
MATCHED_FROM_FIELD: Final = "_matched_from"
# The lists of a fixture document that hold goals; clips, decisions of people and ids may be in either.
GOAL_LISTS: Final = ("events", "removed_events")

GoalT = TypeVar("GoalT", bound=Mapping[str, Any])


def goal_from_document(
    fixture: FixtureDocument, event: GoalDocument, match_goals: Iterable[Mapping[str, Any]] = ()
) -> Goal:
    """Return the message for the next stages. Country and nationality of the team, which only the search for aliases
    needs, are left out. `match_goals` are the goals of the match as `match_goals_expression` selects them.
    """
    time, player = event["time"], event.get("player")
    aliases, scores = tuple(event.get("_twitter_aliases") or ()), read_scores(event)
    is_home = event["team"].get("name") == _team_name(fixture, "home")
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
        home_aliases=aliases if is_home else (),
        away_aliases=() if is_home else aliases,
        score_before=scores[0] if scores else None,
        score_after=scores[1] if scores else None,
        other_goals=find_other_goals(match_goals, event["_event_id"]),
    )


def match_goals_expression() -> dict[str, Any]:
    """Return the expression for what is needed of all goals of a fixture to tell their clips apart."""
    fields = ("_event_id", "time", "_score_before", "_score_after", "_ghost_at")
    goal = {name: f"$$goal.{name}" for name in fields}
    return {"$map": {"input": {"$ifNull": ["$events", []]}, "as": "goal", "in": goal}}


def find_other_goals(events: Iterable[Mapping[str, Any]], event_id: str) -> tuple[OtherGoal, ...]:
    """The other goals of the match whose scores are known."""
    others = [event for event in events if event["_event_id"] != event_id and is_counted_goal(event)]
    return tuple(
        OtherGoal(event["time"]["elapsed"], event["time"].get("extra"), *scores)
        for event in others
        if (scores := read_scores(event)) is not None
    )


def is_counted_goal(event: Mapping[str, Any]) -> bool:
    """A feed event that exceeded the score for too long (`_ghost_at`) is no goal."""
    return event.get("_ghost_at") is None


def read_scores(event: Mapping[str, Any]) -> tuple[Score, Score] | None:
    """The score before and after a goal; None if it is not stored, or the event changed none."""
    before, after = event.get("_score_before"), event.get("_score_after")
    if not before or not after or before == after:
        return None
    return Score(before["home"], before["away"]), Score(after["home"], after["away"])


def _team_name(fixture: FixtureDocument, side: Literal["home", "away"]) -> str:
    teams = fixture.get("teams")
    team = teams.get(side) if teams else None
    return team["name"] if team else ""


def select_removed_goals(events: Iterable[Mapping[str, Any]], tombstones: Iterable[GoalT]) -> list[GoalT]:
    """Return the tombstones of goals that were removed: not re-attributed, and not listed again."""
    continued = {event.get(field) for event in events for field in ("_event_id", MATCHED_FROM_FIELD)} - {None}
    return [one for one in tombstones if not one.get(MOVED_TO_FIELD) and one.get("_event_id") not in continued]


def goal_filter(fixture_id: int, event_id: str) -> dict[str, Any]:
    """Return the MongoDB filter for the fixture document in which this goal is listed; `$` is then the goal."""
    return {"_id": fixture_id, "events._event_id": event_id}


def iterate_stored_goals(fixture: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the goals of a fixture document, then the tombstones."""
    return (goal for name in GOAL_LISTS for goal in fixture.get(name) or ())


def resolve_event_id(fixture: Mapping[str, Any], event_id: str) -> str:
    """Return the id that a goal has now, after any number of re-attributions."""
    moves = {one.get("_event_id"): one.get(MOVED_TO_FIELD) for one in fixture.get("removed_events") or ()}
    for _ in moves:
        following = moves.get(event_id)
        if not isinstance(following, str):
            break
        event_id = following
    return event_id
