"""Small pictures of what was looked at, kept beside the clips of the goal for people to see."""

import asyncio
import io
from collections.abc import Sequence

from PIL import Image

from found_footy.model.handoff import Goal
from found_footy.model.ids import evidence_key
from found_footy.platform.objects import ObjectStore
from found_footy.vision.frames import Frame

_WIDTH = 480
_QUALITY = 70
_MOST = 5


class Gallery:
    """They lie below the fixture's prefix, and so go with its other objects."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def keep(self, goal: Goal, md5: str, frames: Sequence[Frame]) -> dict[float, str]:
        """The keys of the pictures, by the time of their frames. The same look again overwrites them."""
        chosen = list(frames)[:_MOST]
        keys = {
            frame.at: evidence_key(goal.fixture_id, goal.event_id, md5, number)
            for number, frame in enumerate(chosen, start=1)
        }
        await asyncio.gather(*(self._put(keys[frame.at], frame) for frame in chosen))
        return keys

    async def _put(self, key: str, frame: Frame) -> None:
        picture = await asyncio.to_thread(small_jpeg, frame)
        await self._objects.put_bytes(key, picture, content_type="image/jpeg")


def small_jpeg(frame: Frame) -> bytes:
    picture = Image.fromarray(frame.pixels)
    if picture.width > _WIDTH:
        height = max(1, round(picture.height * _WIDTH / picture.width))
        picture = picture.resize((_WIDTH, height), Image.Resampling.BOX)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()
