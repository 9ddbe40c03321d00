"""Detects filmed screens by score-bug sway: a score bug in a direct recording stays in place; one on a television in a
hand-held recording moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from found_footy.vision.frames import Frame
from found_footy.vision.local.text_boxes import RelativeBox

_ANALYSIS_SIZE = 640, 360
_MIN_FRAMES = 4
_MIN_EDGE_STRENGTH, _MAX_STILL_DEVIATION = 120.0, 3.5
_MIN_STILL_PIXELS_DIRECT, _MAX_STILL_PIXELS_FILMED = 200, 100
# Mean change from frame to frame below which the whole picture is still, so that sway cannot be measured.
_MIN_MOTION = 1.5
_MAX_SHAKE_PIXELS = 28
_MIN_BUG_MATCH_SCORE = 0.5
# Least number of frames in which the bug must be found again to count as present: a hand moves it out of some.
_MIN_FRAMES_WITH_BUG = 2
# In this share of a direct recording's frames the clock is in its place, with at least this similarity to the one read.
_MIN_IN_PLACE_SHARE, _MIN_CLOCK_MATCH_SCORE = 0.75, 0.35
# Standard deviation below which a box has nothing to match: black, or a bar.
_MAX_FLAT_DEVIATION = 5.0
# Least distance in pixels between the outermost positions of a bug that counts as sway.
_MIN_SWAY_PIXELS = 3

GrayFrames = npt.NDArray[np.float32]


@dataclass(frozen=True)
class FilmedScreenResult:
    """`still_pixels` counts the pixels of the largest region with edges that do not move, `frames_with_bug` the frames
    in which the bug was found again near its place, and `sway_pixels` how far apart those positions are.
    """

    is_filmed: bool | None
    still_pixels: int
    frames_with_bug: int
    sway_pixels: int
    motion: float

    def __str__(self) -> str:
        found = f"bug found in {self.frames_with_bug} frames {self.sway_pixels} px apart"
        return f"still edges {self.still_pixels} px, {found}, motion {self.motion:.1f}"


UNKNOWN = FilmedScreenResult(None, 0, 0, 0, 0.0)


def detect_filmed_screen(
    frames: Sequence[Frame], bug: RelativeBox | None, clock_box: RelativeBox | None, clock_frame: Frame | None
) -> FilmedScreenResult:
    """`bug` is the box in which a clock was seen to run; the clock's text is in `clock_box` of the frame `clock_frame`.
    Without it, or if these frames do not show it, the result is unknown: what is still or sways there may be the
    watermark of whoever posted the clip, or a replay. For the same reason a recording is direct only if the clock
    itself stays in place.
    """
    if len(frames) < _MIN_FRAMES or bug is None or clock_box is None or clock_frame is None:
        return UNKNOWN
    grays = np.stack([_to_gray(frame) for frame in frames])
    motion = float(np.abs(np.diff(grays, axis=0)).mean())
    inside = _intersect_boxes(bug, _find_picture_area(grays))
    in_margin = inside.width * inside.height < bug.width * bug.height / 2
    if in_margin or _match_bug(grays, inside, _to_gray(clock_frame))[0] < _MIN_FRAMES_WITH_BUG:
        return replace(UNKNOWN, motion=motion)
    still = _measure_largest_still(grays, inside)
    present, sway = _track_bug(grays, inside, thorough=still < _MIN_STILL_PIXELS_DIRECT)
    filmed = None if motion < _MIN_MOTION else _decide_filmed(still, present, sway, len(frames))
    if filmed is False and _count_in_place(grays, clock_box, _to_gray(clock_frame)) < _MIN_IN_PLACE_SHARE * len(grays):
        filmed = None
    return FilmedScreenResult(filmed, still, present, sway, motion)


def _decide_filmed(still: int, present: int, sway: int, frames: int) -> bool | None:
    """Small and pale bugs have few edges: they are direct if they are in every frame and never move by a pixel."""
    if still >= _MIN_STILL_PIXELS_DIRECT or (present == frames and sway == 0):
        return False
    return True if present >= frames - 2 and sway >= _MIN_SWAY_PIXELS and still < _MAX_STILL_PIXELS_FILMED else None


def _to_gray(frame: Frame) -> GrayFrames:
    small = cv2.resize(frame.pixels, _ANALYSIS_SIZE, interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_RGB2GRAY).astype(np.float32)


def _measure_largest_still(grays: GrayFrames, within: RelativeBox) -> int:
    mean = grays.mean(axis=0)
    edges = np.hypot(cv2.Sobel(mean, cv2.CV_32F, 1, 0), cv2.Sobel(mean, cv2.CV_32F, 0, 1))
    still = ((edges > _MIN_EDGE_STRENGTH) & (grays.std(axis=0) < _MAX_STILL_DEVIATION)).astype(np.uint8)
    area = np.zeros_like(still)
    rows, columns = _pixel_slices(within)
    area[rows, columns] = still[rows, columns]
    closed = cv2.morphologyEx(area, cv2.MORPH_CLOSE, np.ones((5, 9), np.uint8))
    count, _, facts, _ = cv2.connectedComponentsWithStats(closed)
    return int(facts[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0


def _count_in_place(grays: GrayFrames, line: RelativeBox, shown: npt.NDArray[np.float32]) -> int:
    """Count the frames in which the clock is in its place, to the pixel; its digits change, which lowers the
    similarity.
    """
    rows, columns = _pixel_slices(line)
    template = shown[rows, columns]
    around = slice(max(0, rows.start - 1), rows.stop + 1), slice(max(0, columns.start - 1), columns.stop + 1)
    scores = (cv2.minMaxLoc(cv2.matchTemplate(gray[around], template, cv2.TM_CCOEFF_NORMED))[1] for gray in grays)
    return sum(score > _MIN_CLOCK_MATCH_SCORE for score in scores)


def _find_picture_area(grays: GrayFrames) -> RelativeBox:
    """Return the picture without uniform margins added around it."""
    mean, change = grays.mean(axis=0), grays.std(axis=0)
    margins = []
    for axis in (1, 0):
        plain = (mean.std(axis=axis) < _MAX_FLAT_DEVIATION) & (change.mean(axis=axis) < _MAX_STILL_DEVIATION)
        picture = np.flatnonzero(~plain)
        first, last = (picture[0], picture[-1] + 1) if picture.size else (0, plain.size)
        margins.append((first / plain.size, last / plain.size))
    (top, bottom), (left, right) = margins
    return RelativeBox(float(left), float(top), float(right), float(bottom))


def _intersect_boxes(box: RelativeBox, picture: RelativeBox) -> RelativeBox:
    left, top = max(box.left, picture.left), max(box.top, picture.top)
    return RelativeBox(left, top, max(left, min(box.right, picture.right)), max(top, min(box.bottom, picture.bottom)))


def _track_bug(grays: GrayFrames, bug: RelativeBox, *, thorough: bool) -> tuple[int, int]:
    """Count the frames in which the bug is in its place or within a hand's shake of it; cuts and replays hide it. A bug
    in a corner is cut off where the hand moved it outwards, so the best of several frames is the template for the
    others.
    """
    middle = len(grays) // 2
    asked = (0, middle, len(grays) - 2) if thorough else (middle,)
    return max((_match_bug(grays, bug, grays[at]) for at in asked), key=lambda found: found[0])


def _match_bug(grays: GrayFrames, bug: RelativeBox, asked: npt.NDArray[np.float32]) -> tuple[int, int]:
    rows, columns = _pixel_slices(bug)
    template = asked[rows, columns]
    if template.std() < _MAX_FLAT_DEVIATION:
        return 0, 0
    around = (
        slice(max(0, rows.start - _MAX_SHAKE_PIXELS), min(_ANALYSIS_SIZE[1], rows.stop + _MAX_SHAKE_PIXELS)),
        slice(max(0, columns.start - _MAX_SHAKE_PIXELS), min(_ANALYSIS_SIZE[0], columns.stop + _MAX_SHAKE_PIXELS)),
    )
    matches = (cv2.minMaxLoc(cv2.matchTemplate(gray[around], template, cv2.TM_CCOEFF_NORMED)) for gray in grays)
    places = [place for _, score, _, place in matches if score > _MIN_BUG_MATCH_SCORE]
    return len(places), int(np.ptp(places, axis=0).max()) if places else 0


def _pixel_slices(box: RelativeBox) -> tuple[slice, slice]:
    left, top = int(box.left * _ANALYSIS_SIZE[0]), int(box.top * _ANALYSIS_SIZE[1])
    right, bottom = int(box.right * _ANALYSIS_SIZE[0]) + 1, int(box.bottom * _ANALYSIS_SIZE[1]) + 1
    return slice(top, max(bottom, top + 8)), slice(left, max(right, left + 8))
