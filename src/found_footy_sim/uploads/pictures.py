"""Draws the files that an organization uploads: motifs that an image classifier tells apart, and hostile files.

The same motif and variant are the same bytes, so the version of an object can be told from them.
"""

import io
import math
import random
from collections.abc import Callable
from enum import StrEnum
from functools import cache

from PIL import Image, ImageDraw

SIDE = 256
_BLACK, _WHITE, _PAPER = (16, 16, 16), (248, 248, 248), (240, 240, 235)
_SPOKES = 16
_HOURS = 12
_BALL_PATCHES = 5

Draw = ImageDraw.ImageDraw
Random = random.Random


class Motif(StrEnum):
    GRID = "grid"
    CHECKERS = "checkers"
    RINGS = "rings"
    WEB = "web"
    CLOCK = "clock"
    HONEYCOMB = "honeycomb"
    BALL = "ball"


class HostileKind(StrEnum):
    """truncated: the first half of a picture; html: a page with the name of a picture; oversized: more bytes than are
    accepted.
    """

    TRUNCATED = "truncated"
    HTML = "html"
    OVERSIZED = "oversized"


@cache
def draw_picture(motif: Motif, variant: int) -> bytes:
    """Return a PNG for an even variant, a JPEG for an odd one."""
    background, draw_motif = _MOTIFS[motif]
    picture = Image.new("RGB", (SIDE, SIDE), background)
    draw_motif(ImageDraw.Draw(picture), random.Random(f"{motif}:{variant}"))
    data = io.BytesIO()
    picture.save(data, "JPEG" if variant % 2 else "PNG", **({"quality": 92} if variant % 2 else {}))
    return data.getvalue()


def build_hostile_file(kind: HostileKind, variant: int, max_bytes: int) -> bytes:
    """`max_bytes` is the largest size that is accepted."""
    if kind is HostileKind.TRUNCATED:
        whole = draw_picture(Motif.HONEYCOMB, variant)
        return whole[: len(whole) // 2]
    if kind is HostileKind.HTML:
        return f"<!doctype html><title>{variant}</title><script>alert(document.cookie)</script>".encode()
    picture = draw_picture(Motif.GRID, variant)
    return picture + bytes(max_bytes + 1 - len(picture))


def _draw_grid(draw: Draw, random: Random) -> None:
    step = random.randrange(20, 32)
    for place in range(0, SIDE, step):
        draw.line((place, 0, place, SIDE), fill=_BLACK, width=3)
        draw.line((0, place, SIDE, place), fill=_BLACK, width=3)


def _draw_checkers(draw: Draw, random: Random) -> None:
    step = random.randrange(24, 40)
    for row in range(SIDE // step + 1):
        for column in range(row % 2, SIDE // step + 1, 2):
            draw.rectangle((column * step, row * step, (column + 1) * step, (row + 1) * step), fill=_BLACK)


def _draw_rings(draw: Draw, random: Random) -> None:
    middle, width = SIDE // 2, random.randrange(4, 7)
    for radius in range(middle, 0, -14):
        draw.ellipse((middle - radius, middle - radius, middle + radius, middle + radius), outline=_BLACK, width=width)


def _draw_web(draw: Draw, random: Random) -> None:
    middle, step = SIDE / 2, random.randrange(13, 18)
    for spoke in range(_SPOKES):
        draw.line(((middle, middle), _on_circle(middle, SIDE, spoke, _SPOKES)), fill=_PAPER, width=2)
    for radius in range(step, SIDE, step):
        points = [_on_circle(middle, radius, spoke, _SPOKES) for spoke in range(_SPOKES + 1)]
        draw.line(points, fill=_PAPER, width=2)


def _draw_clock(draw: Draw, random: Random) -> None:
    middle = SIDE / 2
    draw.ellipse((SIDE * 0.1, SIDE * 0.1, SIDE * 0.9, SIDE * 0.9), fill=_WHITE, outline=_BLACK, width=8)
    for hour in range(_HOURS):
        ends = (_on_circle(middle, SIDE * 0.33, hour, _HOURS), _on_circle(middle, SIDE * 0.38, hour, _HOURS))
        draw.line(ends, fill=_BLACK, width=5)
    for length, width in ((SIDE * 0.3, 6), (SIDE * 0.2, 8)):
        draw.line(((middle, middle), _on_circle(middle, length, random.randrange(60), 60)), fill=_BLACK, width=width)


def _draw_honeycomb(draw: Draw, random: Random) -> None:
    radius = random.randrange(16, 24)
    for column in range(-1, SIDE // radius):
        for row in range(-1, SIDE // radius + 1):
            center = (column * radius * 1.75 + (row % 2) * radius * 0.87, row * radius * 1.5)
            cell = (*center, radius * 0.9)
            draw.regular_polygon(cell, 6, rotation=30, fill=(235, 160, 30), outline=(90, 50, 5))


def _draw_ball(draw: Draw, random: Random) -> None:
    middle, turn = SIDE / 2, random.random()
    draw.ellipse((SIDE * 0.15, SIDE * 0.15, SIDE * 0.85, SIDE * 0.85), fill=_WHITE, outline=_BLACK, width=4)
    draw.regular_polygon((middle, middle, SIDE * 0.09), 5, fill=_BLACK)
    for patch in range(_BALL_PATCHES):
        place = _on_circle(middle, SIDE * 0.27, patch + turn, _BALL_PATCHES)
        draw.regular_polygon((*place, SIDE * 0.07), 5, fill=_BLACK)


def _on_circle(middle: float, radius: float, part: float, parts: int) -> tuple[float, float]:
    angle = 2 * math.pi * part / parts
    return middle + radius * math.cos(angle), middle + radius * math.sin(angle)


_MOTIFS: dict[Motif, tuple[tuple[int, int, int], Callable[[Draw, Random], None]]] = {
    Motif.GRID: (_PAPER, _draw_grid),
    Motif.CHECKERS: (_WHITE, _draw_checkers),
    Motif.RINGS: (_WHITE, _draw_rings),
    Motif.WEB: ((30, 60, 40), _draw_web),
    Motif.CLOCK: ((120, 80, 60), _draw_clock),
    Motif.HONEYCOMB: ((240, 190, 60), _draw_honeycomb),
    Motif.BALL: ((40, 130, 50), _draw_ball),
}
