"""Probes of the systems that the product needs. Each probe uses its system for real; a failing one names the remedy."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from temporalio.client import Client
from temporalio.service import RPCError

from found_footy.platform import mongo, queue
from found_footy.platform.errors import ConfigError, Denied, FoundFootyError, NotFound, Unavailable
from found_footy.platform.objects import ObjectStore
from found_footy.platform.settings.addresses import redact_address
from found_footy.platform.settings.groups import MongoSettings, NatsSettings, ObjectStoreSettings, TemporalSettings
from found_footy.platform.settings.units import format_duration
from found_footy.platform.temporal import client as temporal

TEMPORAL = "Temporal"
PROBE_COLLECTION = "probes"
PROBE_TIMEOUT = timedelta(seconds=5)
_PROBE_CONTENT = b"probe"


@dataclass(frozen=True)
class ProbeResult:
    """`detail` says what was seen, `remedy` what a person can do about it; it is empty for a working system."""

    system: str
    ok: bool
    milliseconds: int
    detail: str
    remedy: str


async def probe_mongo(settings: MongoSettings, *, timeout: timedelta = PROBE_TIMEOUT) -> ProbeResult:  # noqa: ASYNC109
    """Write, read and delete a document."""

    async def check() -> str:
        async with mongo.connect(settings.uri, settings.database, timeout=timeout) as database:
            return await write_and_read_document(database)

    return await _run_probe("MongoDB", redact_address(settings.uri), "MONGODB_URI", check, timeout)


async def write_and_read_document(database: mongo.Database) -> str:
    """Write, read and delete a document in a connected database."""
    name = f"probe-{uuid4()}"
    with mongo.translate_mongo_errors():
        probes = database[PROBE_COLLECTION]
        await probes.insert_one({"_id": name})
        found = await probes.find_one({"_id": name})
        await probes.delete_one({"_id": name})
    if found is None:
        raise Unavailable("MongoDB", "the document just written cannot be read")
    return f"wrote, read and deleted a document in {database.name}"


async def probe_objects(settings: ObjectStoreSettings, *, timeout: timedelta = PROBE_TIMEOUT) -> ProbeResult:  # noqa: ASYNC109
    """Put, get and delete an object."""

    async def check() -> str:
        store = ObjectStore(
            settings.endpoint,
            settings.access_key.get_secret_value(),
            settings.secret_key.get_secret_value(),
            settings.bucket,
            settings.region,
            timeout=timeout,
            attempts=1,
        )
        try:
            await store.ensure_bucket()
            return await put_and_get_object(store)
        finally:
            await store.aclose()

    return await _run_probe("object store", redact_address(settings.endpoint), "S3_ENDPOINT", check, timeout)


async def put_and_get_object(store: ObjectStore) -> str:
    """Put, get and delete an object in an open store."""
    key = f"probes/{uuid4()}"
    await store.put_bytes(key, _PROBE_CONTENT, content_type="text/plain")
    content = await store.get_bytes(key, limit=len(_PROBE_CONTENT))
    await store.delete(key)
    if content != _PROBE_CONTENT:
        raise Unavailable("object store", "the object just written is read with other bytes")
    return f"wrote, read and deleted an object in {store.bucket}"


async def probe_temporal(settings: TemporalSettings, *, timeout: timedelta = PROBE_TIMEOUT) -> ProbeResult:  # noqa: ASYNC109
    """Count the workflows of the namespace."""

    async def check() -> str:
        async with temporal.connect(settings.address, settings.namespace, access=settings.access) as client:
            return await count_workflows(client, timeout)

    return await _run_probe(TEMPORAL, settings.address, "TEMPORAL_ADDRESS", check, timeout)


async def count_workflows(client: Client, timeout: timedelta = PROBE_TIMEOUT) -> str:  # noqa: ASYNC109
    """Count the workflows with a connected client."""
    try:
        count = await client.count_workflows(rpc_timeout=timeout)
    except RPCError as error:
        raise Unavailable("Temporal", f"namespace {client.namespace}: {error.message}") from error
    return f"counted {count.count} workflows in namespace {client.namespace}"


async def probe_queue(settings: NatsSettings, *, timeout: timedelta = PROBE_TIMEOUT) -> ProbeResult:  # noqa: ASYNC109
    """Ask JetStream for its account."""

    async def check() -> str:
        async with queue.connect(settings.url, timeout=timeout) as connection:
            account = await connection.account_info()
            return f"JetStream answers, {account.streams} streams"

    return await _run_probe("NATS", redact_address(settings.url), "NATS_URL", check, timeout)


async def _run_probe(
    system: str,
    address: str,
    variable: str,
    check: Callable[[], Awaitable[str]],
    timeout: timedelta,  # noqa: ASYNC109
) -> ProbeResult:
    started = time.monotonic()
    # Every step has its own timeout; together they may take longer before the probe gives up.
    longest = 2 * timeout
    error: Exception | None = None
    try:
        async with asyncio.timeout(longest.total_seconds()):
            detail = await check()
    except TimeoutError as timed_out:
        detail, error = f"no answer at {address} within {format_duration(longest)}", timed_out
    except FoundFootyError as failure:
        detail, error = str(failure), failure
    milliseconds = round((time.monotonic() - started) * 1000)
    remedy = _suggest_remedy(system, address, variable, error) if error else ""
    return ProbeResult(system, error is None, milliseconds, detail if error else f"{detail} at {address}", remedy)


def _suggest_remedy(system: str, address: str, variable: str, error: Exception) -> str:
    if isinstance(error, Denied):
        return f"check the credentials for {address} (in {variable} or beside it)"
    if isinstance(error, ConfigError | NotFound):
        return f"set {variable} to the address of your {system}, now it is {address}"
    name = "the object store" if system == "object store" else system
    return f"start {name} or set {variable} to where it runs; now it is {address}"
