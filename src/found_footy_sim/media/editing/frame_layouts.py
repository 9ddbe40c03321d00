"""Layouts around a picture: none, black bars, its own blur, or a fan page's template."""

from collections.abc import Callable
from colorsys import hsv_to_rgb
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from found_footy_sim.media.graphics.fonts import TYPEFACES, load_typeface

PictureSize = tuple[int, int]


@dataclass(frozen=True)
class FrameLayout:
    """`inner_size` is the required size of the picture, `place_picture` puts it into the layout."""

    inner_size: PictureSize
    place_picture: Callable[[Image.Image], Image.Image]


def plain_layout(size: PictureSize) -> FrameLayout:
    return FrameLayout(size, lambda image: image)


def letterbox_layout(size: PictureSize) -> FrameLayout:
    """Black bars above and below."""
    inner = size[0], round(size[1] * 0.39) * 2
    return FrameLayout(inner, lambda image: ImageOps.pad(image, size, color="black"))


def portrait_layout(size: PictureSize, whole: PictureSize) -> FrameLayout:
    """The middle of the picture, at its full height."""
    inner = max(size[0], round(whole[0] * size[1] / whole[1])), size[1]
    left = (inner[0] - size[0]) // 2
    return FrameLayout(inner, lambda image: image.crop((left, 0, left + size[0], size[1])))


def blurred_layout(size: PictureSize, whole: PictureSize) -> FrameLayout:
    """The whole picture across the middle, and its own blur above and below."""
    inner = size[0], max(2, round(size[0] * whole[1] / whole[0] / 2) * 2)

    def place(image: Image.Image) -> Image.Image:
        small = ImageOps.fit(image, (size[0] // 8, size[1] // 8), Image.Resampling.BOX)
        back = small.filter(ImageFilter.GaussianBlur(2)).resize(size, Image.Resampling.BILINEAR)
        back.paste(image, (0, (size[1] - inner[1]) // 2))
        return back

    return FrameLayout(inner, place)


def banner_layout(size: PictureSize, whole: PictureSize, text: str, seed: int) -> FrameLayout:
    """A coloured field with the page's name above, below or on both sides of the picture."""
    dice = np.random.default_rng(seed)
    share = float(dice.uniform(0.12, 0.28))
    above, below = ((share, 0.0), (0.0, share), (share * 0.6, share * 0.6))[dice.integers(3)]
    available_height = size[1] * (1 - above - below)
    scale = min(size[0] / whole[0], available_height / whole[1])
    inner = round(whole[0] * scale), round(whole[1] * scale)
    field = _draw_banner(size, text, (above, below), dice)
    corner = (size[0] - inner[0]) // 2, round(size[1] * above + (available_height - inner[1]) / 2)

    def place(image: Image.Image) -> Image.Image:
        picture = field.copy()
        picture.paste(image, corner)
        return picture

    return FrameLayout(inner, place)


def _draw_banner(size: PictureSize, text: str, bars: tuple[float, float], dice: np.random.Generator) -> Image.Image:
    paper, ink = _random_colour(dice, 0.25), _random_colour(dice, 0.95)
    field = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(field)
    for number in range(6):
        left = size[0] * (number / 6 + 0.02)
        shade = tuple(min(255, value + 22) for value in paper)
        draw.polygon(
            [(left, 0), (left + size[0] * 0.05, 0), (left - size[0] * 0.05, size[1]), (left - size[0] * 0.1, size[1])],
            fill=shade,
        )
    name = TYPEFACES[dice.integers(len(TYPEFACES))]
    for bar, middle in zip(bars, (bars[0] / 2, 1 - bars[1] / 2), strict=True):
        if bar:
            draw.text(
                (size[0] / 2, size[1] * middle),
                text,
                ink,
                load_typeface(name, max(10, round(size[1] * bar * 0.4))),
                anchor="mm",
            )
    return field


def _random_colour(dice: np.random.Generator, value: float) -> tuple[int, int, int]:
    red, green, blue = hsv_to_rgb(float(dice.random()), float(dice.uniform(0.3, 0.9)), value)
    return round(red * 255), round(green * 255), round(blue * 255)
