"""A reader that is made when it is first needed."""

import asyncio
from collections.abc import Callable

from found_footy.vision.frames import ClipFrames, Expected
from found_footy.vision.reader import Reader
from found_footy.vision.verdict import Verdict


class PostponedReader:
    """Its libraries and models take seconds to load and half a gigabyte; a process that never looks does without."""

    def __init__(self, name: str, make: Callable[[], Reader]) -> None:
        self.name = name
        self._make = make
        self._made: Reader | None = None
        self._lock = asyncio.Lock()

    async def read(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        async with self._lock:
            if self._made is None:
                self._made = await asyncio.to_thread(self._make)
        return await self._made.read(clip, expected, broadcast=broadcast)

    async def aclose(self) -> None:
        if self._made is not None:
            await self._made.aclose()
