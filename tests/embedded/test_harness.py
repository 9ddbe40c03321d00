"""The fixtures that other tests stand on."""

from temporalio.client import Client

from found_footy.model.handoff import Queues
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore


async def test_a_test_has_a_database_of_its_own(database: Database) -> None:
    await database["things"].insert_one({"_id": 1})
    assert await database["things"].count_documents({}) == 1


async def test_a_test_has_a_bucket_of_its_own(objects: ObjectStore) -> None:
    assert [info async for info in objects.list()] == []


async def test_a_test_has_temporal(temporal: Client, queues: Queues) -> None:
    count = await temporal.count_workflows(f"TaskQueue = '{queues.main}'")
    assert count.count == 0
