"""The stages on real servers, and goals with stored clips."""

from collections.abc import AsyncIterator

import pytest

from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.support.archive.stored_clips import StoredClips, open_stored_clips
from tests.support.pipeline.archive_invariants import assert_records_are_sound
from tests.support.pipeline.pipeline_fixtures import outside, pipeline

__all__ = ["outside", "pipeline", "sound_records", "stored_clips"]


@pytest.fixture
async def sound_records(database: Database) -> AsyncIterator[None]:
    """The records are sound after the test. The tests with `pipeline` check the objects, too."""
    yield
    await assert_records_are_sound(database)


@pytest.fixture
def stored_clips(database: Database, objects: ObjectStore) -> StoredClips:
    return open_stored_clips(database, objects)
