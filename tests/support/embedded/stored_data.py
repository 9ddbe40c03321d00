"""Data stored in each server, to be read again after whatever a test does to that server."""

from collections.abc import Awaitable, Callable

import nats
from temporalio.client import WorkflowExecutionStatus

from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform import mongo
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal import client as temporal

SERVERS = ("mongodb", "temporal", "seaweedfs", "nats")
_FIELDS = {
    "mongodb": ("mongodb_uri",),
    "temporal": ("temporal_address",),
    "seaweedfs": ("s3_endpoint", "s3_access_key", "s3_secret_key"),
    "nats": ("nats_url",),
}


def all_but(*servers: str) -> dict[str, str]:
    """`external` for a supervisor that starts only `servers`."""
    return {field: "elsewhere" for name, fields in _FIELDS.items() if name not in servers for field in fields}


async def store_in_mongodb(where: PlatformEndpoints) -> None:
    async with mongo.connect(where.mongodb_uri, "deposits") as database:
        await database["left"].insert_one({"_id": "here"})


async def is_in_mongodb(where: PlatformEndpoints) -> bool:
    async with mongo.connect(where.mongodb_uri, "deposits") as database:
        return await database["left"].count_documents({"_id": "here"}) == 1


async def store_in_temporal(where: PlatformEndpoints) -> None:
    async with temporal.connect(where.temporal_address, "default") as client:
        await client.start_workflow("NobodyRunsThis", id="left-here", task_queue="nobody")


async def is_in_temporal(where: PlatformEndpoints) -> bool:
    async with temporal.connect(where.temporal_address, "default") as client:
        description = await client.get_workflow_handle("left-here").describe()
        return description.status is WorkflowExecutionStatus.RUNNING


async def store_in_seaweedfs(where: PlatformEndpoints) -> None:
    store = _store(where)
    await store.ensure_bucket()
    await store.put_bytes("left here", b"something", content_type="text/plain")
    await store.aclose()


async def is_in_seaweedfs(where: PlatformEndpoints) -> bool:
    store = _store(where)
    content = await store.get_bytes("left here", limit=100)
    await store.aclose()
    return content == b"something"


def _store(where: PlatformEndpoints) -> ObjectStore:
    return ObjectStore(where.s3_endpoint, where.s3_access_key, where.s3_secret_key, "deposits")


async def store_in_nats(where: PlatformEndpoints) -> None:
    client = await nats.connect(where.nats_url)
    await client.jetstream().add_stream(name="deposits", subjects=["deposits"])
    await client.jetstream().publish("deposits", b"something")
    await client.close()


async def is_in_nats(where: PlatformEndpoints) -> bool:
    client = await nats.connect(where.nats_url)
    stream = await client.jetstream().stream_info("deposits")
    await client.close()
    return stream.state.messages == 1


STORE: dict[str, Callable[[PlatformEndpoints], Awaitable[None]]] = {
    "mongodb": store_in_mongodb,
    "temporal": store_in_temporal,
    "seaweedfs": store_in_seaweedfs,
    "nats": store_in_nats,
}
IS_STORED: dict[str, Callable[[PlatformEndpoints], Awaitable[bool]]] = {
    "mongodb": is_in_mongodb,
    "temporal": is_in_temporal,
    "seaweedfs": is_in_seaweedfs,
    "nats": is_in_nats,
}
