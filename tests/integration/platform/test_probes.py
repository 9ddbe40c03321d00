"""Probes: what works says so, what does not names the place and the way out, and nobody tells a secret."""

from datetime import timedelta
from typing import Protocol
from uuid import uuid4

from pydantic import SecretStr
from temporalio.client import Client

from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.probes import (
    PROBE_COLLECTION,
    ProbeResult,
    count_workflows,
    probe_mongo,
    probe_objects,
    probe_queue,
    probe_temporal,
    put_and_get_object,
    write_and_read_document,
)
from found_footy.platform.settings.groups import MongoSettings, NatsSettings, ObjectStoreSettings, TemporalSettings

SHORT = timedelta(milliseconds=500)
# The driver tells of a refusal only when its time is up; until then it must have been refused once.
REFUSED_WITHIN = timedelta(seconds=8)


class Endpoints(Protocol):
    @property
    def mongodb_uri(self) -> str: ...
    @property
    def temporal_address(self) -> str: ...
    @property
    def s3_endpoint(self) -> str: ...
    @property
    def s3_access_key(self) -> str: ...
    @property
    def s3_secret_key(self) -> str: ...
    @property
    def nats_url(self) -> str: ...


def object_settings(endpoint: str, access: str, secret: str) -> ObjectStoreSettings:
    return ObjectStoreSettings(
        endpoint=endpoint, access_key=SecretStr(access), secret_key=SecretStr(secret), bucket=f"test-{uuid4().hex}"
    )


def assert_works(result: ProbeResult, *words: str) -> None:
    assert result.ok, result
    assert result.remedy == ""
    assert result.milliseconds >= 0
    assert all(word in result.detail for word in words), result


def assert_fails(result: ProbeResult, *words: str) -> None:
    assert not result.ok
    assert "hunter2" not in repr(result)
    assert all(word in f"{result.detail} {result.remedy}" for word in words), result


async def test_every_system_that_works_is_found_working(platform: Endpoints) -> None:
    name = f"test_{uuid4().hex}"
    assert_works(await probe_mongo(MongoSettings(uri=platform.mongodb_uri, database=name)), "wrote, read and deleted")
    settings = object_settings(platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key)
    assert_works(await probe_objects(settings), "wrote, read and deleted an object", platform.s3_endpoint)
    assert_works(await probe_temporal(TemporalSettings(address=platform.temporal_address)), platform.temporal_address)
    assert_works(await probe_queue(NatsSettings(url=platform.nats_url)), "JetStream answers")


async def test_probes_leave_nothing_behind(database: Database, objects: ObjectStore, temporal: Client) -> None:
    await write_and_read_document(database)
    await put_and_get_object(objects)
    assert await database[PROBE_COLLECTION].count_documents({}) == 0
    assert [info async for info in objects.list()] == []
    assert "namespace default" in await count_workflows(temporal)


async def test_a_dead_port_is_named_with_the_variable_to_set(dead_port: int) -> None:
    place = f"127.0.0.1:{dead_port}"
    mongo = MongoSettings(uri=f"mongodb://me:hunter2@{place}")
    assert_fails(await probe_mongo(mongo, timeout=SHORT), f"mongodb://***@{place}", "MONGODB_URI")
    store = object_settings(f"http://{place}", "me", "hunter2")
    assert_fails(await probe_objects(store, timeout=SHORT), place, "S3_ENDPOINT")
    assert_fails(await probe_temporal(TemporalSettings(address=place), timeout=SHORT), place, "TEMPORAL_ADDRESS")
    queue = NatsSettings(url=f"nats://me:hunter2@{place}")
    assert_fails(await probe_queue(queue, timeout=SHORT), f"nats://***@{place}", "NATS_URL")


async def test_a_system_that_never_answers_is_given_up(black_hole: int) -> None:
    place = f"127.0.0.1:{black_hole}"
    assert_fails(await probe_mongo(MongoSettings(uri=f"mongodb://{place}"), timeout=SHORT), place, "start MongoDB")
    assert_fails(await probe_objects(object_settings(f"http://{place}", "a", "b"), timeout=SHORT), place)
    assert_fails(await probe_temporal(TemporalSettings(address=place), timeout=SHORT), place, "start Temporal")
    assert_fails(await probe_queue(NatsSettings(url=f"nats://{place}"), timeout=SHORT), place, "start NATS")


async def test_wrong_credentials_are_distinguished_from_a_dead_system(platform: Endpoints) -> None:
    place = platform.mongodb_uri.rpartition("@")[2]
    uri = f"mongodb://me:hunter2@{place}"
    assert_fails(await probe_mongo(MongoSettings(uri=uri)), "check the credentials", "MONGODB_URI")
    store = object_settings(platform.s3_endpoint, platform.s3_access_key, "hunter2")
    assert_fails(await probe_objects(store), "check the credentials", platform.s3_endpoint)
    queue = NatsSettings(url=f"nats://me:hunter2@{platform.nats_url.rpartition('@')[2]}")
    assert_fails(await probe_queue(queue, timeout=REFUSED_WITHIN), "check the credentials", "NATS_URL")


async def test_a_namespace_that_does_not_exist_is_named(platform: Endpoints) -> None:
    settings = TemporalSettings(address=platform.temporal_address, namespace="nowhere")
    assert_fails(await probe_temporal(settings), "nowhere")
