import pytest

from found_footy.domain.collections import FINAL_STATUSES, KNOWN_STATUSES, FixtureCollection, collection_for_status
from found_footy.domain.outcomes import GoalStatus, goal_status

CLIP = object()


@pytest.mark.parametrize(
    ("removed", "monitored", "downloaded", "clips", "status"),
    [
        (False, False, False, [], GoalStatus.VALIDATING),
        (False, True, False, [], GoalStatus.SEARCHING),
        (False, True, False, [CLIP], GoalStatus.WATCHABLE),
        (False, True, True, [CLIP], GoalStatus.WATCHABLE),
        (False, True, True, [], GoalStatus.EMPTY),
        (False, False, True, [], GoalStatus.EMPTY),
        (True, True, True, [CLIP], GoalStatus.REMOVED),
    ],
)
def test_the_text_of_each_outcome(
    removed: bool, monitored: bool, downloaded: bool, clips: list[object], status: GoalStatus
) -> None:
    assert goal_status(removed=removed, monitor_complete=monitored, download_complete=downloaded, clips=clips) == status


@pytest.mark.parametrize(
    ("status", "collection"),
    [
        ("NS", FixtureCollection.STAGING),
        ("PST", FixtureCollection.STAGING),
        ("2H", FixtureCollection.ACTIVE),
        ("SUSP", FixtureCollection.ACTIVE),
        ("FT", FixtureCollection.COMPLETED),
        ("WO", FixtureCollection.COMPLETED),
    ],
)
def test_a_fixture_is_stored_by_its_status(status: str, collection: FixtureCollection) -> None:
    assert collection_for_status(status) == collection


def test_an_unknown_status_is_watched_and_never_ends_a_match() -> None:
    assert "XYZ" not in KNOWN_STATUSES
    assert collection_for_status("XYZ") == FixtureCollection.ACTIVE
    assert "XYZ" not in FINAL_STATUSES
