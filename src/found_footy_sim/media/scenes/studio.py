"""Clips that show no football: people talking at a desk, and plain colour for odd files."""

from collections.abc import Iterator
from colorsys import hsv_to_rgb
from dataclasses import dataclass
from math import sin

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from found_footy_sim.media.clip_spec import ClipScene
from found_footy_sim.media.graphics.fonts import TYPEFACES, load_default_font, load_typeface

_SKIN_COLOURS = ("#d9a878", "#8a5a36", "#f0c8a0", "#704828")
_SHOW_TITLES = (
    ("THE WEEKLY", "a talk show, not a match"),
    ("MATCH TALK", "all about the weekend"),
    ("BREAKING", "transfer news"),
    ("POST MATCH", "the manager speaks"),
)


@dataclass(frozen=True)
class StudioGuest:
    share: float
    jacket: tuple[int, int, int]
    skin: str
    phase: float


def render_talk_show(scene: ClipScene) -> Iterator[Image.Image]:
    """One to three people at a desk in front of a screen with the show's name; a strip with the time of day below."""
    dice = np.random.default_rng([scene.seed, 51])
    behind, guests = _draw_set(scene, dice), _generate_guests(dice)
    for number in range(round(scene.duration * scene.fps)):
        picture, at = behind.copy(), number / scene.fps
        for index, guest in enumerate(guests):
            _draw_guest(picture, guest, at, talking=int(at / 3) % len(guests) == index)
        _draw_desk(picture)
        _draw_news_strip(picture, scene)
        yield picture


def render_blank(scene: ClipScene) -> Iterator[Image.Image]:
    """One colour, slowly changing: any size, rate and length at little cost."""
    for number in range(round(scene.duration * scene.fps)):
        shade = (scene.seed * 37 + number) % 256
        yield Image.new("RGB", (scene.width, scene.height), (shade, 60, 255 - shade))


def _generate_guests(dice: np.random.Generator) -> list[StudioGuest]:
    count = int(dice.integers(1, 4))
    return [
        StudioGuest(
            (index + 1) / (count + 1),
            _random_dark_colour(dice),
            _SKIN_COLOURS[dice.integers(4)],
            float(dice.uniform(0, 6)),
        )
        for index in range(count)
    ]


def _random_dark_colour(dice: np.random.Generator) -> tuple[int, int, int]:
    red, green, blue = hsv_to_rgb(float(dice.random()), float(dice.uniform(0.2, 0.7)), float(dice.uniform(0.25, 0.6)))
    return round(red * 255), round(green * 255), round(blue * 255)


def _draw_set(scene: ClipScene, dice: np.random.Generator) -> Image.Image:
    width, height = scene.width, scene.height
    tone = np.array(hsv_to_rgb(float(dice.uniform(0.5, 1.05)) % 1, 0.55, 1.0))
    rise = (np.linspace(0.2, 0.5, height)[:, None, None] * tone * 255).astype(np.uint8)
    picture = Image.fromarray(np.broadcast_to(rise, (height, width, 3)).copy())
    draw = ImageDraw.Draw(picture)
    for column in range(9):
        left = width * (column / 8 - 0.03)
        draw.rectangle((left, 0, left + width * 0.012, height), fill=tuple(int(v) for v in tone * 110))
    picture = picture.filter(ImageFilter.GaussianBlur(height / 120))
    draw = ImageDraw.Draw(picture)
    title, below = _SHOW_TITLES[dice.integers(len(_SHOW_TITLES))]
    draw.rounded_rectangle((width * 0.24, height * 0.08, width * 0.76, height * 0.36), height // 40, fill="#101426")
    name = TYPEFACES[dice.integers(len(TYPEFACES))]
    draw.text((width / 2, height * 0.18), title, "#f2c14e", load_typeface(name, height // 11), anchor="mm")
    draw.text((width / 2, height * 0.28), below, "#c9d0e4", load_default_font(height // 22), anchor="mm")
    return picture


def _draw_guest(picture: Image.Image, guest: StudioGuest, at: float, *, talking: bool) -> None:
    draw = ImageDraw.Draw(picture)
    height, at = picture.height, at + guest.phase
    x = picture.width * guest.share + sin(at * 0.9) * height * 0.008
    y = height * 0.46 + sin(at * 1.7) * height * 0.006
    draw.ellipse((x - height * 0.17, y + height * 0.1, x + height * 0.17, y + height * 0.6), fill=guest.jacket)
    draw.rectangle((x - height * 0.03, y + height * 0.05, x + height * 0.03, y + height * 0.14), fill=guest.skin)
    draw.ellipse((x - height * 0.075, y - height * 0.1, x + height * 0.075, y + height * 0.1), fill=guest.skin)
    draw.chord((x - height * 0.08, y - height * 0.115, x + height * 0.08, y + height * 0.06), 170, 370, fill="#241a16")
    opened = height * (0.006 + 0.012 * abs(sin(at * 9))) if talking else height * 0.004
    draw.ellipse(
        (x - height * 0.022, y + height * 0.045, x + height * 0.022, y + height * 0.045 + opened), fill="#6b2d2d"
    )


def _draw_desk(picture: Image.Image) -> None:
    draw = ImageDraw.Draw(picture)
    width, height = picture.size
    draw.rounded_rectangle((width * 0.12, height * 0.76, width * 0.88, height * 1.1), height // 20, fill="#5a3c2a")
    draw.rectangle((width * 0.12, height * 0.79, width * 0.88, height * 0.8), fill="#8a6244")


def _draw_news_strip(picture: Image.Image, scene: ClipScene) -> None:
    """News of the day with the time of day: it reads like a clock, and does not run."""
    draw = ImageDraw.Draw(picture)
    width, height = picture.size
    draw.rectangle((0, height * 0.9, width, height * 0.97), fill="#0c1b3a")
    text = f"{10 + scene.seed % 13}:{scene.seed * 7 % 60:02d}   LATEST: {scene.home.short} AND {scene.away.short} MEET"
    draw.text((width * 0.04, height * 0.935), text, "white", load_default_font(max(9, height // 24)), anchor="lm")
