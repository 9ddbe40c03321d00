"""Counts of stored data: fixtures per collection, goals by status, clips."""

from collections.abc import Iterable
from dataclasses import dataclass

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.outcomes import GoalStatus
from found_footy.views.fixture_views import StoredFixture, build_fixture_view, pick_current_copies


@dataclass(frozen=True)
class StoredCounts:
    collections: dict[str, int]
    goals: dict[GoalStatus, int]
    clips: int


def count_stored(fixtures: Iterable[StoredFixture]) -> StoredCounts:
    """Count every document per collection; count goals and clips once per fixture."""
    stored = list(fixtures)
    matches = [build_fixture_view(one, attempts_wanted=0) for one in pick_current_copies(stored)]
    statuses = [goal.status for match in matches for goal in match.goals]
    return StoredCounts(
        collections={
            str(collection): sum(one.collection is collection for one in stored) for collection in FixtureCollection
        },
        goals={status: statuses.count(status) for status in GoalStatus},
        clips=sum(match.clip_count for match in matches),
    )
