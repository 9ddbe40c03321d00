"""Camera noise: in a real recording no two frames are the same, even if nothing moves."""

from functools import lru_cache

import numpy as np
from PIL import Image

_NOISE_MARGIN = 64


class CameraNoise:
    """`strength` is its share in the picture; 0.03 is a good camera, 0.1 a phone at night."""

    def __init__(self, size: tuple[int, int], strength: float) -> None:
        self._size = size
        self._strength = strength
        self._noise = _draw_noise((size[0] + _NOISE_MARGIN, size[1] + _NOISE_MARGIN))

    def apply_to(self, picture: Image.Image, number: int) -> Image.Image:
        left, top = number * 37 % _NOISE_MARGIN, number * 23 % _NOISE_MARGIN
        noise = self._noise.crop((left, top, left + self._size[0], top + self._size[1]))
        return Image.blend(picture, noise, self._strength)


@lru_cache(maxsize=4)
def _draw_noise(size: tuple[int, int]) -> Image.Image:
    level = np.random.default_rng(19).normal(120, 60, (size[1], size[0])).clip(0, 255).astype(np.uint8)
    gray = Image.fromarray(level)
    return Image.merge("RGB", (gray, gray, gray))
