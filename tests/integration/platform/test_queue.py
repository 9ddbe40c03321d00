"""JetStream: a message is stored once, and a server that does not answer is said to be out of reach."""

import asyncio
import re
from datetime import timedelta
from typing import Any, Protocol
from uuid import uuid4

import pytest

from found_footy.platform.errors import BadInput, Denied, Unavailable
from found_footy.platform.queue import JetStreamQueue, connect
from tests.support.patience import PATIENCE_SECONDS

SHORT = timedelta(milliseconds=500)
# The driver tells of a refusal only when its time is up; until then it must have been refused once.
REFUSED_WITHIN = timedelta(seconds=8)
DAY = timedelta(days=1)


class Endpoints(Protocol):
    @property
    def nats_url(self) -> str: ...


class LocalServers(Protocol):
    async def listen(self, handler: Any) -> int: ...


async def stream_for(queue: JetStreamQueue) -> tuple[str, str]:
    name = f"test{uuid4().hex}"
    await queue.ensure_stream(name, [f"{name}.*"], max_age=DAY)
    return name, f"{name}.new"


async def test_a_message_is_stored_once_however_often_it_is_published(platform: Endpoints) -> None:
    async with connect(platform.nats_url) as queue:
        name, subject = await stream_for(queue)
        assert [await queue.publish(subject, b"x", message_id="a") for _ in range(3)] == [True, False, False]
        assert await queue.publish(subject, b"x", message_id="b")
        assert (await queue.stream.stream_info(name)).state.messages == 2
        await queue.stream.delete_stream(name)


async def test_a_message_is_fetched_acknowledged_and_deleted(platform: Endpoints) -> None:
    async with connect(platform.nats_url) as queue:
        name, subject = await stream_for(queue)
        await queue.publish(subject, b"hello", message_id="a")
        consumer = await queue.stream.pull_subscribe(subject, durable="reader", stream=name)
        (message,) = await consumer.fetch(1, timeout=PATIENCE_SECONDS)
        assert message.data == b"hello"
        await message.ack_sync()
        assert (await queue.stream.stream_info(name)).state.messages == 0
        await queue.stream.delete_stream(name)


async def test_a_stream_is_changed_and_not_made_twice(platform: Endpoints) -> None:
    async with connect(platform.nats_url) as queue:
        name, _ = await stream_for(queue)
        await queue.ensure_stream(name, [f"{name}.*", f"{name}.deep.>"], max_age=DAY)
        config = (await queue.stream.stream_info(name)).config
        assert config.subjects == [f"{name}.*", f"{name}.deep.>"]
        await queue.stream.delete_stream(name)


async def test_a_subject_of_no_stream_takes_no_message(platform: Endpoints) -> None:
    async with connect(platform.nats_url) as queue:
        with pytest.raises(Unavailable, match="subject nowhere"):
            await queue.publish(f"nowhere.{uuid4().hex}", b"x", message_id="a")


async def test_a_message_that_is_too_large_is_bad_input(platform: Endpoints) -> None:
    async with connect(platform.nats_url) as queue:
        with pytest.raises(BadInput, match="more than"):
            await queue.publish("any", bytes(queue.client.max_payload + 1), message_id="a")


async def test_every_server_of_a_list_is_named_and_no_password() -> None:
    with pytest.raises(Unavailable, match=re.escape("nats://***@127.0.0.1:1,nats://***@127.0.0.1:2")) as refused:
        async with connect("nats://me:hunter2@127.0.0.1:1,nats://me:hunter2@127.0.0.1:2", timeout=SHORT):
            pytest.fail("nothing listens there")
    assert "hunter2" not in str(refused.value)


async def test_the_account_is_sent(platform: Endpoints) -> None:
    async with connect(platform.nats_url) as queue:
        assert (await queue.account_info()).streams >= 0


async def test_a_dead_port_is_unavailable_and_named(dead_port: int) -> None:
    with pytest.raises(Unavailable, match=rf"no answer at nats://\*\*\*@127\.0\.0\.1:{dead_port}") as caught:
        async with connect(f"nats://me:hunter2@127.0.0.1:{dead_port}", timeout=SHORT):
            pytest.fail("nobody is there")
    assert "hunter2" not in str(caught.value)


async def test_a_server_that_never_answers_is_unavailable(black_hole: int) -> None:
    with pytest.raises(Unavailable, match="no answer"):
        async with connect(f"nats://127.0.0.1:{black_hole}", timeout=SHORT):
            pytest.fail("nobody answered")


async def test_a_server_that_refuses_our_credentials_denies(local_servers: LocalServers) -> None:
    async def doorman(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'INFO {"server_id":"x","version":"2.15.1","auth_required":true,"max_payload":1048576}\r\n')
        await reader.readuntil(b"\r\n")
        writer.write(b"-ERR 'Authorization Violation'\r\n")
        await writer.drain()

    port = await local_servers.listen(doorman)
    with pytest.raises(Denied, match="rejects the credentials") as caught:
        async with connect(f"nats://me:hunter2@127.0.0.1:{port}", timeout=REFUSED_WITHIN):
            pytest.fail("nobody was let in")
    assert "hunter2" not in str(caught.value)
