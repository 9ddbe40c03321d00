"""Which objects the clips of a fixture name."""

from collections.abc import Mapping
from typing import Any

from found_footy.domain.clip_files import list_named_keys
from found_footy.domain.goals import iterate_stored_goals


def list_fixture_keys(fixture: Mapping[str, Any]) -> set[str]:
    """Return the key of every object that a clip of the fixture names, also one of a removed goal."""
    goals = iterate_stored_goals(fixture)
    return {key for goal in goals for clip in goal.get("_s3_videos") or () for key in list_named_keys(clip)}
