"""Connections that ask nothing, ask slowly or do not read keep nobody from the page."""

import asyncio
import contextlib
import resource
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from found_footy.platform.http.connection_limits import max_connections
from found_footy.web import metrics
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from found_footy.web.settings import WebSettings
from tests.conftest import Eventually
from tests.support.patience import PATIENCE_SECONDS
from tests.support.web import matchday
from tests.support.web.page import PageData

SOON = timedelta(milliseconds=300)
LATE = timedelta(seconds=PATIENCE_SECONDS * 10)
TOKEN = "known-to-whoever-runs-it"
HEADERS = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"


@asynccontextmanager
async def served(deps: WebDeps, **changes: Any) -> AsyncIterator[str]:
    """A server whose deadlines are far away unless they are the matter."""
    settings = WebSettings(**({"port": 0, "request_timeout": LATE, "send_timeout": LATE} | changes))
    async with serve_app(create_app(replace(deps, settings=settings)), settings) as address:
        yield address


async def connected(address: str, came_from: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = address.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port), local_addr=(came_from, 0))


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What came until the other side closed."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    writer.write(HEADERS + b"\r\n")
    async with asyncio.timeout(PATIENCE_SECONDS):
        return int((await reader.readline()).split()[1])


async def alive(address: str, **options: Any) -> int:
    async with httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client:
        return (await client.get(f"{address}/healthz", **options)).status_code


async def nothing(_writer: asyncio.StreamWriter) -> None:
    pass


async def half_a_request(writer: asyncio.StreamWriter) -> None:
    writer.write(HEADERS)


async def a_byte_at_a_time(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        for number in range(10_000):
            writer.write(HEADERS if not number else b"X-%d: y\r\n" % number)
            await writer.drain()
            await asyncio.sleep(0.02)


async def a_body_that_does_not_come(writer: asyncio.StreamWriter) -> None:
    path = f"/api/v1/goals/{uuid4().int % 10**9}_40_234_Goal_1/clips"
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
        'Content-Length: 100\r\n\r\n{"url":'.encode()
    )


async def a_second_request_that_does_not_end(writer: asyncio.StreamWriter) -> None:
    writer.write(HEADERS + b"\r\n" + HEADERS)


@pytest.mark.parametrize(
    "sends",
    [nothing, half_a_request, a_byte_at_a_time, a_body_that_does_not_come, a_second_request_that_does_not_end],
)
async def test_a_request_that_does_not_come_whole_ends_its_connection(
    deps: WebDeps, sends: Callable[[asyncio.StreamWriter], Awaitable[None]]
) -> None:
    async with served(deps, request_timeout=SOON, admin_token=SecretStr(TOKEN)) as address:
        reader, writer = await connected(address)
        sending = asyncio.ensure_future(sends(writer))
        await ended(reader)
        sending.cancel()
        await asyncio.wait({sending})
        writer.close()
        assert await alive(address) == 200


async def test_an_answer_that_takes_longer_than_a_request_may_goes_on(deps: WebDeps) -> None:
    settings: dict[str, Any] = {"request_timeout": SOON, "heartbeat": 3 * SOON}
    async with (
        served(deps, **settings) as address,
        httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client,
        client.stream("GET", f"{address}/events") as answer,
    ):
        lines = answer.aiter_lines()
        while await anext(lines) != ": quiet":
            pass


@pytest.mark.parametrize(
    "limits", [{"connections_per_peer": 5}, {"connections": 16, "connections_per_peer": 100}], ids=["peer", "all"]
)
async def test_a_request_displaces_the_connection_that_is_idle_longest(deps: WebDeps, limits: dict[str, int]) -> None:
    most = min(limits.values())
    async with served(deps, **limits) as address, AsyncExitStack() as stack:
        held = []
        for _ in range(most):
            held.append(await connected(address))
            stack.callback(held[-1][1].close)
        # The second one asks: it is not idle any more when places are needed, and has its answer already.
        assert await answered(*held[1]) == 200
        for number in range(3):
            assert await alive(address) == 200, number
        assert await ended(held[0][0]) == b""
        # The youngest are still there.
        assert await answered(*held[-1]) == 200


async def test_the_peer_with_most_connections_loses_one_to_others(deps: WebDeps) -> None:
    async with served(deps, connections=16) as address, AsyncExitStack() as stack:
        few = await connected(address, "127.0.0.2")
        stack.callback(few[1].close)
        many = [await connected(address, "127.0.0.3") for _ in range(15)]
        for _, writer in many:
            stack.callback(writer.close)
        for _ in range(5):
            assert await alive(address) == 200
        assert await ended(many[0][0]) == b""
        # It is the oldest of all, and of an address that has but one.
        assert await answered(*few) == 200


async def test_a_request_that_arrived_and_was_not_processed_is_not_displaced(deps: WebDeps) -> None:
    """Of a crowd that comes within one turn of the event loop, those who asked something are answered."""
    async with served(deps, connections_per_peer=4) as address, AsyncExitStack() as stack:
        host, port = address.removeprefix("http://").split(":")
        crowd = []
        for number in range(12):
            # Without a turn of the loop in between: the server sees all of them at once.
            opened = stack.enter_context(socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS))
            if number == 0:
                opened.sendall(HEADERS + b"Connection: close\r\n\r\n")
            crowd.append(opened)
        answer = await asyncio.to_thread(crowd[0].recv, 100)
    assert answer.startswith(b"HTTP/1.1 200 ")


async def test_a_connection_that_is_being_answered_is_not_displaced(deps: WebDeps) -> None:
    async with served(deps, connections_per_peer=2) as address, AsyncExitStack() as stack:
        for _ in range(2):
            reader, writer = await connected(address)
            stack.callback(writer.close)
            writer.write(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"200" in await reader.readline()
        reader, writer = await connected(address)
        stack.callback(writer.close)
        refused = await ended(reader)
    assert refused.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After: 5" in refused


async def test_a_trusted_proxy_may_have_more_connections_than_a_visitor(deps: WebDeps) -> None:
    trusting: dict[str, Any] = {"connections_per_peer": 2, "trusted_proxies": ("127.0.0.0/8",)}
    async with served(deps, **trusting) as address, AsyncExitStack() as stack:
        held = [await connected(address) for _ in range(8)]
        for _, writer in held:
            stack.callback(writer.close)
        assert await alive(address) == 200
        for reader, writer in held:
            assert await answered(reader, writer) == 200


async def following(address: str, visitor: str, stack: AsyncExitStack) -> int:
    client = await stack.enter_async_context(httpx.AsyncClient(timeout=PATIENCE_SECONDS))
    asked = client.stream("GET", f"{address}/events", headers={"x-forwarded-for": visitor} if visitor else {})
    answer = await stack.enter_async_context(asked)
    if answer.status_code == 200:
        lines = answer.aiter_bytes()
        await anext(lines)
        # What reads the answer is kept: with it, the connection would end.
        stack.callback(lambda: lines)
    return answer.status_code


async def test_one_visitor_does_not_use_all_connections_of_the_live_stream(deps: WebDeps) -> None:
    async with served(deps, live_clients_per_peer=2) as address, AsyncExitStack() as stack:
        # Nobody is believed who he is: the header is not a proxy's that we trust.
        reported = [await following(address, f"203.0.113.{number}", stack) for number in range(3)]
    assert reported == [200, 200, 429]


async def test_behind_a_trusted_proxy_visitors_are_counted_each(deps: WebDeps) -> None:
    trusting: dict[str, Any] = {"live_clients_per_peer": 1, "trusted_proxies": ("127.0.0.1",)}
    async with served(deps, **trusting) as address, AsyncExitStack() as stack:
        visitors = ["203.0.113.1", "203.0.113.2", "203.0.113.1", "6.6.6.6, 203.0.113.2", "", ""]
        reported = [await following(address, visitor, stack) for visitor in visitors]
    # Whom the proxy itself names counts, not what a visitor says before; who is named nobody is not counted.
    assert reported == [200, 200, 429, 429, 200, 200]


async def test_a_trusted_proxy_is_known_on_a_socket_of_both_kinds_of_addresses(deps: WebDeps) -> None:
    """There its address of IPv4 is written in one of IPv6."""
    trusting: dict[str, Any] = {"host": "::", "live_clients_per_peer": 1, "connections_per_peer": 2}
    async with served(deps, **trusting, trusted_proxies=("127.0.0.0/30",)) as address, AsyncExitStack() as stack:
        proxy = address.replace("[::]", "127.0.0.1")
        reported = [await following(proxy, f"203.0.113.{number}", stack) for number in (1, 2, 3, 3)]
    assert reported == [200, 200, 200, 429]


async def test_of_many_connections_at_once_no_more_than_the_limit_follow_the_stream(deps: WebDeps) -> None:
    async with served(deps, live_clients=5) as address, AsyncExitStack() as stack:
        reported = await asyncio.gather(*(following(address, "", stack) for _ in range(30)))
    assert (reported.count(200), reported.count(503)) == (5, 25)


async def test_an_answer_that_nobody_reads_is_aborted(
    deps: WebDeps, page_data: PageData, eventually: Eventually
) -> None:
    match = await page_data.store_playable(content=b"x" * 16_000_000)
    given_up = metrics.CONNECTIONS_CLOSED.labels("answer_unread")
    before = given_up._value.get()
    async with served(deps, send_timeout=SOON) as address:
        host, port = address.removeprefix("http://").split(":")
        opened = socket.socket()
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        opened.setblocking(False)
        await asyncio.get_running_loop().sock_connect(opened, (host, int(port)))
        path = f"/media/{match['events'][0]['_s3_videos'][0]['_s3_key']}"
        await asyncio.get_running_loop().sock_sendall(opened, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await eventually(lambda: given_up._value.get() > before)
        opened.close()
        assert await alive(address) == 200


async def test_an_answer_that_is_read_slowly_is_not_aborted(deps: WebDeps, page_data: PageData) -> None:
    """Slowly for its server, that is: it looks often, and finds each time that enough was read since."""
    match = await page_data.store_playable(content=b"x" * 16_000_000)
    path = f"/media/{match['events'][0]['_s3_videos'][0]['_s3_key']}"
    async with served(deps, send_timeout=timedelta(seconds=3)) as address:
        reader, writer = await connected(address)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        read = 0
        while chunk := await reader.read(512 * 1024):
            read += len(chunk)
            await asyncio.sleep(0.15)
        writer.close()
    assert read > 16_000_000


@pytest.mark.parametrize(
    ("wanted", "open_files", "most"),
    [
        (512, 1024, 412),
        (512, 20_000, 512),
        (512, 256, 28),
        (512, 10, 16),
        (16, 1_000_000, 16),
        (512, resource.RLIM_INFINITY, 512),
    ],
)
def test_there_are_fewer_connections_than_files_that_may_be_opened(wanted: int, open_files: int, most: int) -> None:
    assert max_connections(wanted, open_files) == most


def test_a_proxy_that_is_no_address_ends_the_start() -> None:
    with pytest.raises(ValidationError, match="neither an address nor a network"):
        WebSettings(trusted_proxies=("nginx",))


async def test_a_fixture_with_its_fragment_is_served_beside_idle_connections(
    deps: WebDeps, page_data: PageData
) -> None:
    await page_data.store_fixture(matchday.fixture())
    async with served(deps) as address, AsyncExitStack() as stack:
        for _ in range(300):
            stack.callback((await connected(address))[1].close)
        async with httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client:
            assert (await client.get(f"{address}/fragments/match/5000")).status_code == 200
