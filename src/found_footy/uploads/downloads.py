"""Reads an upload from the store into a file, if it is the expected version and not too large."""

import asyncio
from pathlib import Path

from found_footy.domain.uploads import strip_etag
from found_footy.platform.errors import NotFound, TooLarge
from found_footy.platform.objects import SYSTEM, ObjectStore
from found_footy.platform.system_errors import translate_disk_errors


async def download_version(objects: ObjectStore, key: str, etag: str, path: Path, max_bytes: int) -> bool:
    """Write the object to `path`. False if another version, or none, is stored. Raises TooLarge."""
    try:
        stream = await objects.open(key)
    except NotFound:
        return False
    try:
        if strip_etag(stream.info.etag) != etag:
            return False
        if stream.total > max_bytes:
            raise TooLarge(SYSTEM, f"{key} has {stream.total} bytes, more than {max_bytes}")
        with translate_disk_errors(), path.open("wb") as file:
            async for chunk in stream.chunks:
                await asyncio.to_thread(file.write, chunk)
        return True
    finally:
        await stream.aclose()
