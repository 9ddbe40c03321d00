"""The model where there is one, else this machine; and what to do while the model is away."""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Protocol

from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.frames import ClipFrames, Expected
from found_footy.vision.reader import Reader
from found_footy.vision.verdict import Verdict

log = logging.getLogger(__name__)


class Watched(Protocol):
    """Knows how long its reader has been away."""

    @property
    def down_for(self) -> timedelta: ...


class AutoReader:
    """Asks `model`. Once it has been away for `patience`, clips go to `local` until it is back; without a patience
    they wait. `local` makes the other reader when it is first needed.
    """

    name = "auto"

    def __init__(self, model: Reader, state: Watched, patience: timedelta | None, local: Callable[[], Reader]) -> None:
        self._model = model
        self._state = state
        self._patience = patience
        self._make_local = local
        self._local: Reader | None = None

    async def read(self, clip: ClipFrames, expected: Expected, *, broadcast: str = "") -> Verdict:
        try:
            return await self._model.read(clip, expected, broadcast=broadcast)
        except VisionUnavailable as error:
            if self._patience is None or self._state.down_for < self._patience:
                raise
            log.warning("the local reader stands in: %s", error, extra={"action": "vision_stand_in"})
            return await self._stand_in().read(clip, expected, broadcast=broadcast)

    async def aclose(self) -> None:
        await self._model.aclose()
        if self._local is not None:
            await self._local.aclose()

    def _stand_in(self) -> Reader:
        if self._local is None:
            self._local = self._make_local()
        return self._local
