"""The stages on real servers, and workers as processes of their own."""

import pytest

from found_footy.clips.activities import ClipActivities
from tests.support.clips.worker_factory import nursery
from tests.support.pipeline.pipeline_fixtures import house, outside
from tests.support.pipeline.services import House

__all__ = ["clip_activities", "house", "nursery", "outside"]


@pytest.fixture
def clip_activities(house: House) -> ClipActivities:
    return house.clips
