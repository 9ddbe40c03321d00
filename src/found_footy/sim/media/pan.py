"""The operator behind the camera: what of the surroundings is in the picture, frame by frame."""

from dataclasses import dataclass

import numpy as np

from found_footy.sim.media.camera import LENGTH, Floats, Lens
from found_footy.sim.media.play import SCORER, Play
from found_footy.sim.media.spec import Scene


@dataclass(frozen=True)
class Operator:
    """Everybody follows the ball in their own way.

    `lead` and `level` are where in the picture they keep it, `calm` how slowly they follow, in seconds; `wider` and
    `closer` how much they show before the goal and after it, against what the camera is made for; `turns` when they
    leave the ball for the scorer, and `unrest` how much the picture moves without need, as a share of its width.
    """

    lead: float
    level: float
    calm: float
    wider: float
    closer: float
    turns: float
    unrest: float


def operator(scene: Scene) -> Operator:
    dice = np.random.default_rng([scene.seed, scene.angle, 5])
    return Operator(
        lead=float(dice.uniform(-0.07, 0.07)),
        level=float(dice.uniform(0.50, 0.60)),
        calm=float(dice.uniform(0.35, 0.75)),
        wider=float(dice.uniform(0.92, 1.18)),
        closer=float(dice.uniform(0.82, 1.25)),
        turns=float(dice.uniform(0.5, 1.3)),
        unrest=float(dice.uniform(0.003, 0.008)),
    )


def windows(lens: Lens, play: Play, scene: Scene) -> Floats:
    """The cut-out of the surroundings per frame: left, top, right, bottom. It follows the ball, then the scorer."""
    hand = operator(scene)
    frames, fps = len(play.ball), scene.fps
    since = np.arange(frames) / fps - scene.moment * scene.duration
    after = np.clip((since - hand.turns) / 1.6, 0, 1)
    after = after * after * (3 - 2 * after)
    subject = play.ball[:, :2] + (play.attack[:, SCORER] - play.ball[:, :2]) * after[:, None]
    column, row, _ = lens.project(subject[:, 0], subject[:, 1], 0.8)
    column, row = _steady(column, fps * hand.calm), _steady(row, fps * hand.calm * 1.3)
    width = _widths(lens, subject, after, hand, fps)
    height = width * scene.height / scene.width
    over = np.minimum(1.0, (lens.size[1] - 2.0) / height)
    width, height = width * over, height * over
    sway = _sway(scene, frames) * hand.unrest * width[:, None]
    left = np.clip(column - width * (0.5 + hand.lead) + sway[:, 0], 0, lens.size[0] - width)
    top = np.clip(row - height * hand.level + sway[:, 1], 0, lens.size[1] - height)
    return np.stack([left, top, left + width, top + height], axis=1)


def _widths(lens: Lens, subject: Floats, after: Floats, hand: Operator, fps: int) -> Floats:
    """Wide in midfield, tighter near the goal, and as tight as this operator likes it on the scorer."""
    near = np.clip((np.abs(subject[:, 0] - LENGTH / 2) - 18) / 26, 0, 1)
    wide, tight = lens.camera.wide * hand.wider, lens.camera.tight * max(1.0, hand.wider)
    view = wide + (tight - wide) * near
    view += (lens.camera.tight * hand.closer - view) * after
    return np.minimum(np.radians(_steady(view, fps * 0.6)) * lens.focal, lens.size[0] - 2.0)


def _sway(scene: Scene, frames: int) -> Floats:
    """Slow, uneven and never the same, about 1 in size."""
    dice = np.random.default_rng([scene.seed, scene.angle, 6])
    times = np.arange(frames)[:, None, None] / scene.fps
    rates, starts = dice.uniform(0.6, 4.5, (1, 2, 5)), dice.uniform(0, 2 * np.pi, (1, 2, 5))
    sway: Floats = (np.sin(times * rates + starts) / np.sqrt(rates)).mean(axis=2) * 2
    return sway


def _steady(values: Floats, frames: float) -> Floats:
    """Two passes of a moving average."""
    reach = max(1, round(frames))
    for _ in range(2):
        padded = np.concatenate([np.full(reach, values[0]), values, np.full(reach, values[-1])])
        total = np.cumsum(np.concatenate([[0.0], padded]))
        values = (total[2 * reach :] - total[: -2 * reach])[: len(values)] / (2 * reach)
    return values
