"""Measures how much of a picture looks like a pitch."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from found_footy.vision.frames import Pixels

_ANALYSIS_SIZE = 320, 180
_MIN_GREEN_HSV, _MAX_GREEN_HSV = (30, 40, 30), (85, 255, 255)
_TOP_THIRD_ROWS = 60
_MIN_LINE_BRIGHTNESS, _MAX_LINE_SATURATION = 25, 110

Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class PitchFeatures:
    """Shares from 0 to 1: green overall, green below the top third, the largest green area, pale lines within it."""

    green_share: float
    lower_green_share: float
    largest_area_share: float
    line_share: float

    @property
    def vector(self) -> tuple[float, float, float, float]:
        return self.green_share, self.lower_green_share, self.largest_area_share, self.line_share


def measure_pitch(picture: Pixels) -> PitchFeatures:
    small = cv2.resize(picture, _ANALYSIS_SIZE, interpolation=cv2.INTER_AREA)
    hsv = cv2.cvtColor(small, cv2.COLOR_RGB2HSV)
    inside = cv2.inRange(hsv, np.array(_MIN_GREEN_HSV, np.uint8), np.array(_MAX_GREEN_HSV, np.uint8)) // 255
    green = cv2.morphologyEx(inside, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(green)
    shares = float(green.mean()), float(green[_TOP_THIRD_ROWS:].mean())
    if count < 2:
        return PitchFeatures(*shares, 0.0, 0.0)
    largest = (labels == 1 + int(facts[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8)
    return PitchFeatures(
        *shares,
        float(largest.mean()),
        _measure_line_share(np.asarray(small, np.uint8), np.asarray(hsv, np.uint8), largest),
    )


def _measure_line_share(small: Pixels, hsv: Mask, area: Mask) -> float:
    hull = np.zeros_like(area)
    cv2.fillConvexPoly(hull, cv2.convexHull(cv2.findNonZero(area)), [1])
    gray = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    thin = cv2.morphologyEx(gray, cv2.MORPH_TOPHAT, np.ones((7, 7), np.uint8))
    pale = (thin > _MIN_LINE_BRIGHTNESS) & (hsv[..., 1] < _MAX_LINE_SATURATION) & (hull > 0)
    return float(pale.sum() / max(1, int(hull.sum())))
