"""Why the addresses of a fixture's clips are gone once it is deleted."""

from typing import Any

from found_footy.domain.removed_clips import ClipRemovalReason, clip_removal_reasons


def event(*clips: str, refused: tuple[dict[str, Any], ...] = (), **more: Any) -> dict[str, Any]:
    return {"_s3_videos": [{"clip_id": clip} for clip in clips], "_judgements": {"refused": list(refused)}, **more}


def sent_away(clip_id: str, scope: str = "taken_down", **more: Any) -> dict[str, Any]:
    return {"clip_id": clip_id, "scope": scope, **more}


def test_every_address_that_a_fixture_knows_has_its_reason() -> None:
    refused = (sent_away("taken"), sent_away("wrong", "wrong_goal"))
    fixture = {
        "events": [event("shown", refused=refused), event("in place", _removed=True)],
        "removed_events": [event("struck", _gone_clips=["struck before"])],
    }
    assert clip_removal_reasons(fixture) == {
        "shown": ClipRemovalReason.CLEARED,
        "in place": ClipRemovalReason.GOAL_REMOVED,
        "struck": ClipRemovalReason.GOAL_REMOVED,
        "struck before": ClipRemovalReason.GOAL_REMOVED,
        "taken": ClipRemovalReason.TAKEN_DOWN,
        "wrong": ClipRemovalReason.CLIP_REMOVED,
    }


def test_a_take_down_is_the_reason_before_all_others() -> None:
    rows = (sent_away("a"), sent_away("a", "wrong_goal"))
    assert clip_removal_reasons({"events": [event(refused=rows)], "removed_events": [event("a")]}) == {
        "a": ClipRemovalReason.TAKEN_DOWN
    }


def test_a_clip_that_was_unblocked_and_found_again_was_deleted_with_its_fixture() -> None:
    back, away = (sent_away(name, lifted=True) for name in ("back", "away"))
    assert clip_removal_reasons({"events": [event("back", refused=(back, away))]}) == {
        "back": ClipRemovalReason.CLEARED,
        "away": ClipRemovalReason.TAKEN_DOWN,
    }


def test_a_fixture_without_clips_leaves_no_address() -> None:
    assert clip_removal_reasons({}) == {}
    assert clip_removal_reasons({"events": [{"_event_id": "e"}], "removed_events": None}) == {}
