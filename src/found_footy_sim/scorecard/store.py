"""Reads the data of a scorecard from MongoDB and Temporal. Read-only."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from pymongo import monitoring
from temporalio.client import Client
from temporalio.service import RPCError

from found_footy.domain.collections import FixtureCollection
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database, translate_mongo_errors
from found_footy.views.fixture_views import StoredFixture

_READ_TIMEOUT_MS = 10_000
_EXCLUDED_FIELDS = {"events._s3_videos.perceptual_hash": 0, "removed_events._s3_videos.perceptual_hash": 0}
_OPERATION_KINDS = ("insert", "query", "update", "delete", "getmore", "command")
# How the server counts a command; every other name is a "command".
_KIND_BY_COMMAND = {"find": "query", "getMore": "getmore", "insert": "insert", "update": "update", "delete": "delete"}


class OwnOperationCounter(monitoring.CommandListener):
    """Counts what this process asks of MongoDB: to watch a day is not the product's work."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter(dict.fromkeys(_OPERATION_KINDS, 0))

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        self.counts[_KIND_BY_COMMAND.get(event.command_name, "command")] += 1

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        pass

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        pass


def count_own_operations() -> OwnOperationCounter:
    """Count the operations of every client that this process opens from now on."""
    counter = OwnOperationCounter()
    monitoring.register(counter)
    return counter


async def read_fixtures(database: Database) -> list[StoredFixture]:
    """Return all fixtures with all fields; a fixture that is being moved is there twice."""
    found: list[StoredFixture] = []
    for room in FixtureCollection:
        with translate_mongo_errors():
            documents = await database[room].find({}, _EXCLUDED_FIELDS, max_time_ms=_READ_TIMEOUT_MS).to_list()
        found += [StoredFixture(room, document) for document in documents]
    return found


async def read_last_poll(database: Database) -> datetime | None:
    """Return when the feed last answered."""
    with translate_mongo_errors():
        state = await database["feed_state"].find_one({}, {"last_ok_at": 1}, max_time_ms=_READ_TIMEOUT_MS)
    moment = (state or {}).get("last_ok_at")
    return moment if isinstance(moment, datetime) else None


async def count_workflows(client: Client) -> int:
    """Count all workflow runs in Temporal, closed ones included."""
    try:
        return (await client.count_workflows()).count
    except RPCError as error:
        raise Unavailable("Temporal", f"the workflows cannot be counted: {error.message}") from error


async def has_fixtures(database: Database) -> bool:
    for room in FixtureCollection:
        with translate_mongo_errors():
            if await database[room].find_one({}, {"_id": 1}, max_time_ms=_READ_TIMEOUT_MS):
                return True
    return False


async def count_operations(database: Database) -> Mapping[str, int]:
    """Return the server's own count of operations since its start, of all clients."""
    with translate_mongo_errors():
        status = await database.client.admin.command("serverStatus", maxTimeMS=_READ_TIMEOUT_MS)
    return {name: int(status["opcounters"].get(name, 0)) for name in _OPERATION_KINDS}


async def count_history_events(client: Client) -> dict[str, int]:
    """Count events in the histories of all workflows, by workflow name."""
    events: Counter[str] = Counter()
    try:
        async for execution in client.list_workflows():
            events[execution.workflow_type] += execution.history_length
    except RPCError as error:
        raise Unavailable("Temporal", f"the workflows cannot be listed: {error.message}") from error
    return dict(events)
