"""Responses leave at once: head and body are not held back until the visitor acknowledges the first of them."""

import asyncio
import socket

from found_footy.web.listening_socket import bind_socket
from found_footy.web.settings import WebSettings


async def test_connections_of_the_page_send_without_delay() -> None:
    listener = bind_socket(WebSettings(port=0))
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened = writer.get_extra_info("socket")
        accepted.set_result(opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async with await asyncio.start_server(note, sock=listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        assert await accepted != 0
        writer.close()
        await writer.wait_closed()
