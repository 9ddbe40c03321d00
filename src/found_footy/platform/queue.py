"""NATS JetStream: a durable stream in which each message is stored once however often it is published."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypedDict
from urllib.parse import unquote, urlsplit

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import AccountInfo, AckPolicy, ConsumerConfig, Header, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError
from nats.protocol.parser import AUTHORIZATION_VIOLATION
from pydantic import Field, ValidationError

from found_footy.platform.errors import BadInput, Denied, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.platform.settings.addresses import redact_credentials
from found_footy.platform.wire import IsoTime, Lenient, LenientValues, WireModel, describe_validation_error

SYSTEM = "NATS"
DEFAULT_TIMEOUT = timedelta(seconds=5)
# A frozen server is noticed after three of these; the library's default is two minutes.
_PING_SECONDS = 5
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
        self._timeout = timeout

    async def ensure_stream(
        self, name: str, subjects: Collection[str], *, max_age: timedelta, replicas: int = 1
    ) -> None:
        """Create or update the work queue `name` for these subjects: stored on the disks of `replicas` servers,
        messages deleted once acknowledged.
        """
        config = StreamConfig(
            name=name,
            subjects=sorted(subjects),
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            max_age=max_age.total_seconds(),
            duplicate_window=min(_DUPLICATE_WINDOW, max_age).total_seconds(),
            num_replicas=replicas,
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

    async def open_consumer(
        self, stream: str, name: str, subject: str, *, ack_wait: timedelta, inactive_after: timedelta
    ) -> "PullConsumer":
        """Open the durable consumer `name` of the messages of `subject`; it is created or changed if need be.

        How often a message may be delivered is not limited here: JetStream would keep it and tell nobody. Nor is the
        number of unacknowledged messages: those that wait for a second delivery count, and would stop all others. The
        server deletes the consumer, not its messages, if nobody fetches for `inactive_after`.
        """
        config = ConsumerConfig(
            name=name,
            durable_name=name,
            filter_subject=subject,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=ack_wait.total_seconds(),
            max_deliver=-1,
            max_ack_pending=-1,
            inactive_threshold=inactive_after.total_seconds(),
        )
        with self._translate_errors(f"consumer {name}"):
            await self.stream.add_consumer(stream, config)
            bound = await self.stream.pull_subscribe_bind(consumer=name, stream=stream)
        return PullConsumer(self, bound, f"consumer {name}")

    async def read_backlog(self, stream: str) -> "StreamBacklog":
        """Return how many messages the stream holds, those in work included."""
        request = json.dumps({"subjects_filter": ">"}).encode()
        with self._translate_errors(f"stream {stream}"):
            answer = await self.client.request(
                f"$JS.API.STREAM.INFO.{stream}", request, timeout=self._timeout.total_seconds()
            )
            return _parse_backlog(answer.data)

    @contextmanager
    def translate_fetch_errors(self, about: str) -> Iterator[None]:
        """Like any other request; moreover, the library cancels a fetch whose connection is closed for good."""
        try:
            with self._translate_errors(about):
                yield
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.client.is_closed and not (task and task.cancelling()):
                raise Unavailable(SYSTEM, f"{self._address}, {about}: the connection was closed") from None
            raise

    async def account_info(self) -> AccountInfo:
        """Return JetStream's account figures: the cheapest request that only a working JetStream answers."""
        with self._translate_errors("JetStream"):
            return await self.stream.account_info()

    @contextmanager
    def _translate_errors(self, about: str) -> Iterator[None]:
        try:
            yield
            raise_if_cancelled()
        except (NatsError, TimeoutError, OSError) as error:
            text = f"{self._address}, {about}: {str(error) or type(error).__name__}"
            raise Unavailable(SYSTEM, redact_credentials(text)) from error


def raise_if_cancelled() -> None:
    """Raise CancelledError if this task was cancelled: the library waits with `asyncio.wait_for`, which before Python
    3.12 swallows a cancellation that arrives together with the answer.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


@dataclass(frozen=True)
class StreamBacklog:
    """`oldest` is the time at which the oldest message was stored."""

    messages: int
    by_subject: Mapping[str, int]
    oldest: datetime | None


class QueueMessage:
    """A message in work. It is delivered again unless it is acknowledged, or kept by `extend`, in time."""

    def __init__(self, message: Msg) -> None:
        self._message = message
        self.data: bytes = message.data
        self.subject: str = message.subject
        self.sequence: int = message.metadata.sequence.stream
        self.deliveries: int = message.metadata.num_delivered
        self.stored_at: datetime = message.metadata.timestamp

    async def acknowledge(self) -> None:
        """Delete the message. If this is lost on the way, the message is delivered again."""
        with _translate_answer_errors():
            await self._message.ack()

    async def postpone(self, delay: timedelta) -> None:
        """Have the message delivered again after `delay`."""
        with _translate_answer_errors():
            await self._message.nak(delay.total_seconds())

    async def extend(self) -> None:
        """Start the time for the acknowledgement again."""
        with _translate_answer_errors():
            await self._message.in_progress()


@contextmanager
def _translate_answer_errors() -> Iterator[None]:
    try:
        yield
    except (NatsError, OSError) as error:
        raise Unavailable(SYSTEM, f"a message was not answered: {str(error) or type(error).__name__}") from error


class PullConsumer:
    """Fetches messages of a durable consumer; `close` when done, else its subscription stays."""

    def __init__(self, queue: JetStreamQueue, subscription: JetStreamContext.PullSubscription, about: str) -> None:
        self._queue = queue
        self._subscription = subscription
        self._about = about

    async def fetch(self, wait: timedelta) -> QueueMessage | None:
        """Return the next message; None if there is none within `wait`, also if the server is silent."""
        with self._queue.translate_fetch_errors(self._about):
            try:
                (message,) = await self._subscription.fetch(1, timeout=wait.total_seconds())
            except TimeoutError:
                return None
        return QueueMessage(message)

    async def close(self) -> None:
        """Remove the subscription. A message that arrived after the last fetch is delivered again."""
        if not self._queue.client.is_closed:
            with contextlib.suppress(NatsError):  # the connection is being closed, and the subscription with it
                await self._subscription.unsubscribe()


class _StreamState(WireModel):
    messages: int
    first_ts: Lenient[IsoTime] = None
    subjects: LenientValues[int] = Field(default_factory=dict)


class _StreamInfo(WireModel):
    state: _StreamState


def _parse_backlog(data: bytes) -> StreamBacklog:
    try:
        state = _StreamInfo.model_validate_json(data).state
    except ValidationError as error:
        raise NatsError(f"no information: {describe_validation_error(error)}") from error
    return StreamBacklog(state.messages, state.subjects, state.first_ts if state.messages else None)


@asynccontextmanager
async def connect(url: str, *, timeout: timedelta = DEFAULT_TIMEOUT) -> AsyncIterator[JetStreamQueue]:  # noqa: ASYNC109
    """Connect, and reconnect automatically. Raises Unavailable if no server answers at first, Denied if it
    rejects us.
    """
    # One by one: a password ends at the last @, which in a list is that of the last address.
    address = ",".join(map(redact_credentials, url.split(",")))
    client = await _connect_client(url, address, timeout)
    try:
        yield JetStreamQueue(client, address, timeout)
    finally:
        await _close_client(client, timeout)


async def _close_client(client: Client, timeout: timedelta) -> None:  # noqa: ASYNC109
    """A frozen server takes nothing more, and the library would wait for it."""
    with contextlib.suppress(NatsError, OSError, TimeoutError):
        async with asyncio.timeout(timeout.total_seconds()):
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
                ping_interval=_PING_SECONDS,
                error_cb=on_error,
                **read_shared_credentials(url),
            )
    except (NatsError, TimeoutError, OSError) as error:
        await client.close()
        raise _to_connect_error(address, [*problems, error][0]) from error
    return client


class ConnectCredentials(TypedDict, total=False):
    """Options of the client: a user with a password, or a token."""

    user: str
    password: str
    token: str


def read_shared_credentials(urls: str) -> ConnectCredentials:
    """The client's options with the credentials that all addresses have, none if they differ. A server of a cluster
    announces the others without credentials: the client adds them to its list, and after a failure it would try to
    connect to them without.
    """
    found = {(parts.username, parts.password) for parts in map(urlsplit, urls.split(","))}
    user, password = found.pop()
    if found or user is None:
        return {}
    if password is None:
        return {"token": unquote(user)}
    return {"user": unquote(user), "password": unquote(password)}


def _to_whole_seconds(timeout: timedelta) -> int:
    return max(1, round(timeout.total_seconds()))


def _to_connect_error(address: str, error: Exception) -> Denied | Unavailable:
    # While connecting, the client has no exception class for this.
    if AUTHORIZATION_VIOLATION in str(error).lower():
        return Denied(SYSTEM, f"{address} rejects the credentials")
    return Unavailable(SYSTEM, f"no answer at {address} ({str(error) or type(error).__name__})")
