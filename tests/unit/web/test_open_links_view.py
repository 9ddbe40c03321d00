"""What people are told of a goal whose clips could not all be looked at."""

from datetime import UTC, datetime
from typing import Any

import pytest

from found_footy.domain.outcomes import GoalStatus
from found_footy.views.fixture_views import build_goal_view, build_team_view

AT = datetime(2026, 11, 15, 21, 40, tzinfo=UTC)
HOME, AWAY = build_team_view({"id": 40, "name": "Liverpool"}), build_team_view({"id": 42, "name": "Arsenal"})
CLIP = {"_s3_key": "1/a/b.mp4", "md5": "b", "clip_id": "c"}


def shown(**fields: Any) -> tuple[GoalStatus, str]:
    event = {
        "_event_id": "1_40_2_Goal_1",
        "team": {"id": 40},
        "_monitor_complete": True,
        "_download_complete": True,
        "_completion_reason": "delivered",
        "_download_workflows": ["download1-a"],
        **fields,
    }
    view = build_goal_view(event, HOME, AWAY, attempts_wanted=10)
    return view.status, view.note


@pytest.mark.parametrize(
    ("fields", "status", "note"),
    [
        ({}, GoalStatus.EMPTY, "1 search, no usable clip found"),
        ({"_open_links": []}, GoalStatus.EMPTY, "1 search, no usable clip found"),
        (
            {"_open_links": ["a", "b"], "_retry_at": AT},
            GoalStatus.SEARCHING,
            "2 clips could not be checked yet, next try at 21:40 UTC",
        ),
        ({"_open_links": ["a"]}, GoalStatus.SEARCHING, "1 clip could not be checked yet"),
        ({"_open_links": ["a"], "_s3_videos": [CLIP]}, GoalStatus.WATCHABLE, ""),
        ({"_open_links": ["a"], "_removed": True}, GoalStatus.REMOVED, "no longer a goal, its clips are not shown"),
        ({"_open_links": ["a"], "_download_complete": False}, GoalStatus.SEARCHING, "attempt 1 of 10"),
    ],
)
def test_a_goal_with_unchecked_candidates_is_never_shown_as_empty(
    fields: dict[str, Any], status: GoalStatus, note: str
) -> None:
    assert shown(**fields) == (status, note)
