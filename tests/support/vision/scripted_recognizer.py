"""A text recognizer that returns scripted text."""

from dataclasses import dataclass, field

import numpy as np

from found_footy.vision.frames import ClipFrames, Frame, Pixels
from found_footy.vision.local.text_boxes import RelativeBox, TextBox

TOP_LEFT = RelativeBox(0.05, 0.05, 0.11, 0.09)
FOOT = RelativeBox(0.05, 0.9, 0.11, 0.94)


MIRROR = 100


@dataclass
class ScriptedRecognizer:
    """Returns the text at a place, in the frame whose first pixel is the key, with MIRROR added to it in the
    frame's mirror image. `shy` text needs the slow way.
    """

    written: dict[int, list[tuple[str, RelativeBox]]]
    shy: bool = False
    reads: list[RelativeBox] = field(default_factory=list)
    lines: int = 0

    def recognize_text(self, picture: Pixels, part: RelativeBox, *, thorough: bool = False) -> list[TextBox]:
        self.reads.append(part)
        if self.shy and not thorough:
            return []
        return [TextBox(box, words, 0.99) for words, box in self._in(picture) if part.contains_centre(box)]

    def recognize_line(self, picture: Pixels, part: RelativeBox) -> TextBox | None:
        self.lines += 1
        if self.shy:
            return None
        return next((TextBox(part, words, 0.99) for words, box in self._in(picture) if part.contains_centre(box)), None)

    def _in(self, picture: Pixels) -> list[tuple[str, RelativeBox]]:
        return self.written.get(int(picture[0, 0, 0]), [])


def frame(at: float, key: int, width: int = 640) -> Frame:
    pixels = np.full((90, width, 3), key, np.uint8)
    pixels[:, -1] = key + MIRROR
    return Frame(at, pixels)


CLIP = ClipFrames((frame(5.0, 1), frame(15.0, 3)), frame(10.0, 2))


GARBLED = [("VIL 0-1 2RA", TOP_LEFT)]
