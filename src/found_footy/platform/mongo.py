"""MongoDB: one client per process with safe write options, index creation, driver errors translated to typed ones."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bson.errors import BSONError
from pymongo import AsyncMongoClient, IndexModel
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    DocumentTooLarge,
    DuplicateKeyError,
    OperationFailure,
    PyMongoError,
)

from found_footy.platform.errors import BadInput, ConfigError, Conflict, FoundFootyError, StoreDenied, Unavailable
from found_footy.platform.settings.addresses import redact_credentials

Document = dict[str, Any]
Database = AsyncDatabase[Document]

SYSTEM = "MongoDB"
_DEFAULT_TIMEOUT = timedelta(seconds=10)
_MAX_CHANGE_STREAM_WAIT_MS = 5000
_MAX_ERROR_LENGTH = 500
_TOPOLOGY_DUMP_PATTERN = re.compile(r", Timeout: |, full error: |, Topology Description: | \(configured timeouts")

_DUPLICATE_KEY_CODE = 11000
_INDEX_CONFLICT_CODES = {85, 86}
_ACCESS_DENIED_CODES = {13, 18, 8000}  # Unauthorized, AuthenticationFailed, AtlasError
_BAD_DOCUMENT_CODES = {121, 10334, 17419, 17420}  # failed validation, or larger than a document may be


@dataclass(frozen=True)
class MongoIndex:
    """One index of a collection. `keys` are (field, 1 or -1) in order; `expire_after` makes it a TTL index."""

    collection: str
    keys: tuple[tuple[str, int], ...]
    unique: bool = False
    sparse: bool = False
    expire_after: timedelta | None = None
    partial: Document | None = None

    @property
    def name(self) -> str:
        return "_".join(f"{field}_{direction}" for field, direction in self.keys)

    def options(self) -> Document:
        """Options of `create_index` besides the keys; options that are off are omitted, as the server stores them."""
        options: Document = {"name": self.name}
        if self.unique:
            options["unique"] = True
        if self.sparse:
            options["sparse"] = True
        if self.expire_after is not None:
            options["expireAfterSeconds"] = int(self.expire_after.total_seconds())
        if self.partial is not None:
            options["partialFilterExpression"] = self.partial
        return options


@asynccontextmanager
async def connect(uri: str, database: str, *, timeout: timedelta = _DEFAULT_TIMEOUT) -> AsyncIterator[Database]:  # noqa: ASYNC109
    """Connect, and yield the database once its primary has answered. Writes are majority and journaled; datetimes are
    aware.

    The URI cannot override these options: an acknowledged write must survive a crash.
    """
    client = _build_client(uri, timeout)
    try:
        await _require_primary(client, uri)
        yield client[database]
    finally:
        await close_client(client)


def get_change_stream_wait(database: Database) -> int:
    """Milliseconds that the server holds a change stream's request while nothing changes. Less than the socket's
    timeout, otherwise a quiet stream would time out.
    """
    return min(_MAX_CHANGE_STREAM_WAIT_MS, int(database.client.options.server_selection_timeout * 1000))


async def close_client(client: AsyncMongoClient[Document]) -> None:
    """Close the client to the end, even if this task is cancelled meanwhile: a client that is closed half-way keeps its
    connections and its monitor. A server that hangs delays the end by the client's own time limits."""
    closing, cancelled = asyncio.ensure_future(client.close()), False
    while not closing.done():
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            cancelled = True
    closing.result()
    if cancelled:
        raise asyncio.CancelledError


def _build_client(uri: str, timeout: timedelta) -> AsyncMongoClient[Document]:
    milliseconds = int(timeout.total_seconds() * 1000)
    try:
        return AsyncMongoClient(
            uri,
            appname="found-footy",
            tz_aware=True,
            w="majority",
            journal=True,
            wTimeoutMS=milliseconds,
            readConcernLevel="majority",
            retryWrites=True,
            retryReads=True,
            serverSelectionTimeoutMS=milliseconds,
            connectTimeoutMS=milliseconds,
            # Without it an operation waits without limit for a connection while slow ones hold them all.
            waitQueueTimeoutMS=milliseconds,
            # Longer than a change stream waits on the server, otherwise a quiet stream would time out.
            socketTimeoutMS=2 * milliseconds,
        )
    except (ConfigurationError, ValueError) as error:
        raise ConfigError(
            f"{SYSTEM}: {redact_credentials(uri)} is not a usable address ({_error_text(error)})"
        ) from error


async def _require_primary(client: AsyncMongoClient[Document], uri: str) -> None:
    try:
        hello = await client.admin.command("hello")
        # "hello" needs no authentication; this does, if the server requires it.
        await client.admin.command("listDatabases", nameOnly=True, authorizedDatabases=True)
    except PyMongoError as error:
        raise _to_typed_error(error, f"at {redact_credentials(uri)}") from error
    if not hello.get("isWritablePrimary"):
        raise Unavailable(SYSTEM, f"{redact_credentials(uri)} is not a primary, so it takes no writes")


async def ensure_indexes(db: Database, indexes: Iterable[MongoIndex]) -> None:
    """Create each missing index. The first that cannot be created raises an error that names it."""
    by_collection: dict[str, list[MongoIndex]] = {}
    for index in indexes:
        by_collection.setdefault(index.collection, []).append(index)
    for wanted in by_collection.values():
        await _ensure_collection_indexes(db, wanted)


async def _ensure_collection_indexes(db: Database, wanted: Sequence[MongoIndex]) -> None:
    """One command for all indexes of a collection: every process does this when it starts. If the server refuses it,
    one command per index, to change what may change and to find the one that cannot be created.
    """
    models = [IndexModel(list(index.keys), **index.options()) for index in wanted]
    index = wanted[0]
    try:
        try:
            await db[index.collection].create_indexes(models)
        except OperationFailure:
            for index in wanted:
                await _ensure_index(db, index)
    except PyMongoError as error:
        raise _to_typed_error(error, f"index {index.name} of {index.collection}") from error


async def _ensure_index(db: Database, index: MongoIndex) -> None:
    try:
        await db[index.collection].create_index(list(index.keys), **index.options())
    except OperationFailure as error:
        if error.code not in _INDEX_CONFLICT_CODES or index.expire_after is None:
            raise
        # Only the TTL can change in place; the server rejects the command if anything else differs.
        change = {"name": index.name, "expireAfterSeconds": index.options()["expireAfterSeconds"]}
        await db.command("collMod", index.collection, index=change)
        await db[index.collection].create_index(list(index.keys), **index.options())


@contextmanager
def translate_mongo_errors() -> Iterator[None]:
    """Translate driver errors in the block: `Conflict` for a duplicate key, `BadInput`, `StoreDenied`, else
    `Unavailable`.

    Wrong calls of the driver (`InvalidOperation`, `TypeError`, …) are bugs and are not translated.
    """
    try:
        yield
    except (ConnectionFailure, OperationFailure, DocumentTooLarge, BSONError, OverflowError) as error:
        raise _to_typed_error(error) from error


def _to_typed_error(error: PyMongoError | BSONError | OverflowError, about: str = "") -> FoundFootyError:
    text = f"{about}: {_error_text(error)}" if about else _error_text(error)
    if _is_duplicate_key(error) or _error_code(error) in _INDEX_CONFLICT_CODES:
        return Conflict(f"{SYSTEM}: {text}")
    if isinstance(error, DocumentTooLarge | BSONError | OverflowError) or _error_code(error) in _BAD_DOCUMENT_CODES:
        return BadInput(f"{SYSTEM}: {text}")
    if _error_code(error) in _ACCESS_DENIED_CODES:
        return StoreDenied(SYSTEM, text)
    return Unavailable(SYSTEM, text)


def _is_duplicate_key(error: Exception) -> bool:
    if isinstance(error, BulkWriteError):
        failures = (error.details or {}).get("writeErrors", [])
        return bool(failures) and all(failure.get("code") == _DUPLICATE_KEY_CODE for failure in failures)
    return isinstance(error, DuplicateKeyError) or _error_code(error) == _DUPLICATE_KEY_CODE


def _error_code(error: Exception) -> int | None:
    return error.code if isinstance(error, OperationFailure) else None


def _error_text(error: Exception) -> str:
    """The driver's message without the topology dump that follows it."""
    sentence = _TOPOLOGY_DUMP_PATTERN.split(str(error), maxsplit=1)[0]
    return redact_credentials(sentence)[:_MAX_ERROR_LENGTH] or type(error).__name__
