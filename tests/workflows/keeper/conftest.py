"""What is stored, and who looks after it, on real servers."""

import pytest

from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from tests.pipeline.rooms import house, outside
from tests.workflows.keeper.shelves import Shelves, shelves_on

__all__ = ["house", "outside", "shelves"]


@pytest.fixture
def shelves(database: Database, objects: ObjectStore) -> Shelves:
    return shelves_on(database, objects)
