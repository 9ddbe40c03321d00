"""From a picture of any size to the input of a network. Pure."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from found_footy.platform.media.frames import Pixels

# Mean and deviation of the training pictures' channels, of 0 to 1.
_IMAGENET_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_IMAGENET_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


@dataclass(frozen=True)
class CropRule:
    """The short side is resized to `short_side` (bicubic, antialiased); the square of `side` in the middle is used."""

    side: int = 224
    short_side: int = 256


def crop_picture(pixels: Pixels, rule: CropRule) -> Pixels:
    """Resize and crop in one step: only what is used is computed."""
    height, width = pixels.shape[:2]
    square = min(width, height) * rule.side / max(rule.short_side, rule.side)
    left, top = (width - square) / 2, (height - square) / 2
    resized = Image.fromarray(pixels).resize(
        (rule.side, rule.side), Image.Resampling.BICUBIC, box=(left, top, left + square, top + square)
    )
    return np.asarray(resized)


def normalize_picture(pixels: Pixels) -> npt.NDArray[np.float32]:
    """Channel values as networks trained on ImageNet expect them; still height × width × channel."""
    scaled = pixels.astype(np.float32) / np.float32(255)
    return np.asarray((scaled - _IMAGENET_MEAN) / _IMAGENET_DEVIATION, np.float32)
