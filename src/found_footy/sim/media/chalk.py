"""Lines and goals, drawn large and brought down, so that thin things come out soft instead of ragged."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

from found_footy.sim.media.camera import LENGTH, WIDTH, Floats, Lens

Colour = tuple[int, int, int]

_FINE = 3
_MIDDLE = WIDTH / 2
_LOW, _HIGH, _BAR = _MIDDLE - 3.66, _MIDDLE + 3.66, 2.44
_CHALK, _NET, _POST = (232, 238, 230), (224, 228, 232), (250, 250, 250)


def draw(images: Iterable[Image.Image], lens: Lens) -> None:
    """Put the markings and both goals onto pictures of the surroundings."""
    for image in images:
        for colour, mask in _layers(lens):
            image.paste(colour, mask=mask)


@lru_cache(maxsize=12)
def _layers(lens: Lens) -> tuple[tuple[Colour, Image.Image], ...]:
    """The same for every match that one camera sees, and there are ten cameras besides those of the fans."""
    bands = [band for line in _lines() for band in _bands(lens, line)]
    nets = _net(0.0, -2.0) + _net(LENGTH, LENGTH + 2.0)
    return (
        (_CHALK, _mask(lens.size, bands, 225)),
        (_NET, _mask(lens.size, _threads(lens, nets, 0.03), 135)),
        (_POST, _mask(lens.size, _threads(lens, [_posts(0.0), _posts(LENGTH)], 0.13), 255)),
    )


def _mask(size: tuple[int, int], shapes: Iterable[list[tuple[float, float]]], ink: int) -> Image.Image:
    mask = Image.new("L", (size[0] * _FINE, size[1] * _FINE))
    pen = ImageDraw.Draw(mask)
    for shape in shapes:
        pen.polygon([(column * _FINE, row * _FINE) for column, row in shape], fill=ink)
    return mask.reduce(_FINE)


def _lines() -> list[Floats]:
    lines = []
    for breadth, depth in ((WIDTH, LENGTH), (40.32, 16.5), (18.32, 5.5)):
        low, high = _MIDDLE - breadth / 2, _MIDDLE + breadth / 2
        lines += [_box(0, depth, low, high), _box(LENGTH - depth, LENGTH, low, high)]
    lines.append(np.array([[LENGTH / 2, 0], [LENGTH / 2, WIDTH]], float))
    lines.append(_arc(LENGTH / 2, 9.15, 0, 2 * np.pi))
    lines += [_arc(11, 9.15, -0.925, 0.925), _arc(LENGTH - 11, 9.15, np.pi - 0.925, np.pi + 0.925)]
    lines += [_arc(spot, 0.12, 0, 2 * np.pi) for spot in (11, LENGTH / 2, LENGTH - 11)]
    return lines


def _box(left: float, right: float, low: float, high: float) -> Floats:
    return np.array([[left, low], [right, low], [right, high], [left, high], [left, low]], float)


def _arc(x: float, radius: float, start: float, end: float) -> Floats:
    turn = np.linspace(start, end, 60)
    return np.stack([x + radius * np.cos(turn), _MIDDLE + radius * np.sin(turn)], axis=1)


def _bands(lens: Lens, line: Floats) -> Iterable[list[tuple[float, float]]]:
    """Quadrilaterals on the ground, short ones because straight lines are bent on the cylinder."""
    for start, end in pairwise(line):
        length = float(np.hypot(*(end - start)))
        points = start + (end - start) * np.linspace(0, 1, max(2, int(length / 1.5)))[:, None]
        across = np.array([-(end - start)[1], (end - start)[0]]) / max(length, 1e-6)
        # Lines that run along the picture are seen flat, and would vanish at their true width.
        half = across * (0.08 + 0.09 * abs(across[1]))
        left, right = (_on_ground(lens, points + side) for side in (half, -half))
        yield from _quads(lens, left, right)


def _on_ground(lens: Lens, points: Floats) -> Floats:
    return np.stack(lens.project(points[:, 0], points[:, 1], 0.0)[:2], axis=1)


def _quads(lens: Lens, left: Floats, right: Floats) -> Iterable[list[tuple[float, float]]]:
    """Only pieces in view, and none that would run around the back of the cylinder."""
    corners = np.stack([left[:-1], left[1:], right[1:], right[:-1]], axis=1)
    first, last = corners[..., 0].min(axis=1), corners[..., 0].max(axis=1)
    for piece in corners[(last > 0) & (first < lens.size[0]) & (last - first < lens.size[0] / 4)].tolist():
        yield [(column, row) for column, row in piece]


def _posts(line: float) -> Floats:
    return np.array([[line, _LOW, 0], [line, _LOW, _BAR], [line, _HIGH, _BAR], [line, _HIGH, 0]], float)


def _net(line: float, back: float) -> list[Floats]:
    roof = _BAR * 0.82
    hanging = [np.array([[line, y, _BAR], [back, y, roof], [back, y, 0]], float) for y in np.linspace(_LOW, _HIGH, 13)]
    around = [
        np.array([[line, _LOW, z], [back, _LOW, z], [back, _HIGH, z], [line, _HIGH, z]], float)
        for z in np.linspace(0, roof, 6)
    ]
    return hanging + around


def _threads(lens: Lens, threads: list[Floats], metres: float) -> Iterable[list[tuple[float, float]]]:
    """Upright things as bands of an even breadth in the picture."""
    for thread in threads:
        columns, rows, distance = lens.project(thread[:, 0], thread[:, 1], thread[:, 2])
        points = np.stack([columns, rows], axis=1)
        half = max(0.2, metres * float(lens.scale(distance).mean()) / 2)
        for start, end in pairwise(points):
            step = end - start
            side = np.array([-step[1], step[0]]) / max(float(np.hypot(*step)), 1e-6) * half
            yield from _quads(lens, np.array([start + side, end + side]), np.array([start - side, end - side]))
