"""Fixtures for tests that need the stages on real servers; a folder's conftest takes them from here."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.support.pipeline.archive_invariants import assert_archive_is_sound
from tests.support.pipeline.outside import Outside, outside_world
from tests.support.pipeline.services import House, furnished

__all__ = ["house", "outside"]


@pytest.fixture
def outside() -> Iterator[Outside]:
    """The outside world: a search service and a video host."""
    with outside_world() as world:
        yield world


@pytest.fixture
async def house(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues, outside: Outside, tmp_path: Path
) -> AsyncIterator[House]:
    """Stages two to four on real servers, with nobody at work. Whatever a test does, it leaves a sound archive."""
    async with furnished(database, objects, temporal, queues, outside, tmp_path) as furnished_house:
        yield furnished_house
        await assert_archive_is_sound(database, objects)
