"""X is switched off half-way through a day: what tells when, and what shows that other sources still find clips."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from found_footy.views.field_readers import read_datetime, read_documents
from found_footy.views.fixture_views import StoredFixture


def is_half_over(state: Mapping[str, Any]) -> bool:
    """Whether half of the posts of a simulated day are published, by the simulator's state."""
    published = len(read_documents(state.get("posts")))
    return published > 0 and published >= int(state.get("posts_to_come") or 0)


def count_goals_with_clips_since(stored: Iterable[StoredFixture], moment: datetime) -> int:
    """Goals that were first seen after a moment and have a clip."""
    return sum(
        bool(read_documents(event.get("_s3_videos")))
        for one in stored
        for event in read_documents(one.document.get("events"))
        if (seen := read_datetime(event.get("_first_seen"))) is not None and seen > moment
    )
