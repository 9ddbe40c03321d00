"""The camera operator: which window of the surroundings each frame shows."""

from dataclasses import dataclass

import numpy as np

from found_footy_sim.media.clip_spec import ClipScene
from found_footy_sim.media.play.choreography import SCORER_INDEX, PlayPositions
from found_footy_sim.media.stadium.camera import PITCH_LENGTH, CameraLens, FloatArray


@dataclass(frozen=True)
class CameraOperator:
    """How one operator follows the ball.

    `horizontal_offset` and `vertical_share` are where in the picture the ball is kept, `smoothing_seconds` how slowly
    the camera follows; `wide_factor` and `close_factor` the width shown before and after the goal, relative to the
    camera's own; `follow_scorer_after` when the camera leaves the ball for the scorer, and `sway_share` how much the
    picture moves without need, as a share of its width.
    """

    horizontal_offset: float
    vertical_share: float
    smoothing_seconds: float
    wide_factor: float
    close_factor: float
    follow_scorer_after: float
    sway_share: float


def generate_operator(scene: ClipScene) -> CameraOperator:
    dice = np.random.default_rng([scene.seed, scene.angle, 5])
    return CameraOperator(
        horizontal_offset=float(dice.uniform(-0.07, 0.07)),
        vertical_share=float(dice.uniform(0.50, 0.60)),
        smoothing_seconds=float(dice.uniform(0.35, 0.75)),
        wide_factor=float(dice.uniform(0.92, 1.18)),
        close_factor=float(dice.uniform(0.82, 1.25)),
        follow_scorer_after=float(dice.uniform(0.5, 1.3)),
        sway_share=float(dice.uniform(0.003, 0.008)),
    )


def compute_pan_windows(lens: CameraLens, play: PlayPositions, scene: ClipScene) -> FloatArray:
    """The window of the surroundings per frame: left, top, right, bottom. It follows the ball, then the scorer."""
    hand = generate_operator(scene)
    frames, fps = len(play.ball), scene.fps
    since = np.arange(frames) / fps - scene.moment * scene.duration
    after = np.clip((since - hand.follow_scorer_after) / 1.6, 0, 1)
    after = after * after * (3 - 2 * after)
    subject = play.ball[:, :2] + (play.attack[:, SCORER_INDEX] - play.ball[:, :2]) * after[:, None]
    column, row, _ = lens.project(subject[:, 0], subject[:, 1], 0.8)
    column, row = (
        _smooth_values(column, fps * hand.smoothing_seconds),
        _smooth_values(row, fps * hand.smoothing_seconds * 1.3),
    )
    width = _window_widths(lens, subject, after, hand, fps)
    height = width * scene.height / scene.width
    over = np.minimum(1.0, (lens.size[1] - 2.0) / height)
    width, height = width * over, height * over
    sway = _sway_offsets(scene, frames) * hand.sway_share * width[:, None]
    left = np.clip(column - width * (0.5 + hand.horizontal_offset) + sway[:, 0], 0, lens.size[0] - width)
    top = np.clip(row - height * hand.vertical_share + sway[:, 1], 0, lens.size[1] - height)
    return np.stack([left, top, left + width, top + height], axis=1)


def _window_widths(
    lens: CameraLens, subject: FloatArray, after: FloatArray, hand: CameraOperator, fps: int
) -> FloatArray:
    """Wide in midfield, tighter near the goal, and on the scorer as tight as this operator prefers."""
    near = np.clip((np.abs(subject[:, 0] - PITCH_LENGTH / 2) - 18) / 26, 0, 1)
    wide, tight = lens.camera.wide * hand.wide_factor, lens.camera.tight * max(1.0, hand.wide_factor)
    view = wide + (tight - wide) * near
    view += (lens.camera.tight * hand.close_factor - view) * after
    return np.minimum(np.radians(_smooth_values(view, fps * 0.6)) * lens.focal, lens.size[0] - 2.0)


def _sway_offsets(scene: ClipScene, frames: int) -> FloatArray:
    """Slow, irregular offsets, about 1 in size."""
    dice = np.random.default_rng([scene.seed, scene.angle, 6])
    times = np.arange(frames)[:, None, None] / scene.fps
    rates, starts = dice.uniform(0.6, 4.5, (1, 2, 5)), dice.uniform(0, 2 * np.pi, (1, 2, 5))
    sway: FloatArray = (np.sin(times * rates + starts) / np.sqrt(rates)).mean(axis=2) * 2
    return sway


def _smooth_values(values: FloatArray, frames: float) -> FloatArray:
    """Two passes of a moving average."""
    reach = max(1, round(frames))
    for _ in range(2):
        padded = np.concatenate([np.full(reach, values[0]), values, np.full(reach, values[-1])])
        total = np.cumsum(np.concatenate([[0.0], padded]))
        values = (total[2 * reach :] - total[: -2 * reach])[: len(values)] / (2 * reach)
    return values
