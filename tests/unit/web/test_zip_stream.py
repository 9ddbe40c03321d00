"""The zip archive of all angles: written while it is sent, of the announced size, never holding a file as a whole."""

import io
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from found_footy.platform.errors import Unavailable
from found_footy.web.zip_stream import ZipMember, compute_zip_size, stream_zip

CHUNK = 64 * 1024
CHUNKS = 20
AT = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
MEMBERS = [ZipMember(f"Özil {number}.mp4", str(number), CHUNK * CHUNKS, AT) for number in (1, 2)]


class RecordedObject:
    """An object of `CHUNKS` chunks; `fails_after` as many of them the store is gone."""

    def __init__(self, fails_after: int = CHUNKS) -> None:
        self.closed = False
        self._fails_after = fails_after

    @property
    async def chunks(self) -> AsyncIterator[bytes]:
        for number in range(CHUNKS):
            if number == self._fails_after:
                raise Unavailable("object store", "gone")
            yield bytes([number]) * CHUNK

    async def aclose(self) -> None:
        self.closed = True


async def test_no_more_than_a_chunk_is_held() -> None:
    opened: list[RecordedObject] = []

    async def open_object(key: str) -> RecordedObject:
        opened.append(RecordedObject())
        return opened[-1]

    parts = [part async for part in stream_zip(MEMBERS, open_object)]  # type: ignore[arg-type]
    assert max(map(len, parts)) < CHUNK + 200
    assert len(b"".join(parts)) == compute_zip_size(MEMBERS)
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [one.name for one in MEMBERS]
    assert [one.closed for one in opened] == [True, True]


async def test_a_store_that_fails_cuts_the_download_off() -> None:
    broken = RecordedObject(fails_after=3)

    async def open_object(key: str) -> RecordedObject:
        return broken

    received: list[bytes] = []
    with pytest.raises(Unavailable):
        await drain(stream_zip(MEMBERS, open_object), received)  # type: ignore[arg-type]
    assert sum(map(len, received)) < compute_zip_size(MEMBERS)
    assert broken.closed


async def drain(parts: AsyncIterator[bytes], into: list[bytes]) -> None:
    async for part in parts:
        into += [part]
