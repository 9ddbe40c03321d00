"""The stages on real servers."""

import pytest

from found_footy.clips.activities import ClipActivities
from tests.pipeline.rooms import house, outside
from tests.pipeline.works import House

__all__ = ["clip_activities", "house", "outside"]


@pytest.fixture
def clip_activities(house: House) -> ClipActivities:
    return house.clips
