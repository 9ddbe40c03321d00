"""Wide, slow shots of a pitch that pan alike: one path of the camera, and another play or another stadium under it.

Two recordings of different plays share the ground: chalk, mown stripes, boards, stands. Where two operators follow two
plays at about the same speed, the ground moves through both pictures in about the same way.
"""

from dataclasses import dataclass

import numpy as np

from found_footy_sim.media.clip_spec import ClipScene, SceneKind, TeamKit
from found_footy_sim.media.stadium.camera import CameraLens, FloatArray, build_cameras
from found_footy_sim.media.stadium.stadium_view import StadiumView
from tests.support.fingerprint.scenes import Film

MAIN_CAMERA = 1
AWAY = TeamKit("AWA", "#f4f4f4", "#101820")
SHIRTS = ("#c8102e", "#0b1f4b", "#fde100", "#1b7f3b", "#7a263a", "#6cabdd")


@dataclass(frozen=True)
class Pan:
    """`stadium` is where it is, `path` how the camera moves and `play` what happens, also in the operator's hand:
    `unrest` is how far, as a share of the picture's width, two operators on one path are apart.
    """

    stadium: int
    path: int
    play: int
    seconds: float = 8.0
    unrest: float = 0.03
    width: int = 256
    height: int = 144
    fps: int = 8

    def film(self) -> Film:
        home = TeamKit(f"S{self.stadium:02d}", SHIRTS[self.stadium % len(SHIRTS)], "#101820")
        scene = ClipScene(
            SceneKind.GOAL,
            home,
            AWAY,
            duration=self.seconds,
            moment=0.95,
            width=self.width,
            height=self.height,
            fps=self.fps,
            seed=self.play,
            design="none",
        )
        stage = StadiumView(scene, build_cameras(attack_right=True)[MAIN_CAMERA])
        pictures = (stage.draw_frame(window, number) for number, window in enumerate(self._windows(stage.lens)))
        return Film(np.stack([np.asarray(picture.convert("L")) for picture in pictures]), self.fps)

    def _windows(self, lens: CameraLens) -> FloatArray:
        """Left, top, right, bottom per frame: the path, with what this operator makes of it."""
        path, hand = np.random.default_rng([self.path, 31]), np.random.default_rng([self.play, self.stadium, 32])
        times = np.arange(round(self.seconds * self.fps)) / self.fps
        width = np.radians(lens.camera.wide * path.uniform(0.7, 0.95) * hand.uniform(0.93, 1.07)) * lens.focal
        height = width * self.height / self.width
        speed = path.choice([-1, 1]) * path.uniform(0.04, 0.12) * hand.uniform(0.9, 1.1)
        along = speed * times + self.unrest * _sway(hand, times)
        reach = max(0.0, lens.size[0] / width - 1 - np.ptp(along))
        left = np.clip((path.uniform(0, 1) * reach - along.min() + along) * width, 0, lens.size[0] - width - 1)
        spare = max(0.0, lens.size[1] - height - 1)
        level = path.uniform(0.4, 0.8) * spare / height + hand.uniform(-0.04, 0.04)
        top = np.clip((level + self.unrest * _sway(hand, times) / 2) * height, 0, spare)
        return np.stack([left, top, left + width, top + height], axis=1)


def _sway(hand: np.random.Generator, times: FloatArray) -> FloatArray:
    """Slow, uneven and never the same, about 1 in size."""
    rates, starts = hand.uniform(0.6, 4.5, (1, 5)), hand.uniform(0, 2 * np.pi, (1, 5))
    sway: FloatArray = (np.sin(times[:, None] * rates + starts) / np.sqrt(rates)).mean(axis=1) * 2
    return sway
