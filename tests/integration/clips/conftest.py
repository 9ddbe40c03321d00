"""The stages on real servers, and workers as processes of their own."""

import pytest

from found_footy.clips.activities import ClipActivities
from tests.support.clips.worker_factory import worker_factory
from tests.support.pipeline.pipeline_fixtures import outside, pipeline
from tests.support.pipeline.services import PipelineServices

__all__ = ["clip_activities", "outside", "pipeline", "worker_factory"]


@pytest.fixture
def clip_activities(pipeline: PipelineServices) -> ClipActivities:
    return pipeline.clips
