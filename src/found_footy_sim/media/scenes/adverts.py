"""Videos posted under a goal's name that show none: moving adverts, and still cards."""

from collections.abc import Iterator
from colorsys import hsv_to_rgb
from math import sin

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from found_footy_sim.media.clip_spec import ClipScene
from found_footy_sim.media.graphics.fonts import TYPEFACES, load_typeface

_ADVERT_TEXTS = (
    ("STREAM EVERY MATCH", "LINK IN BIO", "FROM 9.99"),
    ("BOOTS -40%", "ONLY TODAY", "UNTIL 23:59"),
    ("WIN BIG TONIGHT", "SIGN UP NOW", "18+"),
    ("NEW SEASON SHIRTS", "FREE DELIVERY", "OPEN 10:00 - 20:00"),
)
_CARD_TITLES = ("FULL TIME", "LINE-UPS", "KICK-OFF 20:45", "GOAL!", "MATCH DAY", "HALF TIME")
Rgb = tuple[int, int, int]


def render_advert(scene: ClipScene) -> Iterator[Image.Image]:
    """Colour, drifting shapes, and an offer that appears and disappears."""
    dice = np.random.default_rng([scene.seed, 41])
    back, lines = _draw_backdrop(scene, dice), _ADVERT_TEXTS[dice.integers(len(_ADVERT_TEXTS))]
    shapes = dice.uniform(0, 1, (7, 3))
    inks = [_random_colour(dice, 0.95) for _ in range(4)]
    name = TYPEFACES[dice.integers(len(TYPEFACES))]
    for number in range(round(scene.duration * scene.fps)):
        picture, at = back.copy(), number / scene.fps
        draw = ImageDraw.Draw(picture)
        for index, (x, y, wide) in enumerate(shapes):
            reach = scene.height * (0.05 + 0.14 * wide)
            across = ((x + at * 0.08 * (wide + 0.3)) % 1.2 - 0.1) * scene.width
            down = (y + 0.06 * sin(at * 1.3 + index)) * scene.height
            draw.ellipse((across - reach, down - reach, across + reach, down + reach), fill=inks[index % 3])
        for index, text in enumerate(lines):
            if at * 1.6 > index:
                letters = load_typeface(name, max(10, scene.height // (8 + 3 * index)))
                middle = scene.width / 2, scene.height * (0.35 + 0.2 * index)
                draw.text(middle, text, "white", letters, anchor="mm", stroke_width=2, stroke_fill=(20, 20, 24))
        yield picture


def render_card(scene: ClipScene) -> Iterator[Image.Image]:
    """One picture that never changes: a result, a line-up, a time."""
    dice = np.random.default_rng([scene.seed, 42])
    picture = _draw_backdrop(scene, dice)
    draw = ImageDraw.Draw(picture)
    name = TYPEFACES[dice.integers(len(TYPEFACES))]
    width, height = scene.width, scene.height
    for index, club in enumerate((scene.home, scene.away)):
        middle = width * (0.27 + 0.46 * index)
        draw.ellipse((middle - height * 0.11, height * 0.3, middle + height * 0.11, height * 0.52), fill=club.shirt)
        draw.text((middle, height * 0.62), club.short, "white", load_typeface(name, height // 10), anchor="mm")
    result = f"{scene.score[0]} - {scene.score[1]}"
    draw.text((width / 2, height * 0.42), result, "white", load_typeface(name, height // 7), anchor="mm")
    title = _CARD_TITLES[dice.integers(len(_CARD_TITLES))]
    draw.text((width / 2, height * 0.16), title, "white", load_typeface(name, height // 11), anchor="mm")
    for _ in range(round(scene.duration * scene.fps)):
        yield picture.copy()


def _draw_backdrop(scene: ClipScene, dice: np.random.Generator) -> Image.Image:
    first, second = np.array(_random_colour(dice, 0.3)), np.array(_random_colour(dice, 0.75))
    slope = np.linspace(0, 1, 64)[:, None, None] * 0.6 + np.linspace(0, 1, 64)[None, :, None] * 0.4
    small = (first + (second - first) * slope).astype(np.uint8)
    image = Image.fromarray(small).resize((scene.width, scene.height), Image.Resampling.BILINEAR)
    return image.filter(ImageFilter.GaussianBlur(2))


def _random_colour(dice: np.random.Generator, value: float) -> Rgb:
    """Any colour but that of grass."""
    hue = float(dice.uniform(0.5, 1.1)) % 1.0
    red, green, blue = hsv_to_rgb(hue, float(dice.uniform(0.4, 0.9)), value)
    return round(red * 255), round(green * 255), round(blue * 255)
