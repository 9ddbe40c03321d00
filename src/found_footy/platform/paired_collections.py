"""Reads and updates the fixture of a goal in the collection that holds it: active or completed.

A fixture moves by a copy and a delete, so the collections are searched in the order of the move. The move carries over
a change to the active copy. A change to the completed copy is repeated on the active collection, in case the fixture
was moved back meanwhile; changes must therefore be idempotent. While there are two copies the active one decides: what
it lacks, or no longer has as the condition requires, is not looked up in the other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pymongo import UpdateOne

from found_footy.domain.collections import GOAL_COLLECTIONS
from found_footy.platform.mongo import Database, Document, translate_mongo_errors


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
        """Update the fixture; False if none meets the condition."""
        return await self.find_one_and_update(condition, change, {"_id": 1}) is not None

    async def find_one_and_update(
        self, condition: Document, change: Document | Sequence[Document], projection: Mapping[str, Any]
    ) -> Document | None:
        """Update the fixture and return it; None if none meets the condition, which must contain the fixture's
        `_id`.
        """
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
        """Apply each change where the fixture is. A change without a match does nothing."""
        for collection in (self._first, self._second, self._first):
            with translate_mongo_errors():
                result = await collection.bulk_write(list(changes), ordered=ordered)
            if result.matched_count and collection is self._first:
                break
