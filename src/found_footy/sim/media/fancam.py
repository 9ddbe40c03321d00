"""A goal as somebody in the stands filmed it: no score bug, heads in front, and a phone that jumps with its owner."""

from collections.abc import Iterator
from functools import lru_cache
from math import sin

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageEnhance

from found_footy.sim.media.camera import LENGTH, WIDTH, Camera, Floats
from found_footy.sim.media.filming import hand
from found_footy.sim.media.pan import windows
from found_footy.sim.media.spec import Scene
from found_footy.sim.media.stage import Stage

_COATS = ((26, 28, 36), (58, 22, 28), (30, 44, 66), (70, 66, 60), (18, 18, 20), (52, 58, 50))


def fan_cam(scene: Scene) -> Iterator[Image.Image]:
    stage = Stage(scene, seat(scene), grain=0.075)
    seen = windows(stage.lens, stage.play, scene) + _shake(scene, stage)
    seen = _inside(seen, stage.lens.size)
    people = _people((scene.width, scene.height), scene.seed)
    goal = scene.moment * scene.duration
    for number in range(len(seen)):
        picture = ImageEnhance.Brightness(stage.picture(seen[number], number)).enhance(1.08)
        for index, (sprite, x, y) in enumerate(people):
            wild = number / scene.fps > goal + 0.2
            hop = sin(number / scene.fps * (7 if wild else 1.3) + index * 1.7) * (0.05 if wild else 0.006)
            corner = round(x * scene.width - sprite.width / 2), round((y - abs(hop)) * scene.height)
            picture.paste(sprite, corner, sprite)
        yield picture


def seat(scene: Scene) -> Camera:
    """Where the phone is: in one of the stands, high or low."""
    dice = np.random.default_rng([scene.seed, scene.angle, 21])
    side = 1.0 if scene.scorer_home else -1.0
    height = float(dice.uniform(9.0, 20.0))
    upright = scene.height > scene.width
    wide, tight = (27.0, 21.0) if upright else (52.0, 40.0)
    above, below = (0.34, 0.62) if upright else (0.20, 0.48)
    stand = int(dice.integers(3))
    if stand == 2:
        x = LENGTH / 2 + side * float(dice.uniform(74, 88))
        y, heading = WIDTH / 2 + float(dice.uniform(-18, 18)), -side * 90.0
    else:
        x = LENGTH / 2 + side * float(dice.uniform(2, 34))
        y, heading = (-float(dice.uniform(20, 38)), 0.0) if stand == 0 else (WIDTH + float(dice.uniform(20, 38)), 180.0)
    return Camera(x, y, height, heading, (-58.0, 58.0), wide, tight, above, below)


def _shake(scene: Scene, stage: Stage) -> Floats:
    """The arm's sway, and leaps once it is in."""
    held = hand(scene.seed)
    times = np.arange(len(stage.play.ball)) / scene.fps
    leap = np.where(times > scene.moment * scene.duration + 0.2, 2.6, 1.0)
    unit = stage.lens.focal * np.radians(stage.lens.camera.tight)
    x, y = (np.array([held.shift(axis, float(at)) for at in times]) * leap * unit for axis in (0, 1))
    return np.stack([x, y, x, y], axis=1)


def _inside(seen: Floats, size: tuple[int, int]) -> Floats:
    """The same windows, moved back to where there is something to see."""
    left = np.clip(seen[:, 0], 0, np.maximum(0, size[0] - (seen[:, 2] - seen[:, 0])))
    top = np.clip(seen[:, 1], 0, np.maximum(0, size[1] - (seen[:, 3] - seen[:, 1])))
    return np.stack([left, top, left + seen[:, 2] - seen[:, 0], top + seen[:, 3] - seen[:, 1]], axis=1)


@lru_cache(maxsize=8)
def _people(size: tuple[int, int], seed: int) -> tuple[tuple[Image.Image, float, float], ...]:
    """Who sits in front, with places as shares of the picture."""
    dice = np.random.default_rng([seed, 22])
    count = int(dice.integers(3, 8))
    tall = min(size) * float(dice.uniform(0.16, 0.28))
    places = (np.arange(count) + dice.uniform(0.2, 0.8, count)) / count
    return tuple(
        (_head(round(tall * dice.uniform(0.8, 1.2)), dice), float(x), float(dice.uniform(0.84, 0.95))) for x in places
    )


def _head(tall: int, dice: np.random.Generator) -> Image.Image:
    """From behind: hair or a cap, and shoulders."""
    sprite = Image.new("RGBA", (tall, tall))
    draw = ImageDraw.Draw(sprite)
    coat: NDArray[np.int64] = np.array(_COATS[dice.integers(len(_COATS))])
    hair = tuple(int(v) for v in dice.integers(12, 60) * np.array([1.0, 0.85, 0.7]))
    draw.rounded_rectangle((tall * 0.05, tall * 0.55, tall * 0.95, tall * 1.3), tall // 5, fill=(*coat.tolist(), 255))
    draw.ellipse((tall * 0.28, tall * 0.05, tall * 0.72, tall * 0.62), fill=(*hair, 255))
    return sprite
