"""The drawn surroundings of one camera: mown grass with chalk on it, goals, boards and a crowd."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from found_footy.sim.media import chalk, stand
from found_footy.sim.media.camera import LENGTH, WIDTH, Floats, Lens

Pixels = NDArray[np.float32]

# Metres between the lines and the boards around them.
_MARGIN = 5.5
_STRIPE = 5.25
_LIGHT, _DARK, _TRACK = np.array([(90, 146, 66), (72, 127, 54), (62, 108, 50)], np.float32)


@lru_cache(maxsize=8)
def surroundings(lens: Lens, colours: tuple[str, str]) -> tuple[Image.Image, Image.Image]:
    """Everything that stands still, with a calm crowd and with a cheering one."""
    height = lens.size[1]
    rows = (np.arange(height, dtype=np.float32) + 0.5 + lens.top)[:, None]
    wall = _wall(lens)
    reach = (lens.focal * lens.camera.height / np.maximum(rows, 1e-2)).astype(np.float32)
    beyond = (reach >= wall[None, :]) | (rows <= 0)
    level = (lens.camera.height - rows * (wall[None, :] / lens.focal)).astype(np.float32)[beyond]
    along = np.broadcast_to(_path(lens, wall), beyond.shape)[beyond]
    ground = _grass(lens, np.minimum(reach, 400))
    calm, wild = (_with_stand(ground, beyond, stand.paint(level, along, colours, up)) for up in (False, True))
    chalk.draw((calm, wild), lens)
    return calm, wild


def _with_stand(ground: Pixels, beyond: NDArray[np.bool_], painted: Pixels) -> Image.Image:
    picture = ground.copy()
    picture[beyond] = painted
    return Image.fromarray(picture.clip(0, 255).astype(np.uint8), "RGB")


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


def _grass(lens: Lens, reach: Pixels) -> Pixels:
    across, along = (ray.astype(np.float32)[None, :] for ray in lens.rays())
    stripe = (lens.camera.x + reach * across) / np.float32(_STRIPE)
    y = lens.camera.y + reach * along
    # Stripes fade into each other over a short stretch; a hard edge would flicker when small.
    band = np.clip(np.sin(stripe * np.float32(np.pi)) * 8, -1, 1) * 0.5 + 0.5
    outside = (stripe < -0.4) | (stripe > LENGTH / _STRIPE + 0.4) | (y < -2) | (y > WIDTH + 2)
    blades = np.random.default_rng(7).standard_normal(y.shape, np.float32) * np.float32(0.013)
    shade = 1.05 - 0.0016 * np.abs(y - 30) + blades
    mown = _DARK + (_LIGHT - _DARK) * band[..., None]
    mown[outside] = _TRACK
    lit: Pixels = mown * shade[..., None]
    return lit
