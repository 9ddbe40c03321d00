"""Replays: the goal again, slowly and from another side, behind a wipe and without a score bug."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw

from found_footy.sim.media.camera import cameras
from found_footy.sim.media.faces import face
from found_footy.sim.media.pan import windows
from found_footy.sim.media.spec import Scene
from found_footy.sim.media.stage import Stage
from found_footy.sim.media.styles import PLAIN, Style, style_of

WIPE = 0.7
_LONGEST = 7.0
_ANGLES = 5


def replays(scene: Scene, seconds: float) -> Iterator[Image.Image]:
    """As many frames as `seconds` need: one camera, or two after each other if there is time."""
    cuts = 1 if seconds <= _LONGEST else 2
    frames = round(seconds * scene.fps)
    for part in range(cuts):
        yield from _slowly(scene, frames * (part + 1) // cuts - frames * part // cuts, part + 1)


def whole(scene: Scene) -> Iterator[Image.Image]:
    """A clip that is nothing but the replay, from one wipe to the next."""
    frames = round(scene.duration * scene.fps)
    for number, picture in enumerate(replays(scene, scene.duration)):
        at, left = number / scene.fps, (frames - number) / scene.fps
        yield wiped(picture, scene, max(at / WIPE + 0.5, 1.5 - left / WIPE - 1.0 if left < WIPE / 2 else 0.0))


def wiped(picture: Image.Image, scene: Scene, progress: float) -> Image.Image:
    """A slanted field that runs across: away to the left at 0, over everything at a half, gone to the right at 1."""
    if not 0.0 < progress < 1.0:
        return picture
    style = _dress(scene)
    width, height = picture.size
    slant, breadth = height * 0.5, width * 1.5
    left = -breadth - slant + (width + breadth + slant) * progress
    draw = ImageDraw.Draw(picture)
    for ink, shift, wide in ((style.score, 0.0, breadth), (style.clock, breadth * 0.16, breadth * 0.68)):
        start = left + shift
        shape = [(start + slant, 0), (start + slant + wide, 0), (start + wide, height), (start, height)]
        draw.polygon(shape, fill=ink.paper)
    letters = face(style.letters, max(12, height // 8))
    draw.text((left + slant / 2 + breadth / 2, height / 2), "REPLAY", style.clock.ink, letters, anchor="mm")
    return picture


def _dress(scene: Scene) -> Style:
    return style_of(scene.design if scene.design in PLAIN else "bar", scene.style)


def _slowly(scene: Scene, frames: int, part: int) -> Iterator[Image.Image]:
    dice = np.random.default_rng([scene.seed, scene.angle, part, 9])
    slow = float(dice.uniform(0.35, 0.6))
    angle = (scene.angle + part - 1) % _ANGLES + 1
    closely = replace(scene, fps=round(scene.fps / slow), angle=angle)
    stage = Stage(closely, cameras(scene.scorer_home)[angle])
    seen = windows(stage.lens, stage.play, closely)
    goal = round(scene.moment * scene.duration * closely.fps)
    first = max(0, goal - round(frames * float(dice.uniform(0.55, 0.8))))
    for number in range(first, first + frames):
        shown = min(number, len(seen) - 1)
        yield stage.picture(seen[shown], shown)
