"""The stages on real servers, and goals with stored clips."""

from collections.abc import AsyncIterator

import pytest

from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.support.archive.stored_clips import Shelves, shelves_on
from tests.support.pipeline.archive_invariants import assert_records_are_sound
from tests.support.pipeline.pipeline_fixtures import house, outside

__all__ = ["house", "outside", "shelves", "sound_records"]


@pytest.fixture
async def sound_records(database: Database) -> AsyncIterator[None]:
    """The records are sound after the test. Those of `house` check the objects, too."""
    yield
    await assert_records_are_sound(database)


@pytest.fixture
def shelves(database: Database, objects: ObjectStore) -> Shelves:
    return shelves_on(database, objects)
