"""Fixtures for tests that need the stages on real servers; a folder's conftest takes them from here."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.support.pipeline.archive_invariants import assert_archive_is_sound
from tests.support.pipeline.outside import OutsideServices, serve_outside
from tests.support.pipeline.services import PipelineServices, open_pipeline

__all__ = ["outside", "pipeline"]


@pytest.fixture
def outside() -> Iterator[OutsideServices]:
    """The outside world: a search service and a video host."""
    with serve_outside() as world:
        yield world


@pytest.fixture
async def pipeline(
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    queues: TaskQueues,
    outside: OutsideServices,
    tmp_path: Path,
) -> AsyncIterator[PipelineServices]:
    """Stages two to four on real servers, without a worker. Whatever a test does, it leaves a sound archive."""
    async with open_pipeline(database, objects, temporal, queues, outside, tmp_path) as opened:
        yield opened
        await assert_archive_is_sound(database, objects)
