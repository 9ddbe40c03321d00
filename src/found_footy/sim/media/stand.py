"""What is seen beyond the pitch: advertising boards, a crowd, and the dark under the roof."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw

from found_footy.sim.media.faces import font
from found_footy.sim.media.venues import Venue

Pixels = NDArray[np.float32]

_BOARD, _WALKWAY = 1.15, 6.3
_SEAT, _TIER = 0.62, 0.78
_CELLS = 4096
# What the air above the roof gains in colour with every metre: night, dusk, day, night.
_SKY = np.array([(0, 0, 0.2), (2.2, 1.6, 2.0), (3.6, 5.0, 6.6), (0.1, 0.1, 0.3)], np.float32)
_SLOGANS = (
    ("FOUND FOOTY", "#10233f", "#ffffff"),
    ("SIMULATED LEAGUE", "#d99a1c", "#10233f"),
    ("EVERY GOAL", "#a61d2b", "#ffffff"),
    ("NOT A REAL MATCH", "#0c6b4f", "#ffffff"),
)


def paint(level: Pixels, along: Pixels, colours: tuple[str, str], venue: Venue) -> tuple[Pixels, Pixels]:
    """The colour of points on the wall around the pitch, by metres above the ground and along the wall: with a calm
    crowd, and with a cheering one.
    """
    low, high = level < _BOARD, level > venue.roof
    boards = _boards(level[low], along[low] + np.float32(venue.boards * 13.4))
    sky = np.array((18, 20, 26)) + np.clip(level[high] - venue.roof - 4, 0, 30)[:, None] * _SKY[venue.boards]
    walkway = np.abs(level - _WALKWAY) < 0.3
    calm, wild = _crowds(level, along, colours)
    for painted in (calm, wild):
        painted[low] = boards
        painted[high] = sky
        painted[walkway] = (84, 86, 92)
    return calm, wild


def _crowds(level: Pixels, along: Pixels, colours: tuple[str, str]) -> tuple[Pixels, Pixels]:
    """People on their seats: one cell each, with a head and shoulders in it. When cheering, every other one is up."""
    height = (level - np.float32(_BOARD)) / np.float32(_TIER)
    row = np.floor(height)
    place = along / np.float32(_SEAT) + (row % 2) * np.float32(0.5)
    column = np.floor(place)
    cell = (row.astype(np.int32) * 1193 + column.astype(np.int32) * 2671) & (_CELLS - 1)
    up, side = height - row, np.abs(place - column - np.float32(0.5))
    dim = np.clip(0.74 - 0.024 * (level - _BOARD), 0.25, 0.8)[:, None]
    risen = up - np.float32(0.28) * (cell & 1)
    return _seated(cell, up, side, colours) * dim, _seated(cell, risen, side, colours) * dim


def _seated(cell: NDArray[np.int32], up: Pixels, side: Pixels, colours: tuple[str, str]) -> Pixels:
    clothes, skin = _people(colours)
    painted = clothes[cell]
    above = up > 0.52
    head = above & (side < 0.21)
    painted[head] = skin[cell[head]]
    painted[(up < 0.04) | (side > 0.40) | (above & ~head)] = (38, 40, 48)
    return painted


@lru_cache(maxsize=8)
def _people(colours: tuple[str, str]) -> tuple[Pixels, Pixels]:
    """Clothes and skin per cell: many in the home side's colour, some in the other's, most in everyday ones."""
    rng = np.random.default_rng(11)
    home, away = (ImageColor.getrgb(colour)[:3] for colour in colours)
    everyday = [
        (66, 70, 82),
        (150, 152, 158),
        (44, 48, 58),
        (112, 96, 86),
        (88, 98, 120),
        (128, 120, 112),
        (54, 58, 66),
    ]
    palette = np.array([home] * 4 + [away] + everyday, np.float32)
    clothes = palette[rng.integers(0, len(palette), _CELLS)]
    grey = clothes.mean(axis=1, keepdims=True)
    clothes = (clothes * 0.72 + grey * 0.28) * rng.uniform(0.75, 1.05, (_CELLS, 1)).astype(np.float32)
    skin = np.array([206, 166, 138], np.float32) * rng.uniform(0.45, 1.0, (_CELLS, 1)).astype(np.float32)
    return clothes.astype(np.float32), skin.astype(np.float32)


def _boards(level: Pixels, along: Pixels) -> Pixels:
    texture = _texture()
    height, length = texture.shape[:2]
    across = (along * np.float32(height / _BOARD)).astype(np.int32) % length
    down = np.clip((1 - level / np.float32(_BOARD)) * height, 0, height - 1).astype(np.int32)
    painted: Pixels = texture[down, across]
    return painted


@lru_cache(maxsize=1)
def _texture() -> Pixels:
    height, panel = 48, 560
    image = Image.new("RGB", (panel * len(_SLOGANS), height))
    draw = ImageDraw.Draw(image)
    for number, (slogan, paper, ink) in enumerate(_SLOGANS):
        left = number * panel
        draw.rectangle((left, 0, left + panel, height), fill=paper)
        draw.text((left + panel / 2, height / 2), slogan, ink, font(34), anchor="mm", stroke_width=1)
    return np.asarray(image, np.float32)
