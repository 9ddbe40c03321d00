"""The objects that are stored beside an upload: its preview, and the decoded image between two steps."""

import io
from pathlib import Path

import numpy as np

from found_footy.domain.uploads import prepared_image_key, upload_preview_key
from found_footy.platform.errors import BadInput, NotFound
from found_footy.platform.media.frames import Pixels
from found_footy.platform.objects import ObjectStore

PREVIEW_TYPE = "image/jpeg"
_PREPARED_TYPE = "application/octet-stream"
_MAX_PREPARED_BYTES = 8 * 2**20
_COLORS = 3


class ImageFileStore:
    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def put_preview(self, event_id: str, preview: Path) -> str:
        key = upload_preview_key(event_id)
        await self._objects.put_file(key, preview, content_type=PREVIEW_TYPE)
        return key

    async def put_pixels(self, event_id: str, pixels: Pixels) -> str:
        key, buffer = prepared_image_key(event_id), io.BytesIO()
        np.save(buffer, pixels, allow_pickle=False)
        await self._objects.put_bytes(key, buffer.getvalue(), content_type=_PREPARED_TYPE)
        return key

    async def get_pixels(self, key: str) -> Pixels | None:
        """None if the decoded image is no longer stored."""
        try:
            data = await self._objects.get_bytes(key, limit=_MAX_PREPARED_BYTES)
        except NotFound:
            return None
        pixels: Pixels = np.load(io.BytesIO(data), allow_pickle=False)
        if pixels.dtype != np.uint8 or pixels.ndim != _COLORS or pixels.shape[2] != _COLORS:
            raise BadInput(f"{key} is not a decoded image")
        return pixels

    async def delete_pixels(self, key: str) -> None:
        await self._objects.delete(key)
