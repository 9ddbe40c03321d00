"""What the watches write and read: documents, objects, messages, the page. What was acknowledged is counted at the
end.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from found_footy.platform import mongo
from found_footy.platform.errors import Unavailable
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.mongo import Database, translate_mongo_errors
from found_footy.platform.objects import ObjectStore
from found_footy.platform.queue import JetStreamQueue
from found_footy.platform.queue_connection import QueueConnection
from found_footy.platform.settings.addresses import host_and_port
from found_footy.settings import Settings
from found_footy_sim.cluster.availability import Operation, Watch

STREAM = "WATCH"
_SUBJECT = "WATCH.numbers"
_NAME = "cluster-watch"
_MAX_AGE = timedelta(hours=1)
_BODY = bytes(range(256)) * 256
_HTTP_OK = 200
_TIMEOUT = timedelta(seconds=30)
_QUEUE_TIMEOUT = timedelta(seconds=60)


@dataclass(frozen=True)
class WatchedServers:
    """The product's own connections to the cluster, beside those of the product."""

    database: Database
    objects: ObjectStore
    queue: QueueConnection
    page: SafeHttpClient
    page_url: str

    def build_watches(self) -> tuple[Watch, ...]:
        return (
            Watch(Operation.DATABASE_WRITE, self._write_document),
            Watch(Operation.DATABASE_READ, self._read_document),
            Watch(Operation.OBJECT_WRITE, self._write_object),
            Watch(Operation.OBJECT_READ, self._read_object),
            Watch(Operation.QUEUE, self._publish),
            Watch(Operation.PAGE, self._get_page),
        )

    async def count_lost(self, watches: Sequence[Watch]) -> dict[Operation, int]:
        """Return how many acknowledged writes are not there."""
        done = {watch.operation: set(watch.acknowledged) for watch in watches}
        documents = {row["_id"] async for row in self.database.numbers.find()}
        objects = {int(info.key.rpartition("/")[2]) async for info in self.objects.list()}
        queue = await self.queue.wait_for_queue(_QUEUE_TIMEOUT)
        messages = (await queue.read_backlog(STREAM)).messages
        return {
            Operation.DATABASE_WRITE: len(done[Operation.DATABASE_WRITE] - documents),
            Operation.OBJECT_WRITE: len(done[Operation.OBJECT_WRITE] - objects),
            Operation.QUEUE: max(0, len(done[Operation.QUEUE]) - messages),
        }

    async def _write_document(self, number: int) -> None:
        with translate_mongo_errors():
            await self.database.numbers.replace_one({"_id": number}, {"number": number}, upsert=True)

    async def _read_document(self, _number: int) -> None:
        with translate_mongo_errors():
            await self.database.numbers.find_one({}, sort=[("_id", -1)])

    async def _write_object(self, number: int) -> None:
        await self.objects.put_bytes(f"numbers/{number}", _BODY, content_type="application/octet-stream")

    async def _read_object(self, number: int) -> None:
        """One of the first objects, which are spread over the volumes."""
        if await self.objects.get_bytes(f"numbers/{-1 - number % 10}", limit=len(_BODY)) != _BODY:
            raise Unavailable("object store", "an object is not what was stored")

    async def _publish(self, number: int) -> None:
        await self.queue.publish(_SUBJECT, b"%d" % number, message_id=f"watch-{number}")

    async def _get_page(self, _number: int) -> None:
        answer = await self.page.request("GET", f"{self.page_url}/")
        if answer.status != _HTTP_OK:
            raise Unavailable("page", f"answered {answer.status}")

    async def store_first_objects(self) -> None:
        await self.objects.ensure_bucket()
        for number in range(10):
            await self._write_object(-1 - number)


@asynccontextmanager
async def open_watched_servers(settings: Settings, page_url: str) -> AsyncIterator[WatchedServers]:
    async def ensure_stream(queue: JetStreamQueue) -> None:
        await queue.ensure_stream(STREAM, [_SUBJECT], max_age=_MAX_AGE, replicas=settings.nats.replicas)

    host, objects = host_and_port(page_url), settings.objects
    async with AsyncExitStack() as stack:
        watched = WatchedServers(
            await stack.enter_async_context(mongo.connect(settings.mongo.uri, _NAME, timeout=settings.mongo.timeout)),
            await stack.enter_async_context(
                aclosing(
                    ObjectStore(
                        objects.endpoint,
                        objects.access_key.get_secret_value(),
                        objects.secret_key.get_secret_value(),
                        _NAME,
                    )
                )
            ),
            await stack.enter_async_context(QueueConnection(settings.nats.url, ensure_stream)),
            await stack.enter_async_context(
                aclosing(SafeHttpClient(system=host, allowed_hosts={host}, trusted_private={host}, timeout=_TIMEOUT))
            ),
            page_url,
        )
        await watched.store_first_objects()
        await watched.queue.wait_for_queue(_QUEUE_TIMEOUT)
        yield watched
