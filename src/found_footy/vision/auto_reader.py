"""The vision server where one is configured, else the local reader; and the fallback while the server is down."""

from collections.abc import Callable
from datetime import timedelta
from typing import Protocol

from found_footy.platform.logs import ActionLogger
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames
from found_footy.vision.reader import VisionReader
from found_footy.vision.verdict import Verdict

logger = ActionLogger(__name__)


class DowntimeTracker(Protocol):
    """Reports how long its reader has been down."""

    @property
    def downtime(self) -> timedelta: ...


class AutoReader:
    """Reads with `primary`. Once it has been down for `fallback_after`, clips go to the reader from `make_local` until
    it is back; with None they wait. The local reader is built when it is first needed.
    """

    name = "auto"

    def __init__(
        self,
        primary: VisionReader,
        tracker: DowntimeTracker,
        fallback_after: timedelta | None,
        make_local: Callable[[], VisionReader],
    ) -> None:
        self._primary = primary
        self._tracker = tracker
        self._fallback_after = fallback_after
        self._make_local = make_local
        self._local: VisionReader | None = None

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict:
        try:
            return await self._primary.read(clip, expected, broadcast=broadcast)
        except VisionUnavailable as error:
            if self._fallback_after is None or self._tracker.downtime < self._fallback_after:
                raise
            logger.warning("the local reader replaces the vision server: %s", error, action="vision_stand_in")
            return await self._get_local_reader().read(clip, expected, broadcast=broadcast)

    async def aclose(self) -> None:
        await self._primary.aclose()
        if self._local is not None:
            await self._local.aclose()

    def _get_local_reader(self) -> VisionReader:
        if self._local is None:
            self._local = self._make_local()
        return self._local
