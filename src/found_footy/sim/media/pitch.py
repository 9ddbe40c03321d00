"""The drawn surroundings of one camera: mown grass with chalk on it, goals, boards and a crowd."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from found_footy.sim.media import chalk, stand
from found_footy.sim.media.camera import LENGTH, WIDTH, Floats, Lens
from found_footy.sim.media.venues import Mowing, Venue

Pixels = NDArray[np.float32]
Bytes = NDArray[np.uint8]

# Metres between the lines and the boards around them.
_MARGIN = 5.5
_TRACK = 0.72
_SHADOW = np.float32(0.62)


@lru_cache(maxsize=4)
def surroundings(lens: Lens, colours: tuple[str, str], venue: Venue) -> tuple[Image.Image, Image.Image]:
    """Everything that stands still, with a calm crowd and with a cheering one."""
    height = lens.size[1]
    rows = (np.arange(height, dtype=np.float32) + 0.5 + lens.top)[:, None]
    wall = _wall(lens)
    reach = (lens.focal * lens.camera.height / np.maximum(rows, 1e-2)).astype(np.float32)
    beyond = (reach >= wall[None, :]) | (rows <= 0)
    level = (lens.camera.height - rows * (wall[None, :] / lens.focal)).astype(np.float32)[beyond]
    along = np.broadcast_to(_path(lens, wall), beyond.shape)[beyond]
    ground = _shown(_grass(lens, np.minimum(reach, 400), venue))
    calm, wild = (_with_stand(ground, beyond, painted) for painted in stand.paint(level, along, colours, venue))
    chalk.draw((calm, wild), lens)
    return calm, wild


def _with_stand(ground: Bytes, beyond: NDArray[np.bool_], painted: Pixels) -> Image.Image:
    picture = ground.copy()
    picture[beyond] = _shown(painted)
    return Image.fromarray(picture, "RGB")


def _shown(painted: Pixels) -> Bytes:
    return painted.clip(0, 255).astype(np.uint8)


def _wall(lens: Lens) -> Pixels:
    """How far the boards are in each column: where the ray leaves the ground inside them."""
    x, y = lens.camera.x, lens.camera.y
    across, along = lens.rays()
    sides = (
        (np.where(across > 0, LENGTH + _MARGIN, -_MARGIN) - x) / _nonzero(across),
        (np.where(along > 0, WIDTH + _MARGIN, -_MARGIN) - y) / _nonzero(along),
    )
    ahead = [np.where(side > 0, side, 1e6) for side in sides]
    return np.minimum(*ahead).astype(np.float32)


def _nonzero(values: Floats) -> Floats:
    return np.where(np.abs(values) < 1e-9, 1e-9, values)


def _path(lens: Lens, wall: Pixels) -> Pixels:
    """Metres along the boards, column by column."""
    return (np.cumsum(wall.astype(np.float64)) / lens.focal).astype(np.float32)


def _grass(lens: Lens, reach: Pixels, venue: Venue) -> Pixels:
    across, along = (ray.astype(np.float32)[None, :] for ray in lens.rays())
    x, y = lens.camera.x + reach * across, lens.camera.y + reach * along
    outside = (x < -2) | (x > LENGTH + 2) | (y < -2) | (y > WIDTH + 2)
    blades = np.random.default_rng(7).standard_normal(y.shape, np.float32) * np.float32(0.013)
    shade = (
        np.float32(1.05)
        - np.float32(0.0016) * np.abs(y - 30)
        + blades
        - np.float32(venue.contrast) * _bands(x, y, venue)
    )
    shade[outside] *= np.float32(_TRACK)
    if venue.shade:
        shade[y > WIDTH - venue.shade + x * np.float32(0.12)] *= _SHADOW
    lit: Pixels = np.array(venue.green, np.float32) * (shade * np.float32(venue.light))[..., None]
    return lit


def _bands(x: Pixels, y: Pixels, venue: Venue) -> Pixels:
    """How dark the grass was mown, 0 to 1. Bands fade into each other; a hard edge would flicker when small."""
    turn = np.float32(np.pi / venue.stripe)
    waves = {
        Mowing.ACROSS: lambda: np.sin(x * turn),
        Mowing.ALONG: lambda: np.sin(y * turn),
        Mowing.CHECKER: lambda: np.sin(x * turn) * np.sin(y * turn) * 2,
        Mowing.PLAIN: lambda: np.sin(x * np.float32(0.05)) * np.float32(0.06),
    }
    bands: Pixels = np.clip(waves[venue.mowing]() * 8, -1, 1) * np.float32(-0.5) + np.float32(0.5)
    return bands
