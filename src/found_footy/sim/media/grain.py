"""The noise of a camera: no two frames of a real recording are the same where nothing moves."""

from functools import lru_cache

import numpy as np
from PIL import Image

_SPARE = 64


class Grain:
    """`strength` is its share in the picture; 0.03 is a good camera, 0.1 a phone at night."""

    def __init__(self, size: tuple[int, int], strength: float) -> None:
        self._size = size
        self._strength = strength
        self._noise = _noise((size[0] + _SPARE, size[1] + _SPARE))

    def over(self, picture: Image.Image, number: int) -> Image.Image:
        left, top = number * 37 % _SPARE, number * 23 % _SPARE
        noise = self._noise.crop((left, top, left + self._size[0], top + self._size[1]))
        return Image.blend(picture, noise, self._strength)


@lru_cache(maxsize=4)
def _noise(size: tuple[int, int]) -> Image.Image:
    level = np.random.default_rng(19).normal(120, 60, (size[1], size[0])).clip(0, 255).astype(np.uint8)
    gray = Image.fromarray(level)
    return Image.merge("RGB", (gray, gray, gray))
