"""The object store: what was put is there, whole; what fails says so in our words."""

import asyncio
import hashlib
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import pytest

from found_footy.platform import objects as objects_module
from found_footy.platform.errors import BadInput, Denied, NotFound, Refused, Unavailable
from found_footy.platform.objects import ObjectStore, ObjectStream
from tests.support.patience import PATIENCE_SECONDS
from tests.support.pipeline.breakable_connection import open_breakable_connection

SHORT = timedelta(milliseconds=500)
CONTENT = bytes(range(256)) * 40


class Endpoints(Protocol):
    @property
    def s3_endpoint(self) -> str: ...
    @property
    def s3_access_key(self) -> str: ...
    @property
    def s3_secret_key(self) -> str: ...


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()  # noqa: S324


async def drained(stream: ObjectStream) -> bytes:
    return b"".join([chunk async for chunk in stream.chunks])


async def test_a_file_is_stored_with_everything_that_is_known_of_it(objects: ObjectStore, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(CONTENT)
    info = await objects.put_file("1/2/clip.mp4", path, content_type="video/mp4", metadata={"player": "Ødegaard"})
    assert (info.key, info.size, info.etag) == ("1/2/clip.mp4", len(CONTENT), md5(CONTENT))
    assert (info.content_type, info.metadata) == ("video/mp4", {"player": "Ødegaard"})
    assert abs(datetime.now(UTC) - info.modified) < timedelta(hours=1)
    assert await objects.head("1/2/clip.mp4") == info


async def test_bytes_go_in_and_come_out(objects: ObjectStore, tmp_path: Path) -> None:
    await objects.put_bytes("a", CONTENT, content_type="application/octet-stream")
    assert await objects.get_bytes("a", limit=len(CONTENT)) == CONTENT
    info = await objects.get_file("a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert info.etag == md5(CONTENT)


async def test_an_empty_object_can_be_stored(objects: ObjectStore) -> None:
    assert (await objects.put_bytes("empty", b"", content_type="text/plain")).size == 0
    assert await objects.get_bytes("empty", limit=0) == b""
    stream = await objects.open("empty")
    assert (stream.start, stream.end, stream.total, await drained(stream)) == (0, -1, 0, b"")


@pytest.mark.parametrize("key", ["with space", "é/ñ 😀", "a+b&c=d?e#f", "100%25", "...", "quo'te\""])
async def test_keys_are_taken_literally(objects: ObjectStore, key: str) -> None:
    await objects.put_bytes(key, b"x", content_type="text/plain")
    assert await objects.get_bytes(key, limit=10) == b"x"
    assert [info.key async for info in objects.list()] == [key]


async def test_metadata_of_any_text_survives(objects: ObjectStore) -> None:
    metadata = {"player": "Vinícius Júnior", "odd": "a%20b, c=d; 日本 \n line", "plain": "two words", "minute": "45+3"}
    await objects.put_bytes("a", b"x", content_type="text/plain", metadata=metadata)
    info = await objects.head("a")
    assert info is not None
    assert info.metadata == metadata


async def test_a_missing_object_is_none_or_not_found(objects: ObjectStore, tmp_path: Path) -> None:
    assert await objects.head("nothing") is None
    with pytest.raises(NotFound, match="object nothing does not exist"):
        await objects.get_bytes("nothing", limit=10)
    with pytest.raises(NotFound):
        await objects.get_file("nothing", tmp_path / "x")
    with pytest.raises(NotFound):
        await objects.open("nothing")
    with pytest.raises(NotFound):
        await objects.copy("nothing", "something")
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


async def test_deleting_twice_is_deleting_once(objects: ObjectStore) -> None:
    await objects.put_bytes("a", b"x", content_type="text/plain")
    await objects.delete("a")
    await objects.delete("a")
    assert await objects.head("a") is None


async def test_an_object_that_is_larger_than_wanted_is_refused(objects: ObjectStore) -> None:
    await objects.put_bytes("a", CONTENT, content_type="text/plain")
    with pytest.raises(Refused, match=f"{len(CONTENT)} bytes, more than 100"):
        await objects.get_bytes("a", limit=100)


async def test_a_listing_does_not_stop_at_a_page(objects: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("found_footy.platform.objects._PAGE_SIZE", 40)
    keys = [f"many/{number:04}" for number in range(90)]
    await asyncio.gather(*(objects.put_bytes(k, b"x", content_type="t/p") for k in keys))
    await objects.put_bytes("other", b"x", content_type="t/p")
    listed = [info async for info in objects.list("many/")]
    assert [info.key for info in listed] == keys
    assert {(info.size, info.etag) for info in listed} == {(1, md5(b"x"))}
    assert len([info async for info in objects.list()]) == 91


async def test_a_copy_keeps_or_changes_its_metadata(objects: ObjectStore) -> None:
    await objects.put_bytes("a", CONTENT, content_type="video/mp4", metadata={"player": "Ø"})
    same = await objects.copy("a", "same")
    typed = await objects.copy("a", "typed", content_type="video/webm")
    named = await objects.copy("a", "named", metadata={"team": "Ü"})
    assert (same.size, same.etag, same.content_type, same.metadata) == (
        10_240,
        md5(CONTENT),
        "video/mp4",
        {"player": "Ø"},
    )
    assert (typed.content_type, typed.metadata) == ("video/webm", {"player": "Ø"})
    assert (named.content_type, named.metadata) == ("video/mp4", {"team": "Ü"})
    assert await objects.get_bytes("same", limit=20_000) == CONTENT


@pytest.mark.parametrize(
    ("start", "end", "last"),
    [(0, None, 10_239), (0, 0, 0), (100, 199, 199), (10_000, None, 10_239), (10_239, 99_999, 10_239)],
)
async def test_a_range_is_read_as_asked(objects: ObjectStore, start: int, end: int | None, last: int) -> None:
    await objects.put_bytes("a", CONTENT, content_type="video/mp4")
    stream = await objects.open("a", start=start, end=end)
    assert (stream.start, stream.end, stream.total) == (start, last, 10_240)
    assert (stream.info.size, stream.info.content_type) == (10_240, "video/mp4")
    assert await drained(stream) == CONTENT[start : last + 1]


@pytest.mark.parametrize(("start", "end"), [(10_240, None), (99_999, 100_000), (5, 4), (-1, 3)])
async def test_a_range_that_is_none_is_bad_input(objects: ObjectStore, start: int, end: int | None) -> None:
    await objects.put_bytes("a", CONTENT, content_type="video/mp4")
    with pytest.raises(BadInput):
        await objects.open("a", start=start, end=end)


async def test_a_stream_may_be_left_unread(objects: ObjectStore) -> None:
    await objects.put_bytes("a", bytes(3_000_000), content_type="video/mp4")
    untouched = await objects.open("a")
    await untouched.aclose()
    half = await objects.open("a")
    async for chunk in half.chunks:
        assert chunk
        break
    await half.aclose()
    assert len(await drained(await objects.open("a"))) == 3_000_000


async def test_anyone_may_read_at_a_signed_address_until_it_expires(objects: ObjectStore) -> None:
    await objects.put_bytes("a b/é", b"shared", content_type="text/plain")
    url = objects.presign_get("a b/é", timedelta(minutes=5))

    def fetched(url: str) -> bytes:
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
            content: bytes = answer.read()
            return content

    assert await asyncio.to_thread(fetched, url) == b"shared"
    with pytest.raises(urllib.error.HTTPError, match="403") as refused:
        await asyncio.to_thread(fetched, url.replace("X-Amz-Expires=300", "X-Amz-Expires=301"))
    refused.value.close()


async def test_a_bucket_is_made_once_even_by_many_at_once(platform: Endpoints) -> None:
    store = ObjectStore(platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, f"test-{uuid4().hex}")
    with pytest.raises(NotFound):
        await store.get_bytes("a", limit=1)
    await asyncio.gather(*(store.ensure_bucket() for _ in range(5)))
    await store.ensure_bucket()
    await store.put_bytes("a", b"x", content_type="t/p")
    await store.aclose()


async def test_wrong_keys_are_denied_and_not_shown(platform: Endpoints) -> None:
    for access, secret in ((platform.s3_access_key, "hunter2"), ("nobody", "hunter2")):
        store = ObjectStore(platform.s3_endpoint, access, secret, "any-bucket")
        for call in (store.put_bytes("a", b"x", content_type="t/p"), store.head("a"), store.ensure_bucket()):
            with pytest.raises(Denied, match="rejects the access keys") as caught:
                await call
            assert "hunter2" not in str(caught.value)
        await store.aclose()


async def test_a_dead_port_is_unavailable_and_named(dead_port: int) -> None:
    store = ObjectStore(f"http://127.0.0.1:{dead_port}", "k", "s", "bucket", timeout=SHORT, attempts=1)
    with pytest.raises(Unavailable, match=f"object store: http://127.0.0.1:{dead_port}/bucket"):
        await store.head("a")
    await store.aclose()


async def test_a_store_that_never_answers_is_unavailable(black_hole: int, tmp_path: Path) -> None:
    store = ObjectStore(f"http://127.0.0.1:{black_hole}", "k", "s", "bucket", timeout=SHORT, attempts=1)
    with pytest.raises(Unavailable):
        await store.get_file("a", tmp_path / "a")
    with pytest.raises(Unavailable):
        await store.put_bytes("a", b"x", content_type="t/p")
    await store.aclose()


async def test_an_upload_that_is_cut_at_99_percent_stores_nothing_and_replaces_nothing(
    objects: ObjectStore, platform: Endpoints, tmp_path: Path
) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(CONTENT * 100)
    await objects.put_bytes("known.mp4", b"as before", content_type="video/mp4")
    async with open_breakable_connection(platform.s3_endpoint) as line:
        line.cut_after = path.stat().st_size * 99 // 100
        keys = (platform.s3_access_key, platform.s3_secret_key)
        store = ObjectStore(f"http://127.0.0.1:{line.port}", *keys, objects.bucket, attempts=1)
        for key in ("new.mp4", "known.mp4"):
            with pytest.raises(Unavailable):
                await store.put_file(key, path, content_type="video/mp4")
        assert line.cuts == 2
        assert await objects.head("new.mp4") is None
        assert await objects.get_bytes("known.mp4", limit=100) == b"as before"
        line.cut_after = None
        assert (await store.put_file("new.mp4", path, content_type="video/mp4")).etag == md5(path.read_bytes())
        await store.aclose()


async def test_the_environment_of_the_machine_does_not_matter(
    platform: Endpoints, monkeypatch: pytest.MonkeyPatch, dead_port: int
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "somebody-else")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{dead_port}")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{dead_port}")
    # What stores share was perhaps made by an earlier test, before the environment was this one.
    monkeypatch.setattr(objects_module, "_boto_session", objects_module._boto_session.__wrapped__)
    store = ObjectStore(platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, f"test-{uuid4().hex}")
    await store.ensure_bucket()
    assert (await store.put_bytes("a", b"x", content_type="t/p")).size == 1
    await store.aclose()


@pytest.mark.parametrize("key", ["", "k" * 1025, "a/../b", "./a", "/a", "a//b", "a/", "é" * 600])
async def test_a_key_that_not_every_store_can_hold_is_bad_input(objects: ObjectStore, key: str) -> None:
    with pytest.raises(BadInput, match="not a key"):
        await objects.put_bytes(key, b"x", content_type="t/p")
    await objects.put_bytes("a", b"x", content_type="t/p")
    with pytest.raises(BadInput, match="not a key"):
        await objects.copy("a", key)


async def test_a_file_that_cannot_be_read_or_written_is_the_disks_fault(objects: ObjectStore, tmp_path: Path) -> None:
    await objects.put_bytes("a", b"x", content_type="t/p")
    with pytest.raises(Unavailable, match=r"^disk: "):
        await objects.get_file("a", tmp_path / "gone" / "a")
    with pytest.raises(Unavailable, match=r"^disk: "):
        await objects.put_file("b", tmp_path / "gone", content_type="t/p")
