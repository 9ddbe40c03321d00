"""The safe HTTP client against servers on this machine: what it fetches, and how it fails."""

import asyncio
import gzip
import hashlib
import socket
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest

from found_footy.platform.errors import Malformed, Refused, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from tests.support.patience import PATIENCE


class Site(Protocol):
    port: int
    asked: list[Any]
    answers: dict[str, Any]
    place: str

    def url(self, path: str = "/") -> str: ...
    def says(self, path: str, body: bytes = b"", status: int = 200, **headers: str) -> None: ...


Make = Callable[..., SafeHttpClient]


def left_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.fixture
async def make(site: Site) -> AsyncIterator[Make]:
    """A client that may talk to the site; closed after the test."""
    clients: list[SafeHttpClient] = []

    def client(**options: Any) -> SafeHttpClient:
        defaults = {"system": "web", "allowed_hosts": [site.place], "trusted_private": [site.place]}
        clients.append(SafeHttpClient(**(defaults | options)))
        return clients[-1]

    yield client
    for each in clients:
        await each.aclose()


async def test_an_answer_has_status_headers_and_body(site: Site, make: Make) -> None:
    site.says("/x", b'{"goals": 3}', 200, Content_Type="application/json")
    answer = await make().request("GET", site.url("/x"), params={"q": "a b", "n": 2})
    assert (answer.status, answer.headers["content-type"], answer.json()) == (200, "application/json", {"goals": 3})
    assert site.asked[0].path == "/x?q=a+b&n=2" or site.asked[0].path == "/x?q=a%20b&n=2"
    assert site.asked[0].headers["host"] == site.place
    assert site.asked[0].headers["user-agent"].startswith("found-footy/")


async def test_a_body_of_json_and_headers_are_sent(site: Site, make: Make) -> None:
    site.says("/search", b"{}")
    await make(headers={"X-Key": "k"}).request("POST", site.url("/search"), json={"query": "ø"}, headers={"X-Two": "2"})
    asked = site.asked[0]
    assert (asked.method, asked.headers["x-key"], asked.headers["x-two"]) == ("POST", "k", "2")
    assert asked.body == '{"query":"ø"}'.encode()


async def test_a_body_of_bytes_is_sent_as_it_is(site: Site, make: Make) -> None:
    site.says("/run", b"{}")
    headers = {"content-type": "application/octet-stream"}
    await make().request("POST", site.url("/run"), content=b"\xff\xd8\x00", headers=headers)
    assert site.asked[0].body == b"\xff\xd8\x00"
    assert site.asked[0].headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize("status", [204, 404, 429, 503])
async def test_what_a_status_means_is_left_to_the_caller(site: Site, make: Make, status: int) -> None:
    site.says("/x", b"", status, Retry_After="7")
    answer = await make().request("GET", site.url("/x"))
    assert (answer.status, answer.headers["retry-after"]) == (status, "7")


async def test_a_connection_is_used_again(site: Site, make: Make) -> None:
    site.says("/x", b"ok")
    client = make()
    assert [(await client.request("GET", site.url("/x"))).body for _ in range(3)] == [b"ok"] * 3


@pytest.mark.parametrize("body", [b"<html>", b"", b"\xff", b"[" * 100_000])
def test_an_answer_that_is_not_json_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed, match="web: the answer"):
        HttpResponse(200, {}, body, "web").json()


async def test_cookies_are_forgotten(site: Site, make: Make) -> None:
    site.says("/x", b"", Set_Cookie="session=1")
    client = make()
    await client.request("GET", site.url("/x"))
    await client.request("GET", site.url("/x"))
    assert "cookie" not in site.asked[1].headers


async def test_proxies_of_the_environment_are_not_used(
    site: Site, make: Make, monkeypatch: pytest.MonkeyPatch, black_hole: int
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{black_hole}")
    site.says("/x", b"direct")
    assert (await make().request("GET", site.url("/x"))).body == b"direct"


async def test_a_gzipped_answer_is_inflated(site: Site, make: Make) -> None:
    site.says("/x", gzip.compress(b"hello" * 1000), Content_Encoding="gzip")
    assert (await make().request("GET", site.url("/x"))).body == b"hello" * 1000


async def test_a_garbled_answer_is_malformed(site: Site, make: Make) -> None:
    site.says("/x", b"not gzip at all", Content_Encoding="gzip")
    with pytest.raises(Malformed, match="cannot be decoded"):
        await make().request("GET", site.url("/x"))


async def test_a_body_that_says_it_is_too_large_is_refused_before_it_is_read(site: Site, make: Make) -> None:
    site.answers["/x"] = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n"
    with pytest.raises(Refused, match="99999999999 bytes, more than 1000"):
        await make(max_bytes=1000).request("GET", site.url("/x"))


async def test_a_body_that_turns_out_too_large_is_refused(site: Site, make: Make) -> None:
    async def endless(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 10_000)
            await writer.drain()

    site.answers["/x"] = endless
    with pytest.raises(Refused, match="more than 50000 bytes"):
        await make(max_bytes=50_000).request("GET", site.url("/x"))


async def test_a_gzip_bomb_is_refused_at_the_limit(site: Site, make: Make) -> None:
    bomb = gzip.compress(bytes(200_000_000), 1)
    site.says("/x", bomb, Content_Encoding="gzip")
    with pytest.raises(Refused, match="more than 2000000 bytes"):
        await make(max_bytes=2_000_000).request("GET", site.url("/x"))


async def test_a_dead_port_is_unavailable(make: Make) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        client = make(allowed_hosts=[place], trusted_private=[place])
        with pytest.raises(Unavailable, match=f"web: http://{place}/x"):
            await client.request("GET", f"http://{place}/x")


async def test_a_name_that_does_not_resolve_is_unavailable(make: Make) -> None:
    async def nothing(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(Unavailable, match=r"nowhere\.example cannot be resolved"):
        await make(allowed_hosts=["nowhere.example"], resolve=nothing).request("GET", "https://nowhere.example/")


async def test_a_server_that_never_answers_is_unavailable_after_the_timeout(black_hole: int, make: Make) -> None:
    place = f"127.0.0.1:{black_hole}"
    client = make(allowed_hosts=[place], trusted_private=[place], timeout=timedelta(milliseconds=200))
    with pytest.raises(Unavailable, match=r"took longer than 0\.2 s"):
        await client.request("GET", f"http://{place}/")


async def test_a_server_that_sends_a_byte_now_and_then_does_not_extend_the_deadline(site: Site, make: Make) -> None:
    async def drip(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.02)

    site.answers["/x"] = drip
    with pytest.raises(Unavailable, match="took longer"):
        await make(timeout=timedelta(milliseconds=300)).request("GET", site.url("/x"))


@pytest.mark.parametrize(
    "answer", [b"", b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", b"HTTP/1.1 2", b"\x16\x03"]
)
async def test_a_server_that_closes_the_connection_or_sends_no_http_is_unavailable(
    site: Site, make: Make, answer: bytes
) -> None:
    async def breaks_off(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    site.answers["/x"] = breaks_off
    with pytest.raises(Unavailable):
        await make(timeout=PATIENCE).request("GET", site.url("/x"))


async def test_an_error_shows_neither_query_nor_password(make: Make) -> None:
    with pytest.raises(Refused) as caught:
        await make().request("GET", "https://user:hunter2@evil.example/path?key=SECRET")
    assert "hunter2" not in str(caught.value)
    assert "SECRET" not in str(caught.value)
    assert "evil.example/path" in str(caught.value)


async def test_a_download_is_a_whole_file_with_its_md5(site: Site, make: Make, tmp_path: Path) -> None:
    content = bytes(range(256)) * 12_000
    site.says("/v.mp4", content, Content_Type="video/mp4")
    target = tmp_path / "v.mp4"
    got = await make().download(site.url("/v.mp4"), target, max_bytes=10_000_000, deadline=PATIENCE)
    assert target.read_bytes() == content
    assert (got.size, got.md5) == (len(content), hashlib.md5(content).hexdigest())  # noqa: S324
    assert (got.content_type, got.status) == ("video/mp4", 200)
    assert site.asked[0].headers["accept-encoding"] == "identity"


async def test_a_download_with_another_status_writes_nothing(site: Site, make: Make, tmp_path: Path) -> None:
    site.says("/v.mp4", b"gone", 410)
    got = await make().download(site.url("/v.mp4"), tmp_path / "v", max_bytes=1000, deadline=PATIENCE)
    assert (got.status, got.size) == (410, 0)
    assert left_in(tmp_path) == []


async def test_a_download_that_fails_leaves_nothing_behind(site: Site, make: Make, tmp_path: Path) -> None:
    async def stalls(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n" + bytes(3_000_000))
        await writer.drain()
        await asyncio.Event().wait()

    site.answers["/slow"] = stalls
    site.says("/large", bytes(5000))
    site.answers["/short"] = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\nabc"
    limits: dict[str, Any] = {"max_bytes": 10_000_000, "deadline": timedelta(milliseconds=300)}
    with pytest.raises(Unavailable):
        await make().download(site.url("/slow"), tmp_path / "v", **limits)
    with pytest.raises(Refused):
        await make().download(site.url("/large"), tmp_path / "v", max_bytes=4999, deadline=PATIENCE)
    assert left_in(tmp_path) == []


async def test_a_download_without_disk_space_is_an_error_of_the_disk(site: Site, make: Make, tmp_path: Path) -> None:
    site.says("/v", b"x")
    with pytest.raises(Unavailable, match=r"^disk: "):
        await make().download(site.url("/v"), tmp_path / "gone" / "v", max_bytes=10, deadline=PATIENCE)
