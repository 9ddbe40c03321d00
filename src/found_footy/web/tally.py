"""How much there is: fixtures per room, goals by status, clips."""

from collections.abc import Iterable
from dataclasses import dataclass

from found_footy.model.fixture import Room
from found_footy.model.outcome import GoalStatus
from found_footy.web.views import Stored, match_view, settle


@dataclass(frozen=True)
class Tally:
    collections: dict[str, int]
    goals: dict[GoalStatus, int]
    clips: int


def tally(found: Iterable[Stored]) -> Tally:
    """Collections are counted as they are, goals and clips once per fixture."""
    stored = list(found)
    matches = [match_view(one, attempts_wanted=0) for one in settle(stored)]
    statuses = [goal.status for match in matches for goal in match.goals]
    return Tally(
        collections={str(room): sum(one.room is room for one in stored) for room in Room},
        goals={status: statuses.count(status) for status in GoalStatus},
        clips=sum(match.clips for match in matches),
    )
