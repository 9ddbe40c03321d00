"""A hostile host of videos: raw answers by path, and a list of the requests."""

import asyncio
import contextlib
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from tests.support.media.hostile_videos import behind_a_mark, encoded, picture_of
from tests.support.media.small_videos import mp4

Writer = asyncio.StreamWriter
LARGEST = 200_000


def head(status: str, *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", "connection: close", *headers, "", ""]).encode()


def whole(body: bytes, *headers: str) -> bytes:
    return head("200 OK", "content-type: video/mp4", f"content-length: {len(body)}", *headers) + body


def leads_to(location: str) -> bytes:
    return head("302 Found", f"location: {location}", "content-length: 0")


async def endless(writer: Writer) -> None:
    writer.write(head("200 OK", "content-type: video/mp4"))
    while True:
        writer.write(bytes(65_536))
        await writer.drain()


async def slow_headers(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"x-slow: 1\r\n")
        await writer.drain()
        await asyncio.sleep(0.1)


async def slow_body(writer: Writer) -> None:
    writer.write(head("200 OK", "content-type: video/mp4", "content-length: 100000"))
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.1)


def answers() -> dict[str, bytes | Callable[[Writer], Awaitable[None]]]:
    good = mp4(1)
    return {
        "/good.mp4": whole(good),
        "/to-metadata.mp4": leads_to("http://169.254.169.254/latest/meta-data.mp4"),
        "/to-loopback.mp4": leads_to("http://[::1]/clip.mp4"),
        "/to-file.mp4": leads_to("file:///etc/passwd"),
        "/to-ftp.mp4": leads_to("ftp://127.0.0.1/clip.mp4"),
        "/to-itself.mp4": leads_to("/to-itself.mp4"),
        "/declared.mp4": head("200 OK", "content-type: video/mp4", "content-length: 5000000000") + good,
        "/endless.mp4": endless,
        "/bomb.mp4": whole(gzip.compress(bytes(50_000_000)), "content-encoding: gzip"),
        "/slow-headers.mp4": slow_headers,
        "/slow-body.mp4": slow_body,
        "/page.mp4": whole(b"<html><body>This video is not available.</body></html>"),
        "/half.mp4": whole(good[: len(good) // 2]),
        "/cut.mp4": whole(good)[:-500],
        "/hevc.mp4": whole(encoded("libx265", container="mp4")),
        "/mpeg4.mp4": whole(encoded("mpeg4")),
        "/svq1.mp4": whole(encoded("svq1")),
        "/colours.mp4": whole(encoded("libx264", "yuv444p", container="mp4")),
        "/wide.mp4": whole(picture_of(4200, 4200)),
        "/transport.mp4": whole(behind_a_mark(encoded("libx264", "yuv420p", container="mpegts"))),
        "/no-http.mp4": b"\x00\x01\x02\x03",
    }


class Host:
    def __init__(self) -> None:
        self.asked: list[str] = []
        self.port = 0
        self._answers = answers()

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def answer(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            request = await reader.readuntil(b"\r\n\r\n")
            path = request.split(b" ")[1].decode().partition("?")[0]
            self.asked.append(path)
            given = self._answers[path]
            if isinstance(given, bytes):
                writer.write(given)
                await writer.drain()
            else:
                await given(writer)
        writer.close()


@asynccontextmanager
async def hostile_host() -> AsyncIterator[Host]:
    host = Host()
    server = await asyncio.start_server(host.answer, "127.0.0.1", 0)
    host.port = server.sockets[0].getsockname()[1]
    try:
        yield host
    finally:
        server.close()
