"""Lines and goals, drawn large and scaled down, so that thin lines are antialiased."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

from found_footy_sim.media.stadium.camera import PITCH_LENGTH, PITCH_WIDTH, CameraLens, FloatArray

Colour = tuple[int, int, int]

_SUPERSAMPLING = 3
_MIDDLE_Y = PITCH_WIDTH / 2
_GOAL_LOW_Y, _GOAL_HIGH_Y, _CROSSBAR_HEIGHT = _MIDDLE_Y - 3.66, _MIDDLE_Y + 3.66, 2.44
_CHALK_COLOUR, _NET_COLOUR, _POST_COLOUR = (232, 238, 230), (224, 228, 232), (250, 250, 250)


def draw_markings(images: Iterable[Image.Image], lens: CameraLens) -> None:
    """Draw the markings and both goals onto pictures of the surroundings."""
    for image in images:
        for colour, mask in _build_layers(lens):
            image.paste(colour, mask=mask)


@lru_cache(maxsize=12)
def _build_layers(lens: CameraLens) -> tuple[tuple[Colour, Image.Image], ...]:
    """Cached: the same for every match that one camera sees, and there are ten cameras besides those of the fans."""
    bands = [band for line in _marking_lines() for band in _project_line(lens, line)]
    nets = _net_threads(0.0, -2.0) + _net_threads(PITCH_LENGTH, PITCH_LENGTH + 2.0)
    return (
        (_CHALK_COLOUR, _draw_mask(lens.size, bands, 225)),
        (_NET_COLOUR, _draw_mask(lens.size, _project_threads(lens, nets, 0.03), 135)),
        (
            _POST_COLOUR,
            _draw_mask(lens.size, _project_threads(lens, [_goal_posts(0.0), _goal_posts(PITCH_LENGTH)], 0.13), 255),
        ),
    )


def _draw_mask(size: tuple[int, int], shapes: Iterable[list[tuple[float, float]]], ink: int) -> Image.Image:
    mask = Image.new("L", (size[0] * _SUPERSAMPLING, size[1] * _SUPERSAMPLING))
    pen = ImageDraw.Draw(mask)
    for shape in shapes:
        pen.polygon([(column * _SUPERSAMPLING, row * _SUPERSAMPLING) for column, row in shape], fill=ink)
    return mask.reduce(_SUPERSAMPLING)


def _marking_lines() -> list[FloatArray]:
    lines = []
    for breadth, depth in ((PITCH_WIDTH, PITCH_LENGTH), (40.32, 16.5), (18.32, 5.5)):
        low, high = _MIDDLE_Y - breadth / 2, _MIDDLE_Y + breadth / 2
        lines += [_box_outline(0, depth, low, high), _box_outline(PITCH_LENGTH - depth, PITCH_LENGTH, low, high)]
    lines.append(np.array([[PITCH_LENGTH / 2, 0], [PITCH_LENGTH / 2, PITCH_WIDTH]], float))
    lines.append(_arc_points(PITCH_LENGTH / 2, 9.15, 0, 2 * np.pi))
    lines += [_arc_points(11, 9.15, -0.925, 0.925), _arc_points(PITCH_LENGTH - 11, 9.15, np.pi - 0.925, np.pi + 0.925)]
    lines += [_arc_points(spot, 0.12, 0, 2 * np.pi) for spot in (11, PITCH_LENGTH / 2, PITCH_LENGTH - 11)]
    return lines


def _box_outline(left: float, right: float, low: float, high: float) -> FloatArray:
    return np.array([[left, low], [right, low], [right, high], [left, high], [left, low]], float)


def _arc_points(x: float, radius: float, start: float, end: float) -> FloatArray:
    turn = np.linspace(start, end, 60)
    return np.stack([x + radius * np.cos(turn), _MIDDLE_Y + radius * np.sin(turn)], axis=1)


def _project_line(lens: CameraLens, line: FloatArray) -> Iterable[list[tuple[float, float]]]:
    """Quadrilaterals on the ground, short ones because straight lines are curved on the cylinder."""
    for start, end in pairwise(line):
        length = float(np.hypot(*(end - start)))
        points = start + (end - start) * np.linspace(0, 1, max(2, int(length / 1.5)))[:, None]
        across = np.array([-(end - start)[1], (end - start)[0]]) / max(length, 1e-6)
        # Lines along the picture are seen at a flat angle, and would vanish at their true width.
        half = across * (0.08 + 0.09 * abs(across[1]))
        left, right = (_project_ground(lens, points + side) for side in (half, -half))
        yield from _visible_quads(lens, left, right)


def _project_ground(lens: CameraLens, points: FloatArray) -> FloatArray:
    return np.stack(lens.project(points[:, 0], points[:, 1], 0.0)[:2], axis=1)


def _visible_quads(lens: CameraLens, left: FloatArray, right: FloatArray) -> Iterable[list[tuple[float, float]]]:
    """Yield only pieces in view, and none that would wrap around the back of the cylinder."""
    corners = np.stack([left[:-1], left[1:], right[1:], right[:-1]], axis=1)
    first, last = corners[..., 0].min(axis=1), corners[..., 0].max(axis=1)
    for piece in corners[(last > 0) & (first < lens.size[0]) & (last - first < lens.size[0] / 4)].tolist():
        yield [(column, row) for column, row in piece]


def _goal_posts(line: float) -> FloatArray:
    return np.array(
        [
            [line, _GOAL_LOW_Y, 0],
            [line, _GOAL_LOW_Y, _CROSSBAR_HEIGHT],
            [line, _GOAL_HIGH_Y, _CROSSBAR_HEIGHT],
            [line, _GOAL_HIGH_Y, 0],
        ],
        float,
    )


def _net_threads(line: float, back: float) -> list[FloatArray]:
    roof = _CROSSBAR_HEIGHT * 0.82
    hanging = [
        np.array([[line, y, _CROSSBAR_HEIGHT], [back, y, roof], [back, y, 0]], float)
        for y in np.linspace(_GOAL_LOW_Y, _GOAL_HIGH_Y, 13)
    ]
    around = [
        np.array(
            [[line, _GOAL_LOW_Y, z], [back, _GOAL_LOW_Y, z], [back, _GOAL_HIGH_Y, z], [line, _GOAL_HIGH_Y, z]], float
        )
        for z in np.linspace(0, roof, 6)
    ]
    return hanging + around


def _project_threads(lens: CameraLens, threads: list[FloatArray], metres: float) -> Iterable[list[tuple[float, float]]]:
    """Upright parts as bands of constant width in the picture."""
    for thread in threads:
        columns, rows, distance = lens.project(thread[:, 0], thread[:, 1], thread[:, 2])
        points = np.stack([columns, rows], axis=1)
        half = max(0.2, metres * float(lens.pixels_per_metre(distance).mean()) / 2)
        for start, end in pairwise(points):
            step = end - start
            side = np.array([-step[1], step[0]]) / max(float(np.hypot(*step)), 1e-6) * half
            yield from _visible_quads(lens, np.array([start + side, end + side]), np.array([start - side, end - side]))
