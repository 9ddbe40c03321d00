"""Camera positions, and the projection of the pitch into their pictures.

The whole surroundings are drawn once, as a cylinder around the camera; a frame is a window cut out of it. So a pan is a
rotation, as on television, and costs no drawing.
"""

from dataclasses import dataclass, replace
from math import pi, radians

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

PITCH_LENGTH, PITCH_WIDTH = 105.0, 68.0


@dataclass(frozen=True)
class PitchCamera:
    """Position on the pitch and height above it in metres, heading, and field of view.

    Heading 0 looks across the pitch from the main stand, positive turns right. `wide` and `tight` are the widest and
    narrowest view in degrees, `above` and `below` how far the drawing reaches from the horizon, as slopes.
    """

    x: float
    y: float
    height: float
    heading: float
    sweep: tuple[float, float]
    wide: float
    tight: float
    above: float
    below: float


def build_cameras(attack_right: bool) -> dict[int, PitchCamera]:
    """By angle: 1 is in the main stand, 2 low near the corner, 3 behind the attacked goal, 4 high in the opposite stand
    and 5 low on the opposite side; 6 is another broadcaster's, ten metres beside 1, and pans as that does.
    """
    side = 1.0 if attack_right else -1.0
    sweep = (-24.0, 56.0) if attack_right else (-56.0, 24.0)
    corner = (-56.0, 44.0) if attack_right else (-44.0, 56.0)
    across = (-36.0, 44.0) if attack_right else (-44.0, 36.0)
    middle = PITCH_LENGTH / 2
    main = PitchCamera(middle, -42.0, 19.0, 0.0, sweep, 33.0, 22.0, 0.05, 0.46)
    return {
        1: main,
        2: PitchCamera(middle + side * 34.0, -16.0, 6.5, 0.0, corner, 44.0, 30.0, 0.20, 0.44),
        3: PitchCamera(
            middle + side * 82.0, PITCH_WIDTH / 2 - 9.0, 7.0, -side * 90.0, (-42.0, 42.0), 44.0, 33.0, 0.16, 0.50
        ),
        4: PitchCamera(
            middle + side * 10.0, PITCH_WIDTH + 40.0, 16.0, 180.0, (-across[1], -across[0]), 35.0, 25.0, 0.07, 0.42
        ),
        5: PitchCamera(
            middle + side * 22.0, PITCH_WIDTH + 15.0, 5.0, 180.0, (-corner[1], -corner[0]), 46.0, 34.0, 0.20, 0.42
        ),
        6: replace(main, x=main.x + 10.0, y=main.y - 3.0, height=main.height + 2.0),
    }


@dataclass(frozen=True)
class CameraLens:
    """A camera at a picture size: converts metres to pixels of the drawn cylinder."""

    camera: PitchCamera
    width: int
    height: int

    @property
    def focal(self) -> float:
        """Pixels per radian: the narrowest view is drawn at three quarters of the picture's own resolution."""
        return 0.72 * self.width / radians(self.camera.tight)

    @property
    def left(self) -> float:
        return radians(self.camera.sweep[0]) * self.focal

    @property
    def top(self) -> float:
        return -self.camera.above * self.focal

    @property
    def size(self) -> tuple[int, int]:
        first, last = self.camera.sweep
        return int(radians(last - first) * self.focal), int((self.camera.above + self.camera.below) * self.focal)

    def ground_rays(self) -> tuple[FloatArray, FloatArray]:
        """Unit directions on the ground, one per column."""
        columns = (np.arange(self.size[0]) + 0.5 + self.left) / self.focal + radians(self.camera.heading)
        return np.sin(columns), np.cos(columns)

    def project(self, x: FloatArray, y: FloatArray, z: FloatArray | float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Column, row and distance of points in space."""
        across, along = x - self.camera.x, y - self.camera.y
        distance = np.hypot(across, along)
        turn = np.arctan2(across, along) - radians(self.camera.heading)
        turn = (turn + pi) % (2 * pi) - pi
        return (
            turn * self.focal - self.left,
            self.focal * (self.camera.height - z) / distance - self.top,
            distance,
        )

    def pixels_per_metre(self, distance: FloatArray) -> FloatArray:
        """Pixels of an upright metre at this distance."""
        return self.focal / distance
