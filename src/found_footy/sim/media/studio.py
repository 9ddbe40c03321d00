"""Clips that show no football: people talking at a desk, and plain colour for odd files."""

from collections.abc import Iterator
from math import sin

from PIL import Image, ImageDraw, ImageFilter

from found_footy.sim.media.bugs import font, watermark
from found_footy.sim.media.spec import Scene


def talk(scene: Scene) -> Iterator[Image.Image]:
    """Two people at a desk in front of a screen that says that this is a talk show."""
    behind = _set(scene)
    for number in range(round(scene.duration * scene.fps)):
        picture = behind.copy()
        at = number / scene.fps
        _person(picture, 0.33, at, "#3b5b8c", "#d9a878", talking=int(at / 3) % 2 == 0)
        _person(picture, 0.67, at + 1.7, "#7c3048", "#8a5a36", talking=int(at / 3) % 2 == 1)
        _desk(picture)
        mark, corner = watermark(picture.size)
        picture.paste(mark, corner, mark)
        yield picture


def blank(scene: Scene) -> Iterator[Image.Image]:
    """One colour, slowly changing: any size, rate and length at little cost."""
    for number in range(round(scene.duration * scene.fps)):
        shade = (scene.seed * 37 + number) % 256
        yield Image.new("RGB", (scene.width, scene.height), (shade, 60, 255 - shade))


def _set(scene: Scene) -> Image.Image:
    width, height = scene.width, scene.height
    image = Image.linear_gradient("L").resize((width, height))
    picture = Image.merge(
        "RGB",
        (image.point(lambda v: 40 + v // 5), image.point(lambda v: 24 + v // 8), image.point(lambda v: 64 + v // 4)),
    )
    draw = ImageDraw.Draw(picture)
    for column in range(9):
        left = width * (column / 8 - 0.03)
        draw.rectangle((left, 0, left + width * 0.012, height), fill=(70, 44, 104))
    picture = picture.filter(ImageFilter.GaussianBlur(height / 120))
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle((width * 0.3, height * 0.08, width * 0.7, height * 0.36), height // 40, fill="#101426")
    draw.text((width / 2, height * 0.18), "THE WEEKLY", "#f2c14e", font(height // 11), anchor="mm")
    draw.text((width / 2, height * 0.28), "a talk show, not a match", "#c9d0e4", font(height // 22), anchor="mm")
    return picture


def _person(picture: Image.Image, share: float, at: float, jacket: str, skin: str, *, talking: bool) -> None:
    draw = ImageDraw.Draw(picture)
    height = picture.height
    x = picture.width * share + sin(at * 0.9) * height * 0.008
    y = height * 0.46 + sin(at * 1.7) * height * 0.006
    draw.ellipse((x - height * 0.17, y + height * 0.1, x + height * 0.17, y + height * 0.6), fill=jacket)
    draw.rectangle((x - height * 0.03, y + height * 0.05, x + height * 0.03, y + height * 0.14), fill=skin)
    draw.ellipse((x - height * 0.075, y - height * 0.1, x + height * 0.075, y + height * 0.1), fill=skin)
    draw.chord((x - height * 0.08, y - height * 0.115, x + height * 0.08, y + height * 0.06), 170, 370, fill="#241a16")
    opened = height * (0.006 + 0.012 * abs(sin(at * 9))) if talking else height * 0.004
    draw.ellipse(
        (x - height * 0.022, y + height * 0.045, x + height * 0.022, y + height * 0.045 + opened), fill="#6b2d2d"
    )


def _desk(picture: Image.Image) -> None:
    draw = ImageDraw.Draw(picture)
    width, height = picture.size
    draw.rounded_rectangle((width * 0.12, height * 0.76, width * 0.88, height * 1.1), height // 20, fill="#5a3c2a")
    draw.rectangle((width * 0.12, height * 0.79, width * 0.88, height * 0.8), fill="#8a6244")
