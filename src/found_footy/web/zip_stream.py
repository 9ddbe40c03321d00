"""A zip archive that is written while it is sent: files are stored as they are, and none is held as a whole."""

import zipfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from found_footy.platform.objects import ObjectStream

_LOCAL_HEADER_BYTES, _DESCRIPTOR_BYTES, _ENTRY_BYTES, _END_BYTES = 30, 16, 46, 22


@dataclass(frozen=True)
class ZipMember:
    """A file of the archive; `size` is known before its bytes are read."""

    name: str
    key: str
    size: int
    modified: datetime


class _ByteSink:
    """What the archive writes to: it cannot be rewound, so sizes and checksums follow the bytes of each file."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing is open."""

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def compute_zip_size(members: Sequence[ZipMember]) -> int:
    """How many bytes the archive has, so that a browser can show how far a download is."""
    names = [len(one.name.encode()) for one in members]
    per_file = _LOCAL_HEADER_BYTES + _DESCRIPTOR_BYTES + _ENTRY_BYTES
    return sum(one.size for one in members) + sum(2 * length + per_file for length in names) + _END_BYTES


async def stream_zip(
    members: Sequence[ZipMember], open_object: Callable[[str], Awaitable[ObjectStream]]
) -> AsyncGenerator[bytes, None]:
    """Yield the archive. Raises what reading an object raises: the visitor then gets a download that is cut off."""
    sink = _ByteSink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
        for member in members:
            info = zipfile.ZipInfo(member.name, member.modified.timetuple()[:6])
            stream = await open_object(member.key)
            try:
                with archive.open(info, "w") as target:
                    async for chunk in stream.chunks:
                        target.write(chunk)
                        yield sink.take()
            finally:
                await stream.aclose()
            yield sink.take()
    yield sink.take()
