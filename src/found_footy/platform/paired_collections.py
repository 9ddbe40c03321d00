"""The fixture of a goal, read and changed in the collection that has it: being watched, or finished.

A fixture moves by a copy and a delete, so it is looked for in the order in which it moves. A change to the copy that
is being watched is carried over by the move. A change to a finished fixture is made once more to the copy that is
being watched, in case the fixture was sent back meanwhile; changes must therefore be safe to repeat. While there are
two copies the one that is being watched decides: what it does not have, or no longer has as the condition says, is not
found in the other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pymongo import UpdateOne

from found_footy.domain.collections import FixtureCollection
from found_footy.platform.mongo import Database, Document, translate_mongo_errors

GOAL_COLLECTIONS = (FixtureCollection.ACTIVE, FixtureCollection.COMPLETED)


class PairedCollections:
    def __init__(self, database: Database) -> None:
        self._first, self._second = (database[collection] for collection in GOAL_COLLECTIONS)

    async def find_one(self, condition: Document, projection: Document) -> Document | None:
        for collection in (self._first, self._second, self._first):
            with translate_mongo_errors():
                found = await collection.find_one(condition, projection)
            if found is None or (collection is self._second and await self._is_in_first(found["_id"])):
                continue
            return found
        return None

    async def update_one(self, condition: Document, change: Document | Sequence[Document]) -> bool:
        """False if no fixture meets the condition."""
        return await self.find_one_and_update(condition, change, {"_id": 1}) is not None

    async def find_one_and_update(
        self, condition: Document, change: Document | Sequence[Document], projection: Mapping[str, Any]
    ) -> Document | None:
        """The fixture after the change; None if no fixture meets the condition, which names the fixture's `_id`."""
        found = None
        for collection in (self._first, self._second, self._first):
            if collection is self._second and await self._is_in_first(condition["_id"]):
                continue
            with translate_mongo_errors():
                row = await collection.find_one_and_update(
                    condition, change, projection=projection, return_document=True
                )
            found = row or found
            if found is not None and collection is self._first:
                break
        return found

    async def _is_in_first(self, fixture_id: int) -> bool:
        with translate_mongo_errors():
            return await self._first.find_one({"_id": fixture_id}, {"_id": 1}) is not None

    async def bulk_write(self, changes: Sequence[UpdateOne], *, ordered: bool = False) -> None:
        """Each where the fixture is. A change that meets nothing changes nothing."""
        for collection in (self._first, self._second, self._first):
            with translate_mongo_errors():
                result = await collection.bulk_write(list(changes), ordered=ordered)
            if result.matched_count and collection is self._first:
                break
