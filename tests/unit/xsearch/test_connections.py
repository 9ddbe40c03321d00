"""Connections that ask nothing or ask slowly keep nobody from the service."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import httpx
import pytest
import uvicorn

from found_footy.platform.http.connection_limits import ConnectionLimits
from found_footy.xsearch import metrics
from found_footy.xsearch.access import BODY_TIMEOUT
from found_footy.xsearch.server import build_connection_limits, build_uvicorn_config, open_listening_socket
from found_footy.xsearch.session.state import SessionState
from tests.support.patience import PATIENCE, PATIENCE_SECONDS
from tests.support.xsearch.scripted_service import Make, ScriptedService, wait_for_state

if TYPE_CHECKING:
    from tests.conftest import Eventually
    from tests.support.xsearch.stand_in_browser import StandIns

SOON = timedelta(milliseconds=300)
FAR = ConnectionLimits(connections=64, per_peer=32, request_timeout=10 * PATIENCE, send_timeout=10 * PATIENCE)
HEADERS = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
HALF_A_BODY = b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
SEARCH = {"query": "Saka", "max_age_minutes": 3, "limit": 20, "exclude": []}

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def served(
    scripted_service: ScriptedService, limits: ConnectionLimits, eventually: "Eventually"
) -> AsyncIterator[int]:
    """The port of the service, with these limits and the rest of its own configuration."""
    opened = open_listening_socket(scripted_service.settings)
    server = uvicorn.Server(build_uvicorn_config(scripted_service.service, limits))
    task = asyncio.create_task(server._serve([opened]))
    try:
        await eventually(lambda: server.started)
        await wait_for_state(scripted_service.service, eventually, SessionState.AUTHENTICATED)
        yield opened.getsockname()[1]
    finally:
        server.should_exit = True
        await task


async def connected(port: int, stack: AsyncExitStack) -> Streams:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    stack.callback(writer.close)
    return reader, writer


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What came until the other side closed."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


def client_of(port: int) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize(
    "sent",
    [b"", HEADERS, HALF_A_BODY, HEADERS + b"\r\n" + HEADERS],
    ids=["nothing", "half the headers", "half the body", "half a second request"],
)
async def test_a_request_that_does_not_come_whole_ends_its_connection(
    make: Make, eventually: "Eventually", sent: bytes
) -> None:
    async with served(make(port=0), replace(FAR, request_timeout=SOON), eventually) as port, AsyncExitStack() as stack:
        slow = metrics.CONNECTIONS_CLOSED.labels("request_slow")
        before = slow._value.get()
        reader, writer = await connected(port, stack)
        writer.write(sent)
        await ended(reader)
        # Not for its being idle after an answer, which is another deadline.
        assert slow._value.get() == before + 1


async def test_headers_that_do_not_end_are_refused(make: Make, eventually: "Eventually") -> None:
    async with served(make(port=0), FAR, eventually) as port, AsyncExitStack() as stack:
        reader, writer = await connected(port, stack)
        writer.write(HEADERS + b"X: " + b"y" * 40_000)
        assert (await ended(reader)).startswith(b"HTTP/1.1 4")


async def test_many_idle_connections_stop_no_search(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    scripted_service = make([stand_ins.page([timedelta(minutes=1), timedelta(minutes=30)])], port=0)
    async with served(scripted_service, FAR, eventually) as port, AsyncExitStack() as stack:
        crowd = [await connected(port, stack) for _ in range(4 * FAR.per_peer)]
        async with client_of(port) as client:
            assert (await client.get("/healthz")).status_code == 200
            assert len((await client.post("/search", json=SEARCH)).json()["videos"]) == 1
        for reader, _ in crowd[: -FAR.per_peer]:
            assert await ended(reader) == b""
        assert metrics.CONNECTIONS._value.get() <= FAR.per_peer


async def test_a_search_continues_past_the_deadline_of_its_request_and_beside_many_connections(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    scripted_service = make([stand_ins.page([timedelta(minutes=1), timedelta(minutes=30)])], port=0)
    limits = replace(FAR, per_peer=4, request_timeout=timedelta(seconds=2))
    async with (
        served(scripted_service, limits, eventually) as port,
        AsyncExitStack() as stack,
        client_of(port) as client,
    ):
        scripted = scripted_service.started[0].scripted
        scripted.hold = asyncio.Event()
        search = asyncio.create_task(client.post("/search", json=SEARCH))
        await eventually(lambda: len(scripted.opened) > 1)
        crowd = [await connected(port, stack) for _ in range(3 * limits.per_peer)]
        for reader, _ in crowd:
            assert await ended(reader) == b""
        # The youngest of them reached their deadline, which is later than that of the search.
        assert not search.done()
        scripted.hold.set()
        assert len((await search).json()["videos"]) == 1


def test_a_slow_body_is_answered_before_its_connection_ends(make: Make) -> None:
    limits = build_connection_limits()
    keep_alive = timedelta(seconds=build_uvicorn_config(make().service, limits).timeout_keep_alive)
    assert keep_alive + BODY_TIMEOUT < limits.request_timeout
