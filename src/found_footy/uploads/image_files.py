"""The objects that are stored beside an upload: its preview, and the decoded image between two steps."""

from pathlib import Path

from found_footy.domain.uploads import prepared_image_key, upload_preview_key
from found_footy.platform.errors import Malformed, NotFound
from found_footy.platform.logs import ActionLogger
from found_footy.platform.media.frames import Pixels
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.images.pixels import pack_pixels, unpack_pixels

PREVIEW_TYPE = "image/jpeg"
_PREPARED_TYPE = "application/octet-stream"
_MAX_PREPARED_BYTES = 8 * 2**20

logger = ActionLogger(__name__)


class ImageFileStore:
    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def put_preview(self, event_id: str, preview: Path) -> str:
        key = upload_preview_key(event_id)
        await self._objects.put_file(key, preview, content_type=PREVIEW_TYPE)
        return key

    async def put_pixels(self, event_id: str, pixels: Pixels) -> str:
        key = prepared_image_key(event_id)
        await self._objects.put_bytes(key, pack_pixels(pixels), content_type=_PREPARED_TYPE)
        return key

    async def get_pixels(self, key: str) -> Pixels | None:
        """None if the decoded image is no longer stored, or damaged: it must be made again."""
        try:
            return unpack_pixels(await self._objects.get_bytes(key, limit=_MAX_PREPARED_BYTES))
        except NotFound:
            return None
        except Malformed as error:
            logger.warning("%s: %s", key, error, action="upload_pixels_damaged")
            return None

    async def delete_pixels(self, key: str) -> None:
        await self._objects.delete(key)
