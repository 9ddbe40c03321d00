"""Replays: the goal again, slowly and from another side, behind a wipe and without a score bug."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw

from found_footy_sim.media.clip_spec import ClipScene
from found_footy_sim.media.graphics.bug_styles import PLAIN_STYLES, BugStyle, generate_style
from found_footy_sim.media.graphics.fonts import load_typeface
from found_footy_sim.media.stadium.camera import build_cameras
from found_footy_sim.media.stadium.camera_pan import compute_pan_windows
from found_footy_sim.media.stadium.stadium_view import StadiumView

WIPE_SECONDS = 0.7
_MAX_SINGLE_CAMERA_SECONDS = 7.0
_CAMERA_COUNT = 5


def render_replays(scene: ClipScene, seconds: float) -> Iterator[Image.Image]:
    """As many frames as `seconds` need: one camera, or two after each other if there is time."""
    cuts = 1 if seconds <= _MAX_SINGLE_CAMERA_SECONDS else 2
    frames = round(seconds * scene.fps)
    for part in range(cuts):
        yield from _render_slow_motion(scene, frames * (part + 1) // cuts - frames * part // cuts, part + 1)


def render_replay_clip(scene: ClipScene) -> Iterator[Image.Image]:
    """A clip that is nothing but the replay, from one wipe to the next."""
    frames = round(scene.duration * scene.fps)
    for number, picture in enumerate(render_replays(scene, scene.duration)):
        at, left = number / scene.fps, (frames - number) / scene.fps
        yield draw_wipe(
            picture,
            scene,
            max(at / WIPE_SECONDS + 0.5, 1.5 - left / WIPE_SECONDS - 1.0 if left < WIPE_SECONDS / 2 else 0.0),
        )


def draw_wipe(picture: Image.Image, scene: ClipScene, progress: float) -> Image.Image:
    """A slanted field that moves across: left of the picture at 0, covering it at a half, right of it at 1."""
    if not 0.0 < progress < 1.0:
        return picture
    style = _wipe_style(scene)
    width, height = picture.size
    slant, breadth = height * 0.5, width * 1.5
    left = -breadth - slant + (width + breadth + slant) * progress
    draw = ImageDraw.Draw(picture)
    for ink, shift, wide in ((style.score, 0.0, breadth), (style.clock, breadth * 0.16, breadth * 0.68)):
        start = left + shift
        shape = [(start + slant, 0), (start + slant + wide, 0), (start + wide, height), (start, height)]
        draw.polygon(shape, fill=ink.paper)
    letters = load_typeface(style.letters, max(12, height // 8))
    draw.text((left + slant / 2 + breadth / 2, height / 2), "REPLAY", style.clock.ink, letters, anchor="mm")
    return picture


def _wipe_style(scene: ClipScene) -> BugStyle:
    return generate_style(scene.design if scene.design in PLAIN_STYLES else "bar", scene.style)


def _render_slow_motion(scene: ClipScene, frames: int, part: int) -> Iterator[Image.Image]:
    dice = np.random.default_rng([scene.seed, scene.angle, part, 9])
    slow = float(dice.uniform(0.35, 0.6))
    angle = (scene.angle + part - 1) % _CAMERA_COUNT + 1
    closely = replace(scene, fps=round(scene.fps / slow), angle=angle)
    stage = StadiumView(closely, build_cameras(scene.scorer_home)[angle])
    seen = compute_pan_windows(stage.lens, stage.play, closely)
    goal = round(scene.moment * scene.duration * closely.fps)
    first = max(0, goal - round(frames * float(dice.uniform(0.55, 0.8))))
    for number in range(first, first + frames):
        shown = min(number, len(seen) - 1)
        yield stage.draw_frame(seen[shown], shown)
