"""Who looks at a clip."""

from typing import Protocol

from found_footy.vision.frames import ClipFrames, ExpectedMinute
from found_footy.vision.verdict import Verdict


class VisionReader(Protocol):
    """Looks at the frames of a clip. Raises VisionUnavailable when it cannot tell; what it can tell is a value.

    `broadcast` names clips that are likely to have the same score bug, such as those of one match; it need not mean
    anything to the reader.
    """

    @property
    def name(self) -> str: ...

    async def read(self, clip: ClipFrames, expected: ExpectedMinute, *, broadcast: str = "") -> Verdict: ...

    async def aclose(self) -> None: ...
