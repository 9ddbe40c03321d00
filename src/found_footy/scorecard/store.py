"""What a scorecard is made from, read from MongoDB and Temporal. Nothing is written."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from temporalio.client import Client
from temporalio.service import RPCError

from found_footy.model.fixture import Room
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database, guarded
from found_footy.web.views import Stored

_LONGEST_READ_MS = 10_000
_UNREAD = {"events._s3_videos.perceptual_hash": 0, "removed_events._s3_videos.perceptual_hash": 0}
_OPERATIONS = ("insert", "query", "update", "delete", "getmore", "command")


async def whole_fixtures(database: Database) -> list[Stored]:
    """All fixtures with all that is written of them; a fixture on the move is there twice."""
    found: list[Stored] = []
    for room in Room:
        with guarded():
            documents = await database[room].find({}, _UNREAD, max_time_ms=_LONGEST_READ_MS).to_list()
        found += [Stored(room, document) for document in documents]
    return found


async def last_poll(database: Database) -> datetime | None:
    """When the feed last answered."""
    with guarded():
        state = await database["feed_state"].find_one({}, {"last_ok_at": 1}, max_time_ms=_LONGEST_READ_MS)
    moment = (state or {}).get("last_ok_at")
    return moment if isinstance(moment, datetime) else None


async def count_workflows(client: Client) -> int:
    """How many workflow runs Temporal knows, those that are over included."""
    try:
        return (await client.count_workflows()).count
    except RPCError as error:
        raise Unavailable("Temporal", f"the workflows cannot be counted: {error.message}") from error


async def has_fixtures(database: Database) -> bool:
    for room in Room:
        with guarded():
            if await database[room].find_one({}, {"_id": 1}, max_time_ms=_LONGEST_READ_MS):
                return True
    return False


async def operations(database: Database) -> Mapping[str, int]:
    """The server's own count of operations since it began, whoever asked for them."""
    with guarded():
        status = await database.client.admin.command("serverStatus", maxTimeMS=_LONGEST_READ_MS)
    return {name: int(status["opcounters"].get(name, 0)) for name in _OPERATIONS}


async def history_events(client: Client) -> dict[str, int]:
    """Events in the histories of all workflows, by the workflow's name."""
    events: Counter[str] = Counter()
    try:
        async for execution in client.list_workflows():
            events[execution.workflow_type] += execution.history_length
    except RPCError as error:
        raise Unavailable("Temporal", f"the workflows cannot be listed: {error.message}") from error
    return dict(events)
