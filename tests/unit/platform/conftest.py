"""Servers of a few lines, on this machine, that answer, misbehave or say nothing."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Listen = Callable[..., Awaitable[int]]


@dataclass(frozen=True)
class ReceivedRequest:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Site:
    """A web server that answers each path with the bytes or the behaviour that it was given, and remembers requests."""

    port: int = 0
    answers: dict[str, bytes | Handler] = field(default_factory=dict)
    asked: list[ReceivedRequest] = field(default_factory=list)

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.place}{path}"

    def says(self, path: str, body: bytes = b"", status: int = 200, **headers: str) -> None:
        head = {"content-length": str(len(body)), **{name.replace("_", "-"): value for name, value in headers.items()}}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.answers[path] = f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + body

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            asked = await _asked(head, reader)
            self.asked.append(asked)
            answer = self.answers.get(asked.path.partition("?")[0], b"HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n")
            if callable(answer):
                await answer(reader, writer)
                return
            writer.write(answer)
            await writer.drain()


async def _head(reader: asyncio.StreamReader) -> str:
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return ""


async def _asked(head: str, reader: asyncio.StreamReader) -> ReceivedRequest:
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return ReceivedRequest(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


@pytest.fixture
async def listen() -> AsyncIterator[Listen]:
    """Start a server for a handler of connections; returns its port. Connections end with the test."""
    tasks: set[asyncio.Task[None]] = set()

    async with AsyncExitStack() as stack:

        async def start(handler: Handler, tls: ssl.SSLContext | None = None, port: int = 0) -> int:
            def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                task = asyncio.get_running_loop().create_task(_served(handler, reader, writer))
                tasks.add(task)
                task.add_done_callback(tasks.discard)

            server = await asyncio.start_server(connected, "127.0.0.1", port, ssl=tls)
            stack.callback(server.close)
            bound: int = server.sockets[0].getsockname()[1]
            return bound

        yield start
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _served(handler: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await handler(reader, writer)
    except ConnectionError:
        return  # the client left in the middle, as clients of misbehaving servers do
    finally:
        writer.close()


@pytest.fixture
async def site(listen: Listen) -> Site:
    site = Site()
    site.port = await listen(site.handle)
    return site


@pytest.fixture
async def black_hole(listen: Listen) -> int:
    """The port of a server that accepts connections and never answers."""

    async def never(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    return await listen(never)
