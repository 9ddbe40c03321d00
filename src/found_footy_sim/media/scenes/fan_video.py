"""A goal as filmed from the stands: no score bug, heads in front, and a phone that shakes with its owner."""

from collections.abc import Iterator
from functools import lru_cache
from math import sin

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageEnhance

from found_footy_sim.media.clip_spec import ClipScene
from found_footy_sim.media.editing.phone_capture import generate_hand_motion
from found_footy_sim.media.stadium.camera import PITCH_LENGTH, PITCH_WIDTH, FloatArray, PitchCamera
from found_footy_sim.media.stadium.camera_pan import compute_pan_windows
from found_footy_sim.media.stadium.stadium_view import StadiumView

_COAT_COLOURS = ((26, 28, 36), (58, 22, 28), (30, 44, 66), (70, 66, 60), (18, 18, 20), (52, 58, 50))


def render_fan_video(scene: ClipScene) -> Iterator[Image.Image]:
    stage = StadiumView(scene, choose_seat(scene), noise=0.075)
    seen = compute_pan_windows(stage.lens, stage.play, scene) + _shake_offsets(scene, stage)
    seen = _clamp_windows(seen, stage.lens.size)
    people = _draw_spectators((scene.width, scene.height), scene.seed)
    goal = scene.moment * scene.duration
    for number in range(len(seen)):
        picture = ImageEnhance.Brightness(stage.draw_frame(seen[number], number)).enhance(1.08)
        for index, (sprite, x, y) in enumerate(people):
            wild = number / scene.fps > goal + 0.2
            hop = sin(number / scene.fps * (7 if wild else 1.3) + index * 1.7) * (0.05 if wild else 0.006)
            corner = round(x * scene.width - sprite.width / 2), round((y - abs(hop)) * scene.height)
            picture.paste(sprite, corner, sprite)
        yield picture


def choose_seat(scene: ClipScene) -> PitchCamera:
    """The position of the phone: in one of the stands, high or low."""
    dice = np.random.default_rng([scene.seed, scene.angle, 21])
    side = 1.0 if scene.scorer_home else -1.0
    height = float(dice.uniform(9.0, 20.0))
    upright = scene.height > scene.width
    wide, tight = (27.0, 21.0) if upright else (52.0, 40.0)
    above, below = (0.34, 0.62) if upright else (0.20, 0.48)
    stand = int(dice.integers(3))
    if stand == 2:
        x = PITCH_LENGTH / 2 + side * float(dice.uniform(74, 88))
        y, heading = PITCH_WIDTH / 2 + float(dice.uniform(-18, 18)), -side * 90.0
    else:
        x = PITCH_LENGTH / 2 + side * float(dice.uniform(2, 34))
        y, heading = (
            (-float(dice.uniform(20, 38)), 0.0) if stand == 0 else (PITCH_WIDTH + float(dice.uniform(20, 38)), 180.0)
        )
    return PitchCamera(x, y, height, heading, (-58.0, 58.0), wide, tight, above, below)


def _shake_offsets(scene: ClipScene, stage: StadiumView) -> FloatArray:
    """The sway of the arm, and leaps after the goal."""
    hand_motion = generate_hand_motion(scene.seed)
    times = np.arange(len(stage.play.ball)) / scene.fps
    leap = np.where(times > scene.moment * scene.duration + 0.2, 2.6, 1.0)
    unit = stage.lens.focal * np.radians(stage.lens.camera.tight)
    x, y = (np.array([hand_motion.shift_at(axis, float(at)) for at in times]) * leap * unit for axis in (0, 1))
    return np.stack([x, y, x, y], axis=1)


def _clamp_windows(seen: FloatArray, size: tuple[int, int]) -> FloatArray:
    """The same windows, moved back inside the drawing."""
    left = np.clip(seen[:, 0], 0, np.maximum(0, size[0] - (seen[:, 2] - seen[:, 0])))
    top = np.clip(seen[:, 1], 0, np.maximum(0, size[1] - (seen[:, 3] - seen[:, 1])))
    return np.stack([left, top, left + seen[:, 2] - seen[:, 0], top + seen[:, 3] - seen[:, 1]], axis=1)


@lru_cache(maxsize=8)
def _draw_spectators(size: tuple[int, int], seed: int) -> tuple[tuple[Image.Image, float, float], ...]:
    """The spectators in front, with positions as shares of the picture."""
    dice = np.random.default_rng([seed, 22])
    count = int(dice.integers(3, 8))
    tall = min(size) * float(dice.uniform(0.16, 0.28))
    places = (np.arange(count) + dice.uniform(0.2, 0.8, count)) / count
    return tuple(
        (_draw_head(round(tall * dice.uniform(0.8, 1.2)), dice), float(x), float(dice.uniform(0.84, 0.95)))
        for x in places
    )


def _draw_head(tall: int, dice: np.random.Generator) -> Image.Image:
    """From behind: hair or a cap, and shoulders."""
    sprite = Image.new("RGBA", (tall, tall))
    draw = ImageDraw.Draw(sprite)
    coat: NDArray[np.int64] = np.array(_COAT_COLOURS[dice.integers(len(_COAT_COLOURS))])
    hair = tuple(int(v) for v in dice.integers(12, 60) * np.array([1.0, 0.85, 0.7]))
    draw.rounded_rectangle((tall * 0.05, tall * 0.55, tall * 0.95, tall * 1.3), tall // 5, fill=(*coat.tolist(), 255))
    draw.ellipse((tall * 0.28, tall * 0.05, tall * 0.72, tall * 0.62), fill=(*hair, 255))
    return sprite
