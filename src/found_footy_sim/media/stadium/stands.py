"""What is seen beyond the pitch: advertising boards, a crowd, and the dark under the roof."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw

from found_footy_sim.media.graphics.fonts import load_default_font
from found_footy_sim.media.stadium.venues import StadiumVenue

PixelArray = NDArray[np.float32]

_BOARD_HEIGHT, _WALKWAY_HEIGHT = 1.15, 6.3
_SEAT_WIDTH, _ROW_HEIGHT = 0.62, 0.78
_SPECTATOR_COUNT = 4096
# Change of the sky's colour per metre above the roof: night, dusk, day, night.
_SKY_GRADIENTS = np.array([(0, 0, 0.2), (2.2, 1.6, 2.0), (3.6, 5.0, 6.6), (0.1, 0.1, 0.3)], np.float32)
_SLOGANS = (
    ("FOUND FOOTY", "#10233f", "#ffffff"),
    ("SIMULATED LEAGUE", "#d99a1c", "#10233f"),
    ("EVERY GOAL", "#a61d2b", "#ffffff"),
    ("NOT A REAL MATCH", "#0c6b4f", "#ffffff"),
)


def paint_stands(
    level: PixelArray, along: PixelArray, colours: tuple[str, str], venue: StadiumVenue
) -> tuple[PixelArray, PixelArray]:
    """The colour of points on the wall around the pitch, by metres above the ground and along the wall: with a calm
    crowd, and with a cheering one.
    """
    low, high = level < _BOARD_HEIGHT, level > venue.roof_metres
    boards = _paint_boards(level[low], along[low] + np.float32(venue.first_slogan * 13.4))
    sky = (
        np.array((18, 20, 26))
        + np.clip(level[high] - venue.roof_metres - 4, 0, 30)[:, None] * _SKY_GRADIENTS[venue.first_slogan]
    )
    walkway = np.abs(level - _WALKWAY_HEIGHT) < 0.3
    calm, wild = _paint_crowds(level, along, colours)
    for painted in (calm, wild):
        painted[low] = boards
        painted[high] = sky
        painted[walkway] = (84, 86, 92)
    return calm, wild


def _paint_crowds(level: PixelArray, along: PixelArray, colours: tuple[str, str]) -> tuple[PixelArray, PixelArray]:
    """People on their seats: one cell each, with a head and shoulders in it. When cheering, every other one stands."""
    height = (level - np.float32(_BOARD_HEIGHT)) / np.float32(_ROW_HEIGHT)
    row = np.floor(height)
    place = along / np.float32(_SEAT_WIDTH) + (row % 2) * np.float32(0.5)
    column = np.floor(place)
    cell = (row.astype(np.int32) * 1193 + column.astype(np.int32) * 2671) & (_SPECTATOR_COUNT - 1)
    up, side = height - row, np.abs(place - column - np.float32(0.5))
    dim = np.clip(0.74 - 0.024 * (level - _BOARD_HEIGHT), 0.25, 0.8)[:, None]
    risen = up - np.float32(0.28) * (cell & 1)
    return _paint_spectators(cell, up, side, colours) * dim, _paint_spectators(cell, risen, side, colours) * dim


def _paint_spectators(
    cell: NDArray[np.int32], up: PixelArray, side: PixelArray, colours: tuple[str, str]
) -> PixelArray:
    clothes, skin = _spectator_colours(colours)
    painted = clothes[cell]
    above = up > 0.52
    head = above & (side < 0.21)
    painted[head] = skin[cell[head]]
    painted[(up < 0.04) | (side > 0.40) | (above & ~head)] = (38, 40, 48)
    return painted


@lru_cache(maxsize=8)
def _spectator_colours(colours: tuple[str, str]) -> tuple[PixelArray, PixelArray]:
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
    clothes = palette[rng.integers(0, len(palette), _SPECTATOR_COUNT)]
    grey = clothes.mean(axis=1, keepdims=True)
    clothes = (clothes * 0.72 + grey * 0.28) * rng.uniform(0.75, 1.05, (_SPECTATOR_COUNT, 1)).astype(np.float32)
    skin = np.array([206, 166, 138], np.float32) * rng.uniform(0.45, 1.0, (_SPECTATOR_COUNT, 1)).astype(np.float32)
    return clothes.astype(np.float32), skin.astype(np.float32)


def _paint_boards(level: PixelArray, along: PixelArray) -> PixelArray:
    texture = _board_texture()
    height, length = texture.shape[:2]
    across = (along * np.float32(height / _BOARD_HEIGHT)).astype(np.int32) % length
    down = np.clip((1 - level / np.float32(_BOARD_HEIGHT)) * height, 0, height - 1).astype(np.int32)
    painted: PixelArray = texture[down, across]
    return painted


@lru_cache(maxsize=1)
def _board_texture() -> PixelArray:
    height, panel = 48, 560
    image = Image.new("RGB", (panel * len(_SLOGANS), height))
    draw = ImageDraw.Draw(image)
    for number, (slogan, paper, ink) in enumerate(_SLOGANS):
        left = number * panel
        draw.rectangle((left, 0, left + panel, height), fill=paper)
        draw.text((left + panel / 2, height / 2), slogan, ink, load_default_font(34), anchor="mm", stroke_width=1)
    return np.asarray(image, np.float32)
