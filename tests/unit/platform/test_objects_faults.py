"""Stores that lie or break off: what they did not keep is not taken for kept."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from found_footy.platform.errors import Denied, Unavailable
from found_footy.platform.objects import ObjectStore
from tests.support.patience import PATIENCE

Listen = Callable[..., Awaitable[int]]
Faulty = Callable[[dict[str, bytes]], Awaitable[ObjectStore]]
MODIFIED = b"last-modified: Sun, 15 Nov 2026 20:00:00 GMT\r\n"
OTHER_TAG = b'etag: "' + b"0" * 32 + b'"\r\n'
TAG_OF_X = b'etag: "9dd4e461268c8034f5c8564e155c67a6"\r\n'


def answer(head: bytes = b"", body: bytes = b"", length: int | None = None, status: bytes = b"200 OK") -> bytes:
    size = len(body) if length is None else length
    return b"HTTP/1.1 %s\r\n%s%scontent-length: %d\r\nconnection: close\r\n\r\n%s" % (
        status,
        MODIFIED,
        head,
        size,
        body,
    )


@pytest.fixture
async def faulty(listen: Listen) -> AsyncIterator[Faulty]:
    """A store of which each method gives a fixed answer."""
    stores: list[ObjectStore] = []

    async def start(answers: dict[str, bytes]) -> ObjectStore:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"100-continue" in head.lower():
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")), b":0")
            await reader.readexactly(int(length.partition(b":")[2]))
            writer.write(answers[head.split(b" ")[0].decode()])
            await writer.drain()

        port = await listen(handle)
        stores.append(ObjectStore(f"http://127.0.0.1:{port}", "k", "s", "bucket", timeout=PATIENCE, attempts=1))
        return stores[-1]

    yield start
    for store in stores:
        await store.aclose()


async def test_a_put_that_was_stored_with_other_bytes_is_not_accepted(faulty: Faulty) -> None:
    store = await faulty({"PUT": answer(OTHER_TAG), "HEAD": answer(OTHER_TAG, length=1)})
    with pytest.raises(Unavailable, match="was stored as 0000"):
        await store.put_bytes("a", b"x", content_type="t/p")


async def test_a_put_that_was_stored_incompletely_is_not_accepted(faulty: Faulty) -> None:
    store = await faulty({"PUT": answer(TAG_OF_X), "HEAD": answer(TAG_OF_X, length=0)})
    with pytest.raises(Unavailable, match="with 0 bytes, not 1"):
        await store.put_bytes("a", b"x", content_type="t/p")


async def test_a_store_that_encrypts_has_tags_of_its_own(faulty: Faulty) -> None:
    sealed = OTHER_TAG + b"x-amz-server-side-encryption: aws:kms\r\n"
    store = await faulty({"PUT": answer(sealed), "HEAD": answer(sealed, length=1)})
    assert (await store.put_bytes("a", b"x", content_type="t/p")).etag == "0" * 32


async def test_an_object_that_ends_early_is_unavailable_and_leaves_no_file(faulty: Faulty, tmp_path: Path) -> None:
    store = await faulty({"GET": answer(OTHER_TAG, b"only the beginning", length=1_000_000)})
    with pytest.raises(Unavailable):
        await store.get_file("a", tmp_path / "a")
    with pytest.raises(Unavailable):
        await store.get_bytes("a", limit=2_000_000)
    stream = await store.open("a")
    with pytest.raises(Unavailable):
        [chunk async for chunk in stream.chunks]
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


@pytest.mark.parametrize("status", [b"500 X", b"503 Slow Down", b"400 Bad Digest"])
async def test_a_store_with_server_errors_is_unavailable(faulty: Faulty, status: bytes) -> None:
    store = await faulty({"GET": answer(status=status), "PUT": answer(status=status)})
    with pytest.raises(Unavailable):
        await store.get_bytes("a", limit=10)
    with pytest.raises(Unavailable):
        await store.put_bytes("a", b"x", content_type="t/p")


@pytest.mark.parametrize("status", [b"401 Unauthorized", b"403 Forbidden"])
async def test_a_store_that_denies_access_is_tried_again_because_it_may_be_starting(
    faulty: Faulty, status: bytes
) -> None:
    store = await faulty({"HEAD": answer(status=status)})
    with pytest.raises(Denied, match="rejects the access keys") as raised:
        await store.head("a")
    assert raised.value.retryable


async def test_a_store_with_malformed_answers_is_unavailable(faulty: Faulty) -> None:
    store = await faulty({"GET": b"nonsense\r\n\r\n"})
    with pytest.raises(Unavailable):
        await store.get_bytes("a", limit=10)
