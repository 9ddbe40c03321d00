"""NATS JetStream: a durable stream in which each message is stored once however often it is published."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta

from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AccountInfo, Header, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError
from nats.protocol.parser import AUTHORIZATION_VIOLATION

from found_footy.platform.errors import BadInput, Denied, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.settings.addresses import redact_credentials

SYSTEM = "NATS"
_DEFAULT_TIMEOUT = timedelta(seconds=5)
_RECONNECT_SECONDS = 1
_UNLIMITED_RECONNECTS = -1
_DUPLICATE_WINDOW = timedelta(minutes=10)

logger = ActionLogger(__name__)


class JetStreamQueue:
    """A connection to JetStream. Raises Unavailable for whatever the server does not do in time."""

    def __init__(self, client: Client, address: str, timeout: timedelta) -> None:
        self.client = client
        self.stream: JetStreamContext = client.jetstream(timeout=timeout.total_seconds())
        self._address = address

    async def ensure_stream(self, name: str, subjects: Collection[str], *, max_age: timedelta) -> None:
        """Create or update the work queue `name` for these subjects: stored on disk, messages deleted once
        acknowledged.
        """
        config = StreamConfig(
            name=name,
            subjects=sorted(subjects),
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            max_age=max_age.total_seconds(),
            duplicate_window=min(_DUPLICATE_WINDOW, max_age).total_seconds(),
        )
        with self._translate_errors(f"stream {name}"):
            try:
                await self.stream.update_stream(config)
            except NotFoundError:
                await self.stream.add_stream(config)

    async def publish(self, subject: str, data: bytes, *, message_id: str) -> bool:
        """Store a message; returns once it is on disk. False if one with this id was stored a short while ago."""
        if len(data) > self.client.max_payload:
            raise BadInput(f"{SYSTEM}: a message of {len(data)} bytes is more than {self.client.max_payload}")
        with self._translate_errors(f"subject {subject}"):
            stored = await self.stream.publish(subject, data, headers={Header.MSG_ID.value: message_id})
        return not stored.duplicate

    async def account_info(self) -> AccountInfo:
        """Return JetStream's account figures: the cheapest request that only a working JetStream answers."""
        with self._translate_errors("JetStream"):
            return await self.stream.account_info()

    @contextmanager
    def _translate_errors(self, about: str) -> Iterator[None]:
        try:
            yield
        except (NatsError, TimeoutError, OSError) as error:
            text = f"{self._address}, {about}: {str(error) or type(error).__name__}"
            raise Unavailable(SYSTEM, redact_credentials(text)) from error


@asynccontextmanager
async def connect(url: str, *, timeout: timedelta = _DEFAULT_TIMEOUT) -> AsyncIterator[JetStreamQueue]:  # noqa: ASYNC109
    """Connect, and reconnect automatically. Raises Unavailable if no server answers at first, Denied if it
    rejects us.
    """
    address = redact_credentials(url)
    client = await _connect_client(url, address, timeout)
    try:
        yield JetStreamQueue(client, address, timeout)
    finally:
        await client.close()


async def _connect_client(url: str, address: str, timeout: timedelta) -> Client:  # noqa: ASYNC109
    client = Client()
    problems: list[Exception] = []

    async def on_error(error: Exception) -> None:
        problems.append(error)
        write_line = logger.warning if client.is_connected else logger.debug
        write_line("%s: %s", address, error, action="queue_problem")

    try:
        async with asyncio.timeout(timeout.total_seconds()):
            await client.connect(
                url.split(","),
                name="found-footy",
                connect_timeout=_to_whole_seconds(timeout),
                reconnect_time_wait=_RECONNECT_SECONDS,
                max_reconnect_attempts=_UNLIMITED_RECONNECTS,
                error_cb=on_error,
            )
    except (NatsError, TimeoutError, OSError) as error:
        await client.close()
        raise _to_connect_error(address, [*problems, error][0]) from error
    return client


def _to_whole_seconds(timeout: timedelta) -> int:
    return max(1, round(timeout.total_seconds()))


def _to_connect_error(address: str, error: Exception) -> Denied | Unavailable:
    # While connecting, the client has no exception class for this.
    if AUTHORIZATION_VIOLATION in str(error).lower():
        return Denied(SYSTEM, f"{address} rejects the credentials")
    return Unavailable(SYSTEM, f"no answer at {address} ({str(error) or type(error).__name__})")
