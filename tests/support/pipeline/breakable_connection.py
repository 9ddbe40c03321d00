"""A forwarded connection to a server that a test can cut and restore."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from urllib.parse import urlsplit


class BreakableConnection:
    """Forwards a local port. While it is cut, connections are refused and open ones are reset.

    It can also lose answers: what was asked arrives, what is answered does not, and the connection is gone. And it can
    be slow: every answer arrives `answer_delay` late. With `cut_after`, each connection is cut once so many bytes were
    sent to the server.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self.port = 0
        self.lost = 0
        self._marker = b""
        self._to_lose = 0
        self.answer_delay = timedelta()
        self.cut_after: int | None = None
        self.cuts = 0

    def lose_answers_to(self, marker: bytes, times: int) -> None:
        """Lose the next answers to questions that contain `marker`."""
        self._marker, self._to_lose = marker, times

    async def restore(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._open):
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        self._open |= {writer, far_writer}
        asked = asyncio.Event()
        await asyncio.gather(self._ask(reader, far_writer, asked), self._answer(far_reader, writer, asked))
        self._open -= {writer, far_writer}

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: asyncio.Event) -> None:
        sent = 0
        with contextlib.suppress(ConnectionError):
            while chunk := await reader.read(65_536):
                if self._to_lose and self._marker in chunk:
                    asked.set()
                if self.cut_after is not None and sent + len(chunk) > self.cut_after:
                    writer.write(chunk[: self.cut_after - sent])
                    await writer.drain()
                    self.cuts += 1
                    for end in list(self._open):
                        end.transport.abort()
                    return
                sent += len(chunk)
                writer.write(chunk)
                await writer.drain()
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: asyncio.Event) -> None:
        with contextlib.suppress(ConnectionError):
            while chunk := await reader.read(65_536):
                if asked.is_set():
                    self._to_lose -= 1
                    self.lost += 1
                    writer.transport.abort()
                    return
                await asyncio.sleep(self.answer_delay.total_seconds())
                writer.write(chunk)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def open_breakable_connection(address: str) -> AsyncIterator[BreakableConnection]:
    """A forwarded connection to the server at `scheme://host:port`, whatever follows."""
    parts = urlsplit(address)
    connection = BreakableConnection(parts.hostname or "127.0.0.1", parts.port or 0)
    await connection.restore()
    try:
        yield connection
    finally:
        await connection.cut()
