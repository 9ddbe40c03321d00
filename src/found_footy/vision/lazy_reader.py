"""A reader that is built when it is first needed."""

import asyncio
from collections.abc import Callable

from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames
from found_footy.vision.reader import VisionReader
from found_footy.vision.verdict import Verdict


class LazyReader:
    """The local reader's libraries and models take seconds to load and half a gigabyte; a process that checks no clip
    does not load them.
    """

    def __init__(self, name: str, factory: Callable[[], VisionReader]) -> None:
        self.name = name
        self._factory = factory
        self._reader: VisionReader | None = None
        self._lock = asyncio.Lock()

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        async with self._lock:
            if self._reader is None:
                self._reader = await asyncio.to_thread(self._factory)
        return await self._reader.read(clip, expected, broadcast=broadcast)

    async def aclose(self) -> None:
        if self._reader is not None:
            await self._reader.aclose()
