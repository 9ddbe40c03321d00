"""What watches a day is not counted as the product's work."""

from uuid import uuid4

from pymongo import AsyncMongoClient

from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy_sim.scorecard.store import OwnOperationCounter


async def test_the_operations_of_a_client_are_counted_as_the_server_counts_them(platform: PlatformEndpoints) -> None:
    counter = OwnOperationCounter()
    async with AsyncMongoClient[dict[str, object]](platform.mongodb_uri, event_listeners=[counter]) as client:
        rows = client[f"test_{uuid4().hex}"]["rows"]
        await rows.insert_one({"_id": 1})
        before = counter.counts.copy()
        await rows.update_one({"_id": 1}, {"$set": {"is": "changed"}})
        await rows.find({}).to_list()
        await client.admin.command("serverStatus")
        counted = counter.counts - before
        await client.drop_database(rows.database.name)
    assert before["insert"] == 1
    assert counted == {"update": 1, "query": 1, "command": 1}
