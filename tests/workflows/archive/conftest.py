"""The stages on real servers."""

from collections.abc import AsyncIterator

import pytest

from found_footy.platform.mongo import Database
from tests.pipeline.invariants import assert_records_are_sound
from tests.pipeline.rooms import house, outside

__all__ = ["house", "outside"]


@pytest.fixture(autouse=True)
async def sound_records(database: Database) -> AsyncIterator[None]:
    """Every test of the archive leaves sound records; those in a house leave the right objects, too."""
    yield
    await assert_records_are_sound(database)
