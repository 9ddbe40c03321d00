"""Servers that fail in the ways that real ones do: silent, gone, or cut off in the middle."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import pytest

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
def dead_port() -> Iterator[int]:
    """A port on which nobody listens, kept from others while the test runs."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        yield port


@dataclass
class LocalServers:
    """Connections of a local server, to be ended with the test or before."""

    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    servers: list[asyncio.Server] = field(default_factory=list)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    async def listen(self, handler: Handler, tls: ssl.SSLContext | None = None) -> int:
        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.writers.append(writer)
            task = asyncio.get_running_loop().create_task(self._served(handler, reader, writer))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

        server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
        self.servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def _served(self, handler: Handler, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        except ConnectionError:
            return  # the other side left
        finally:
            writer.close()

    async def cut(self) -> None:
        """End every connection and take no more."""
        for server in self.servers:
            server.close()
        running = list(self.tasks)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        # A closed TLS transport keeps its socket until the other side has answered, which may be after the test.
        for writer in self.writers:
            writer.transport.abort()
        for _ in range(2):  # the callbacks that close the sockets
            await asyncio.sleep(0)


@pytest.fixture
async def local_servers() -> AsyncIterator[LocalServers]:
    local_servers = LocalServers()
    yield local_servers
    await local_servers.cut()


@pytest.fixture
async def black_hole(local_servers: LocalServers) -> int:
    """The port of a server that accepts connections and never answers."""

    async def never(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    return await local_servers.listen(never)


@dataclass
class Relay:
    """A way to a real server that can be frozen: bytes go in and none come out."""

    port: int = 0
    flowing: asyncio.Event = field(default_factory=asyncio.Event)

    async def pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                await self.flowing.wait()
                target.write(data)
                await target.drain()


class RelayTo(Protocol):
    """`await relay(port)`: a way to `port`, encrypted where it begins if `tls` says how."""

    async def __call__(self, port: int, tls: ssl.SSLContext | None = None) -> Relay: ...


@pytest.fixture
def relay(local_servers: LocalServers) -> RelayTo:
    async def to(port: int, tls: ssl.SSLContext | None = None) -> Relay:
        relay = Relay()
        relay.flowing.set()

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            back, forth = await asyncio.open_connection("127.0.0.1", port)
            try:
                await asyncio.gather(relay.pump(reader, forth), relay.pump(back, writer))
            finally:
                forth.close()

        relay.port = await local_servers.listen(carry, tls)
        return relay

    return to
