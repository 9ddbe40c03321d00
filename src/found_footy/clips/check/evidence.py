"""Stores small pictures of the frames that were read, next to the goal's clips."""

import asyncio
import io
from collections.abc import Sequence

from PIL import Image

from found_footy.domain.ids import evidence_key
from found_footy.domain.messages import Goal
from found_footy.platform.objects import ObjectStore
from found_footy.vision.frames import Frame

_PICTURE_WIDTH = 480
_JPEG_QUALITY = 70
_MAX_PICTURES = 5


class EvidenceStore:
    """The pictures are stored under the fixture's prefix, and so are deleted with its other objects."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def save_frames(self, goal: Goal, md5: str, frames: Sequence[Frame]) -> dict[float, str]:
        """Store the frames and return their keys by frame time. Repeating the check overwrites them."""
        chosen = list(frames)[:_MAX_PICTURES]
        keys = {
            frame.at: evidence_key(goal.fixture_id, goal.event_id, md5, number)
            for number, frame in enumerate(chosen, start=1)
        }
        await asyncio.gather(*(self._put_frame(keys[frame.at], frame) for frame in chosen))
        return keys

    async def _put_frame(self, key: str, frame: Frame) -> None:
        picture = await asyncio.to_thread(encode_small_jpeg, frame)
        await self._objects.put_bytes(key, picture, content_type="image/jpeg")


def encode_small_jpeg(frame: Frame) -> bytes:
    picture = Image.fromarray(frame.pixels)
    if picture.width > _PICTURE_WIDTH:
        height = max(1, round(picture.height * _PICTURE_WIDTH / picture.width))
        picture = picture.resize((_PICTURE_WIDTH, height), Image.Resampling.BOX)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return buffer.getvalue()
