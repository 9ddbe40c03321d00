"""What is put around a picture: nothing, black bars, its own blur, or a fan page's template."""

from collections.abc import Callable
from colorsys import hsv_to_rgb
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from found_footy.sim.media.faces import FACES, face

Size = tuple[int, int]


@dataclass(frozen=True)
class Setting:
    """`inner` is the size that the picture must come in, `place` puts it into what surrounds it."""

    inner: Size
    place: Callable[[Image.Image], Image.Image]


def plain(size: Size) -> Setting:
    return Setting(size, lambda image: image)


def letterboxed(size: Size) -> Setting:
    """Black bars above and below."""
    inner = size[0], round(size[1] * 0.39) * 2
    return Setting(inner, lambda image: ImageOps.pad(image, size, color="black"))


def upright(size: Size, whole: Size) -> Setting:
    """The middle of the picture, as high as it was."""
    inner = max(size[0], round(whole[0] * size[1] / whole[1])), size[1]
    left = (inner[0] - size[0]) // 2
    return Setting(inner, lambda image: image.crop((left, 0, left + size[0], size[1])))


def blurred(size: Size, whole: Size) -> Setting:
    """The whole picture across the middle, and its own blur above and below."""
    inner = size[0], max(2, round(size[0] * whole[1] / whole[0] / 2) * 2)

    def place(image: Image.Image) -> Image.Image:
        small = ImageOps.fit(image, (size[0] // 8, size[1] // 8), Image.Resampling.BOX)
        back = small.filter(ImageFilter.GaussianBlur(2)).resize(size, Image.Resampling.BILINEAR)
        back.paste(image, (0, (size[1] - inner[1]) // 2))
        return back

    return Setting(inner, place)


def with_banner(size: Size, whole: Size, text: str, seed: int) -> Setting:
    """A coloured field with the page's name above, below or on both sides of the picture."""
    dice = np.random.default_rng(seed)
    share = float(dice.uniform(0.12, 0.28))
    above, below = ((share, 0.0), (0.0, share), (share * 0.6, share * 0.6))[dice.integers(3)]
    room = size[1] * (1 - above - below)
    scale = min(size[0] / whole[0], room / whole[1])
    inner = round(whole[0] * scale), round(whole[1] * scale)
    field = _field(size, text, (above, below), dice)
    corner = (size[0] - inner[0]) // 2, round(size[1] * above + (room - inner[1]) / 2)

    def place(image: Image.Image) -> Image.Image:
        picture = field.copy()
        picture.paste(image, corner)
        return picture

    return Setting(inner, place)


def _field(size: Size, text: str, bars: tuple[float, float], dice: np.random.Generator) -> Image.Image:
    paper, ink = _colour(dice, 0.25), _colour(dice, 0.95)
    field = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(field)
    for number in range(6):
        left = size[0] * (number / 6 + 0.02)
        shade = tuple(min(255, value + 22) for value in paper)
        draw.polygon([(left, 0), (left + size[0] * 0.05, 0), (left - size[0] * 0.05, size[1]), (left - size[0] * 0.1, size[1])], fill=shade)  # fmt: skip # noqa: E501
    name = FACES[dice.integers(len(FACES))]
    for bar, middle in zip(bars, (bars[0] / 2, 1 - bars[1] / 2), strict=True):
        if bar:
            draw.text(
                (size[0] / 2, size[1] * middle), text, ink, face(name, max(10, round(size[1] * bar * 0.4))), anchor="mm"
            )
    return field


def _colour(dice: np.random.Generator, value: float) -> tuple[int, int, int]:
    red, green, blue = hsv_to_rgb(float(dice.random()), float(dice.uniform(0.3, 0.9)), value)
    return round(red * 255), round(green * 255), round(blue * 255)
