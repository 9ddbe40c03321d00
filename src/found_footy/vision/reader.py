"""The protocol of vision readers."""

from typing import Protocol

from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames
from found_footy.vision.verdict import Verdict


class VisionReader(Protocol):
    """Reads the frames of a clip. Raises VisionUnavailable if it cannot decide; otherwise returns a verdict.

    `broadcast` groups clips that probably have the same score bug, such as those of one match; a reader may ignore it.
    """

    @property
    def name(self) -> str: ...

    async def read(self, clip: ClipFrames, expected: ExpectedGoal, *, broadcast: str = "") -> Verdict: ...

    async def aclose(self) -> None: ...
