"""Fields of other sports, drawn flat and projected into perspective, so that players can be placed by the same
projection.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from found_footy_sim.media.graphics.fonts import load_default_font

Matrix = NDArray[np.float64]
FLAT_SIZE = 1200, 600


@dataclass(frozen=True)
class ProjectedCourt:
    """A large picture to pan over. `locate_point` gives column and row of a point of the field, in shares of it, and
    the height of a person there in pixels.
    """

    picture: Image.Image
    matrix: Matrix
    person: float

    def locate_point(self, across: float, down: float) -> tuple[float, float, float]:
        x, y, w = self.matrix @ np.array([across * FLAT_SIZE[0], down * FLAT_SIZE[1], 1.0])
        return x / w, y / w, self.person * self.picture.height / w


def project_court(
    flat: Image.Image, size: tuple[int, int], behind: Image.Image, horizon: float, person: float
) -> ProjectedCourt:
    """Project the flat drawing as seen from the stands: its far edge is at the share `horizon` of the height."""
    width, height = size
    top = height * horizon
    corners = ((width * 0.2, top), (width * 0.8, top), (width * 1.1, height * 0.98), (-width * 0.1, height * 0.98))
    matrix = _compute_homography(corners)
    back = np.linalg.inv(matrix)
    back /= back[2, 2]
    coefficients = tuple(back.ravel()[:8].tolist())
    shape = flat.convert("RGBA").transform(size, Image.Transform.PERSPECTIVE, coefficients, Image.Resampling.BICUBIC)
    picture = behind.copy()
    picture.paste(shape, (0, 0), shape)
    return ProjectedCourt(picture, matrix, person)


def _compute_homography(corners: tuple[tuple[float, float], ...]) -> Matrix:
    """The homography from the flat drawing to these corners, clockwise from the upper left."""
    rows, wanted = [], []
    for (x, y), (u, v) in zip(((0, 0), (FLAT_SIZE[0], 0), FLAT_SIZE, (0, FLAT_SIZE[1])), corners, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        wanted += [u, v]
    solved = np.linalg.solve(np.array(rows, float), np.array(wanted, float))
    return np.append(solved, 1.0).reshape(3, 3)


def draw_stands(
    size: tuple[int, int], horizon: float, dice: np.random.Generator, floor: tuple[int, int, int]
) -> Image.Image:
    """People in rows above the horizon, and the floor around the field below it."""
    width, height = size
    top = round(height * horizon)
    people = dice.integers(30, 150, (max(1, top // 6), width // 6, 3)).astype(np.uint8)
    crowd = Image.fromarray(people).resize((width, top), Image.Resampling.BILINEAR)
    picture = Image.new("RGB", size, floor)
    picture.paste(crowd.point(lambda value: round(value * 0.7)), (0, 0))
    ImageDraw.Draw(picture).rectangle((0, top - height * 0.03, width, top), fill=(24, 40, 90))
    return picture


def draw_gridiron(dice: np.random.Generator) -> Image.Image:
    """A line every five yards, numbers every ten, coloured end zones."""
    flat = Image.new("RGB", FLAT_SIZE, (58, 112, 54))
    draw = ImageDraw.Draw(flat)
    zone = FLAT_SIZE[0] / 12
    colour = tuple(int(v) for v in dice.integers(20, 130, 3))
    for left in (0.0, 11 * zone):
        draw.rectangle((left, 0, left + zone, FLAT_SIZE[1]), fill=colour)
    for number in range(21):
        x = zone + number * zone / 2
        draw.line((x, 0, x, FLAT_SIZE[1]), fill="white", width=5)
        for hash_mark in (0.38, 0.62):
            draw.line((x - 6, FLAT_SIZE[1] * hash_mark, x + 6, FLAT_SIZE[1] * hash_mark), fill="white", width=4)
    for number in range(1, 10):
        yards = str(min(number, 10 - number) * 10)
        for y in (0.16, 0.84):
            draw.text(
                (zone + number * zone, FLAT_SIZE[1] * y),
                yards,
                "white",
                load_default_font(64),
                anchor="mm",
                stroke_width=2,
            )
    draw.rectangle((0, 0, FLAT_SIZE[0] - 1, FLAT_SIZE[1] - 1), outline="white", width=10)
    return flat


def draw_tennis_court(dice: np.random.Generator) -> Image.Image:
    inside, outside = (
        ((44, 92, 158), (60, 120, 90)),
        ((188, 96, 58), (176, 88, 52)),
        ((52, 88, 150), (40, 62, 110)),
        ((104, 140, 72), (92, 128, 66)),
    )[dice.integers(4)]
    flat = Image.new("RGB", FLAT_SIZE, outside)
    draw = ImageDraw.Draw(flat)
    left, top, right, bottom = 300, 60, 900, 540
    draw.rectangle((left, top, right, bottom), fill=inside, outline="white", width=6)
    for x in (375, 825):
        draw.line((x, top, x, bottom), fill="white", width=6)
    for y in (180, 420):
        draw.line((375, y, 825, y), fill="white", width=6)
    draw.line((600, 180, 600, 420), fill="white", width=6)
    draw.line((280, 300, 920, 300), fill=(230, 230, 230), width=14)
    return flat


def draw_basketball_court(dice: np.random.Generator) -> Image.Image:
    wood = 200 + int(dice.integers(-20, 20)), 148 + int(dice.integers(-16, 16)), 92
    paint = tuple(int(v) for v in dice.integers(20, 150, 3))
    flat = Image.new("RGB", FLAT_SIZE, wood)
    draw = ImageDraw.Draw(flat)
    for x in range(0, FLAT_SIZE[0], 26):
        draw.line((x, 0, x, FLAT_SIZE[1]), fill=tuple(v - 9 for v in wood), width=2)
    for left, right in ((0, 230), (970, 1200)):
        draw.rectangle((left, 210, right, 390), fill=paint, outline="white", width=5)
    draw.arc((-230, 40, 360, 560), -90, 90, fill="white", width=5)
    draw.arc((840, 40, 1430, 560), 90, 270, fill="white", width=5)
    draw.ellipse((530, 230, 670, 370), outline="white", width=5)
    draw.line((600, 0, 600, FLAT_SIZE[1]), fill="white", width=5)
    draw.rectangle((0, 0, FLAT_SIZE[0] - 1, FLAT_SIZE[1] - 1), outline="white", width=8)
    return flat


CourtPainter = Callable[[np.random.Generator], Image.Image]
