"""The drawn surroundings of one camera: mown grass with chalk lines, goals, boards and a crowd."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from found_footy_sim.media.stadium import pitch_markings, stands
from found_footy_sim.media.stadium.camera import PITCH_LENGTH, PITCH_WIDTH, CameraLens, FloatArray
from found_footy_sim.media.stadium.venues import MowingPattern, StadiumVenue

PixelArray = NDArray[np.float32]
ByteArray = NDArray[np.uint8]

# Metres between the lines and the boards around them.
_BOARDS_DISTANCE = 5.5
_TRACK_BRIGHTNESS = 0.72
_SHADOW_BRIGHTNESS = np.float32(0.62)


@lru_cache(maxsize=4)
def draw_surroundings(
    lens: CameraLens, colours: tuple[str, str], venue: StadiumVenue
) -> tuple[Image.Image, Image.Image]:
    """Draw everything that does not move, with a calm crowd and with a cheering one."""
    height = lens.size[1]
    rows = (np.arange(height, dtype=np.float32) + 0.5 + lens.top)[:, None]
    wall = _board_distances(lens)
    reach = (lens.focal * lens.camera.height / np.maximum(rows, 1e-2)).astype(np.float32)
    beyond = (reach >= wall[None, :]) | (rows <= 0)
    level = (lens.camera.height - rows * (wall[None, :] / lens.focal)).astype(np.float32)[beyond]
    along = np.broadcast_to(_board_positions(lens, wall), beyond.shape)[beyond]
    ground = _to_bytes(_paint_grass(lens, np.minimum(reach, 400), venue))
    calm, wild = (
        _combine_stand(ground, beyond, painted) for painted in stands.paint_stands(level, along, colours, venue)
    )
    pitch_markings.draw_markings((calm, wild), lens)
    return calm, wild


def _combine_stand(ground: ByteArray, beyond: NDArray[np.bool_], painted: PixelArray) -> Image.Image:
    picture = ground.copy()
    picture[beyond] = _to_bytes(painted)
    return Image.fromarray(picture, "RGB")


def _to_bytes(painted: PixelArray) -> ByteArray:
    return painted.clip(0, 255).astype(np.uint8)


def _board_distances(lens: CameraLens) -> PixelArray:
    """The distance of the boards in each column: where the ray leaves the ground inside them."""
    x, y = lens.camera.x, lens.camera.y
    across, along = lens.ground_rays()
    sides = (
        (np.where(across > 0, PITCH_LENGTH + _BOARDS_DISTANCE, -_BOARDS_DISTANCE) - x) / _avoid_zero(across),
        (np.where(along > 0, PITCH_WIDTH + _BOARDS_DISTANCE, -_BOARDS_DISTANCE) - y) / _avoid_zero(along),
    )
    ahead = [np.where(side > 0, side, 1e6) for side in sides]
    return np.minimum(*ahead).astype(np.float32)


def _avoid_zero(values: FloatArray) -> FloatArray:
    return np.where(np.abs(values) < 1e-9, 1e-9, values)


def _board_positions(lens: CameraLens, wall: PixelArray) -> PixelArray:
    """Metres along the boards, column by column."""
    return (np.cumsum(wall.astype(np.float64)) / lens.focal).astype(np.float32)


def _paint_grass(lens: CameraLens, reach: PixelArray, venue: StadiumVenue) -> PixelArray:
    across, along = (ray.astype(np.float32)[None, :] for ray in lens.ground_rays())
    x, y = lens.camera.x + reach * across, lens.camera.y + reach * along
    outside = (x < -2) | (x > PITCH_LENGTH + 2) | (y < -2) | (y > PITCH_WIDTH + 2)
    blades = np.random.default_rng(7).standard_normal(y.shape, np.float32) * np.float32(0.013)
    shade = (
        np.float32(1.05)
        - np.float32(0.0016) * np.abs(y - 30)
        + blades
        - np.float32(venue.contrast) * _mowing_bands(x, y, venue)
    )
    shade[outside] *= np.float32(_TRACK_BRIGHTNESS)
    if venue.shadow_metres:
        shade[y > PITCH_WIDTH - venue.shadow_metres + x * np.float32(0.12)] *= _SHADOW_BRIGHTNESS
    lit: PixelArray = np.array(venue.grass_colour, np.float32) * (shade * np.float32(venue.light))[..., None]
    return lit


def _mowing_bands(x: PixelArray, y: PixelArray, venue: StadiumVenue) -> PixelArray:
    """How dark the grass was mown, 0 to 1. Bands fade into each other; a hard edge would flicker when small."""
    turn = np.float32(np.pi / venue.stripe_metres)
    waves = {
        MowingPattern.ACROSS: lambda: np.sin(x * turn),
        MowingPattern.ALONG: lambda: np.sin(y * turn),
        MowingPattern.CHECKER: lambda: np.sin(x * turn) * np.sin(y * turn) * 2,
        MowingPattern.PLAIN: lambda: np.sin(x * np.float32(0.05)) * np.float32(0.06),
    }
    bands: PixelArray = np.clip(waves[venue.mowing]() * 8, -1, 1) * np.float32(-0.5) + np.float32(0.5)
    return bands
