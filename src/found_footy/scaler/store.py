"""The scaler's MongoDB operations: the goals being searched for, and the last decision of each pool."""

from collections.abc import Sequence
from typing import cast

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.documents import ScalerPoolDocument
from found_footy.platform.mongo import Database, Document, translate_mongo_errors

POOLS = "scaler_pools"


class ScalerStore:
    def __init__(self, database: Database) -> None:
        self._fixtures = database[FixtureCollection.ACTIVE]
        self._pools = database[POOLS]

    async def count_active_goals(self) -> int:
        """Count the confirmed goals whose search is not complete and that were not removed."""
        is_active = {
            "$and": [
                {"$eq": ["$$goal._monitor_complete", True]},
                {"$ne": ["$$goal._download_complete", True]},
                {"$ne": ["$$goal._removed", True]},
            ]
        }
        goals = {"$filter": {"input": {"$ifNull": ["$events", []]}, "as": "goal", "cond": is_active}}
        pipeline: list[Document] = [
            {"$match": {"events._monitor_complete": True}},
            {"$group": {"_id": None, "goals": {"$sum": {"$size": goals}}}},
        ]
        with translate_mongo_errors():
            answer = await self._fixtures.aggregate(pipeline)
            found = await answer.to_list()
        return int(found[0]["goals"]) if found else 0

    async def record_decision(self, pool: ScalerPoolDocument) -> None:
        with translate_mongo_errors():
            await self._pools.replace_one({"_id": pool["_id"]}, pool, upsert=True)

    async def forget_other_pools(self, names: Sequence[str]) -> None:
        """Delete decisions about pools that are no longer scaled, such as those of a role that was given up."""
        with translate_mongo_errors():
            await self._pools.delete_many({"_id": {"$nin": list(names)}})

    async def list_pools(self) -> list[ScalerPoolDocument]:
        """List the last decision of every pool, by name."""
        with translate_mongo_errors():
            return cast("list[ScalerPoolDocument]", await self._pools.find().sort("_id").to_list())
