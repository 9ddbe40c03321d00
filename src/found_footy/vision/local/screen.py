"""Is it a screen that somebody filmed: a score bug that the broadcaster put in stands still, one on a television in a
hand-held picture does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from found_footy.vision.frames import Frame
from found_footy.vision.local.boxes import Box

_SIZE = 640, 360
_FEWEST = 4
_EDGE, _STILL = 120.0, 3.5
_DIRECT, _FILMED = 200, 100
# Mean change from frame to frame below which the picture as a whole stands still, so that nothing can be told.
_MOVES = 1.5
_SHAKE = 28
_FOUND = 0.5
# In so many frames at least a bug must be found again to be there at all: a hand moves it out of some.
_THERE = 2
# In this share of the frames the clock of a direct picture is in its place, this much like the one that was read.
_MOSTLY, _ALIKE = 0.75, 0.35
# Deviation below which there is nothing in a place to be found again: black, or a bar.
_FLAT = 5.0
# Pixels between the outermost places of a bug from which on it sways.
_SWAYS = 3

Grays = npt.NDArray[np.float32]


@dataclass(frozen=True)
class ScreenFacts:
    """`still` counts the pixels of the largest thing with edges that do not move, `present` the frames in which the
    bug was found again near its place, and `sway` how many pixels those places are apart.
    """

    filmed: bool | None
    still: int
    present: int
    sway: int
    motion: float

    def __str__(self) -> str:
        found = f"bug found in {self.present} frames {self.sway} px apart"
        return f"still edges {self.still} px, {found}, motion {self.motion:.1f}"


UNKNOWN = ScreenFacts(None, 0, 0, 0, 0.0)


def look(frames: Sequence[Frame], bug: Box | None, line: Box | None, shown: Frame | None) -> ScreenFacts:
    """`bug` is where a clock was seen to run, whose own text is in `line` of the frame `shown`. Without it, and where
    these frames do not show it, nothing can be told: what stands still or sways there may be the mark of whoever posted
    the clip, or a replay. For the same reason a picture is direct only if the clock itself stays in its place.
    """
    if len(frames) < _FEWEST or bug is None or line is None or shown is None:
        return UNKNOWN
    grays = np.stack([_gray(frame) for frame in frames])
    motion = float(np.abs(np.diff(grays, axis=0)).mean())
    inside = _within(bug, _picture(grays))
    in_margin = inside.width * inside.height < bug.width * bug.height / 2
    if in_margin or _found_again(grays, inside, _gray(shown))[0] < _THERE:
        return replace(UNKNOWN, motion=motion)
    still = _largest_still(grays, inside)
    present, sway = _present(grays, inside, thorough=still < _DIRECT)
    filmed = None if motion < _MOVES else _decided(still, present, sway, len(frames))
    if filmed is False and _in_place(grays, line, _gray(shown)) < _MOSTLY * len(grays):
        filmed = None
    return ScreenFacts(filmed, still, present, sway, motion)


def _decided(still: int, present: int, sway: int, frames: int) -> bool | None:
    """Small and pale bugs have few edges: those are direct if they are in every frame and never move by a pixel."""
    if still >= _DIRECT or (present == frames and sway == 0):
        return False
    return True if present >= frames - 2 and sway >= _SWAYS and still < _FILMED else None


def _gray(frame: Frame) -> Grays:
    small = cv2.resize(frame.pixels, _SIZE, interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_RGB2GRAY).astype(np.float32)


def _largest_still(grays: Grays, within: Box) -> int:
    mean = grays.mean(axis=0)
    edges = np.hypot(cv2.Sobel(mean, cv2.CV_32F, 1, 0), cv2.Sobel(mean, cv2.CV_32F, 0, 1))
    still = ((edges > _EDGE) & (grays.std(axis=0) < _STILL)).astype(np.uint8)
    area = np.zeros_like(still)
    rows, columns = _pixels(within)
    area[rows, columns] = still[rows, columns]
    closed = cv2.morphologyEx(area, cv2.MORPH_CLOSE, np.ones((5, 9), np.uint8))
    count, _, facts, _ = cv2.connectedComponentsWithStats(closed)
    return int(facts[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0


def _in_place(grays: Grays, line: Box, shown: npt.NDArray[np.float32]) -> int:
    """In how many frames the clock is where it was, to the pixel; its digits change, which makes it less alike."""
    rows, columns = _pixels(line)
    template = shown[rows, columns]
    around = slice(max(0, rows.start - 1), rows.stop + 1), slice(max(0, columns.start - 1), columns.stop + 1)
    scores = (cv2.minMaxLoc(cv2.matchTemplate(gray[around], template, cv2.TM_CCOEFF_NORMED))[1] for gray in grays)
    return sum(score > _ALIKE for score in scores)


def _picture(grays: Grays) -> Box:
    """What is left without the plain margins that somebody has put around it."""
    mean, change = grays.mean(axis=0), grays.std(axis=0)
    margins = []
    for axis in (1, 0):
        plain = (mean.std(axis=axis) < _FLAT) & (change.mean(axis=axis) < _STILL)
        picture = np.flatnonzero(~plain)
        first, last = (picture[0], picture[-1] + 1) if picture.size else (0, plain.size)
        margins.append((first / plain.size, last / plain.size))
    (top, bottom), (left, right) = margins
    return Box(float(left), float(top), float(right), float(bottom))


def _within(box: Box, picture: Box) -> Box:
    left, top = max(box.left, picture.left), max(box.top, picture.top)
    return Box(left, top, max(left, min(box.right, picture.right)), max(top, min(box.bottom, picture.bottom)))


def _present(grays: Grays, bug: Box, *, thorough: bool) -> tuple[int, int]:
    """In how many frames the bug is where it was, or a hand's shake from there: cuts and replays take it away. A bug in
    a corner is cut off where the hand has moved it outwards, so the best of several frames is asked for the others.
    """
    middle = len(grays) // 2
    asked = (0, middle, len(grays) - 2) if thorough else (middle,)
    return max((_found_again(grays, bug, grays[at]) for at in asked), key=lambda found: found[0])


def _found_again(grays: Grays, bug: Box, asked: npt.NDArray[np.float32]) -> tuple[int, int]:
    rows, columns = _pixels(bug)
    template = asked[rows, columns]
    if template.std() < _FLAT:
        return 0, 0
    around = (
        slice(max(0, rows.start - _SHAKE), min(_SIZE[1], rows.stop + _SHAKE)),
        slice(max(0, columns.start - _SHAKE), min(_SIZE[0], columns.stop + _SHAKE)),
    )
    matches = (cv2.minMaxLoc(cv2.matchTemplate(gray[around], template, cv2.TM_CCOEFF_NORMED)) for gray in grays)
    places = [place for _, score, _, place in matches if score > _FOUND]
    return len(places), int(np.ptp(places, axis=0).max()) if places else 0


def _pixels(box: Box) -> tuple[slice, slice]:
    left, top = int(box.left * _SIZE[0]), int(box.top * _SIZE[1])
    right, bottom = int(box.right * _SIZE[0]) + 1, int(box.bottom * _SIZE[1]) + 1
    return slice(top, max(bottom, top + 8)), slice(left, max(right, left + 8))
