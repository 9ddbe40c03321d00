"""Players, referee and ball as small pictures with an alpha channel."""

from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin

from PIL import Image, ImageDraw, ImageFilter

STRIDE_POSES = 8
STANDING_POSE, CHEERING_POSE = STRIDE_POSES, STRIDE_POSES + 1
_MASTER_HEIGHT = 300
_SKIN_COLOURS = ("#f0c8a0", "#d9a878", "#a8744a", "#704828")
_HAIR_COLOURS = ("#2a1c14", "#0e0c0c", "#6b4a26", "#181210")
# After this many numbers skin and hair repeat.
APPEARANCE_COUNT = 8


@dataclass(frozen=True)
class PlayerAppearance:
    shirt: str
    shorts: str
    socks: str
    number: int = 0


# Cache sizes: the pictures of a clip, and of the next one if it is of the same match. A process that renders a whole
# day would otherwise keep every player it ever drew, most of a gigabyte.
_MAX_SCALED_FIGURES, _MAX_REDUCED_FIGURES, _MAX_MASTER_FIGURES = 3000, 600, 60


@lru_cache(maxsize=_MAX_SCALED_FIGURES)
def draw_figure(look: PlayerAppearance, pose: int, facing_left: bool, height: int) -> Image.Image:
    """A player `height` pixels tall. Poses 0 to 7 are a running stride, then standing, then arms up."""
    large = _reduce_master(
        look, pose, facing_left, next((part for part in (6, 3, 2) if _MASTER_HEIGHT // part > height), 1)
    )
    return large.resize((height, height), Image.Resampling.BILINEAR).convert("RGBA")


@lru_cache(maxsize=_MAX_REDUCED_FIGURES)
def _reduce_master(look: PlayerAppearance, pose: int, facing_left: bool, part: int) -> Image.Image:
    """A reduced master: scaling a large picture for every height would be slow, and so would premultiplying its colours
    by alpha, with which every resize begins.
    """
    master = _draw_master(look, pose).reduce(part)
    return (master.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if facing_left else master).convert("RGBa")


@lru_cache(maxsize=_MAX_MASTER_FIGURES)
def _draw_master(look: PlayerAppearance, pose: int) -> Image.Image:
    image = Image.new("RGBA", (_MASTER_HEIGHT, _MASTER_HEIGHT))
    draw = ImageDraw.Draw(image)
    running = pose < STRIDE_POSES
    turn = pose / STRIDE_POSES * 2 * pi
    swing = (sin(turn), -sin(turn)) if running else (0.16, -0.16)
    lean = 16 if running else 0
    hip, neck = (150, 158), (150 + lean, 66)
    skin, hair = _SKIN_COLOURS[look.number % 4], _HAIR_COLOURS[look.number // 2 % 4]
    _draw_leg(draw, hip, swing[1], turn + pi, running, look, skin, dark=True)
    _draw_arm(draw, neck, -swing[1], look, skin, cheering=pose == CHEERING_POSE, side=-1, dark=True)
    _draw_leg(draw, hip, swing[0], turn, running, look, skin, dark=False)
    _draw_trunk(draw, hip, neck, look)
    _draw_arm(draw, neck, -swing[0], look, skin, cheering=pose == CHEERING_POSE, side=1, dark=False)
    head = neck[0] + 5, neck[1] - 34
    draw.ellipse((head[0] - 21, head[1] - 24, head[0] + 21, head[1] + 24), fill=skin)
    draw.chord((head[0] - 22, head[1] - 26, head[0] + 20, head[1] + 20), 160, 340, fill=hair)
    return image


def _draw_trunk(draw: ImageDraw.ImageDraw, hip: tuple[int, int], neck: tuple[int, int], look: PlayerAppearance) -> None:
    x, y = neck
    shirt = [(x - 30, y - 6), (x + 30, y - 6), (hip[0] + 26, hip[1] - 8), (hip[0] - 26, hip[1] - 8)]
    draw.polygon(shirt, fill=look.shirt)
    draw.ellipse((x - 34, y - 12, x + 34, y + 26), fill=look.shirt)
    draw.line([(x - 16, y + 12), (hip[0] - 16, hip[1] - 16)], fill=_shade_colour(look.shirt, 0.82), width=14)
    draw.rounded_rectangle((hip[0] - 28, hip[1] - 14, hip[0] + 28, hip[1] + 26), 10, fill=look.shorts)


def _draw_leg(
    draw: ImageDraw.ImageDraw,
    hip: tuple[int, int],
    swing: float,
    turn: float,
    running: bool,
    look: PlayerAppearance,
    skin: str,
    *,
    dark: bool,
) -> None:
    fade = 0.78 if dark else 1.0
    angle = swing * (0.75 if running else 0.55)
    bend = (0.35 + 0.75 * max(0.0, -cos(turn + 0.6))) if running else 0.05
    knee = hip[0] + 62 * sin(angle), hip[1] + 16 + 58 * cos(angle)
    foot = knee[0] + 64 * sin(angle - bend), knee[1] + 64 * cos(angle - bend)
    draw.line([(hip[0], hip[1] + 10), knee], fill=_shade_colour(skin, fade), width=24)
    draw.line(
        [(hip[0], hip[1] + 8), _interpolate_point((hip[0], hip[1] + 8), knee, 0.62)],
        fill=_shade_colour(look.shorts, fade),
        width=36,
    )
    draw.line([knee, foot], fill=_shade_colour(look.socks, fade), width=20)
    draw.ellipse((knee[0] - 12, knee[1] - 12, knee[0] + 12, knee[1] + 12), fill=_shade_colour(skin, fade))
    draw.ellipse((foot[0] - 10, foot[1] - 8, foot[0] + 24, foot[1] + 10), fill="#15161a")


def _draw_arm(
    draw: ImageDraw.ImageDraw,
    neck: tuple[int, int],
    swing: float,
    look: PlayerAppearance,
    skin: str,
    *,
    cheering: bool,
    side: int,
    dark: bool,
) -> None:
    fade = 0.78 if dark else 1.0
    shoulder = neck[0] + side * 20, neck[1] + 6
    elbow: tuple[float, float]
    hand: tuple[float, float]
    if cheering:
        elbow, hand = (shoulder[0] + side * 34, shoulder[1] - 26), (shoulder[0] + side * 42, shoulder[1] - 76)
    else:
        elbow = shoulder[0] + 44 * sin(swing * 0.9) + side * 10, shoulder[1] + 42
        hand = elbow[0] + 40 * sin(swing * 0.9 + 0.9), elbow[1] + 30 * cos(swing * 0.9 + 0.9)
    draw.line([shoulder, elbow], fill=_shade_colour(look.shirt, fade), width=22)
    draw.line([elbow, hand], fill=_shade_colour(skin, fade), width=15)


def _interpolate_point(start: tuple[float, float], end: tuple[float, float], share: float) -> tuple[float, float]:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


@lru_cache(maxsize=256)
def _shade_colour(colour: str, fade: float) -> tuple[int, int, int]:
    red, green, blue = Image.new("RGB", (1, 1), colour).getpixel((0, 0))  # type: ignore[misc]
    return round(red * fade), round(green * fade), round(blue * fade)


@lru_cache(maxsize=256)
def draw_shadow_mask(width: int) -> Image.Image:
    """The mask of a soft shadow on the grass."""
    height = max(2, width // 3)
    mask = Image.new("L", (width * 4, height * 4))
    ImageDraw.Draw(mask).ellipse((width * 0.6, height * 0.6, width * 3.4, height * 3.4), fill=110)
    return mask.filter(ImageFilter.GaussianBlur(width / 4)).reduce(4)


@lru_cache(maxsize=64)
def draw_ball(width: int) -> Image.Image:
    large = Image.new("RGBA", (64, 64))
    draw = ImageDraw.Draw(large)
    draw.ellipse((2, 2, 62, 62), fill="#f7f8f4")
    draw.chord((2, 2, 62, 62), 20, 150, fill="#c9ccc6")
    draw.regular_polygon((30, 28, 12), 5, fill="#30343c")
    return large.resize((width, width), Image.Resampling.LANCZOS)
