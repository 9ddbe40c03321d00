"""How much of a picture looks like a pitch."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from found_footy.vision.frames import Pixels

_SIZE = 320, 180
_LOW, _HIGH = (30, 40, 30), (85, 255, 255)
_SKY_ROWS = 60
_BRIGHTER, _PALER = 25, 110

Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Pitch:
    """Shares from 0 to 1: green in all, green below the top third, the largest green area, pale lines within it."""

    green: float
    low_green: float
    largest: float
    lines: float

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        return self.green, self.low_green, self.largest, self.lines


def measure(picture: Pixels) -> Pitch:
    small = cv2.resize(picture, _SIZE, interpolation=cv2.INTER_AREA)
    hsv = cv2.cvtColor(small, cv2.COLOR_RGB2HSV)
    inside = cv2.inRange(hsv, np.array(_LOW, np.uint8), np.array(_HIGH, np.uint8)) // 255
    green = cv2.morphologyEx(inside, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(green)
    shares = float(green.mean()), float(green[_SKY_ROWS:].mean())
    if count < 2:
        return Pitch(*shares, 0.0, 0.0)
    largest = (labels == 1 + int(facts[1:, cv2.CC_STAT_AREA].argmax())).astype(np.uint8)
    return Pitch(
        *shares, float(largest.mean()), _lines(np.asarray(small, np.uint8), np.asarray(hsv, np.uint8), largest)
    )


def _lines(small: Pixels, hsv: Mask, area: Mask) -> float:
    hull = np.zeros_like(area)
    cv2.fillConvexPoly(hull, cv2.convexHull(cv2.findNonZero(area)), [1])
    gray = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    thin = cv2.morphologyEx(gray, cv2.MORPH_TOPHAT, np.ones((7, 7), np.uint8))
    pale = (thin > _BRIGHTER) & (hsv[..., 1] < _PALER) & (hull > 0)
    return float(pale.sum() / max(1, int(hull.sum())))
