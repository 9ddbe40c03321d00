"""What happens to a film before it is posted again, and what two films may share without being copies."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

from tests.support.fingerprint import scenes as s
from tests.support.fingerprint.scenes import Film, Pictures

Made = Callable[[Film], Film]

ORIGINAL = "original"


def size(film: Film) -> tuple[int, int]:
    return film.pictures.shape[2], film.pictures.shape[1]


def shrunk(film: Film, share: float = 0.6) -> Film:
    width, height = size(film)
    return s.resized(film, round(width * share / 2) * 2, round(height * share / 2) * 2)


def part(film: Film, start: float, end: float) -> Film:
    return s.trimmed(film, start * film.seconds, end * film.seconds)


def watermarked(film: Film) -> Film:
    width, height = size(film)
    mask = Image.new("L", (width, height), 0)
    for row in range(3):
        ImageDraw.Draw(mask).text((width * 0.08, height * (0.15 + 0.3 * row)), "@somebody", 255, font_size=height // 6)
    share = np.asarray(mask, np.float32) / 255 * 0.35
    return film.but(film.pictures * (1 - share) + 255 * share)


def with_camera(film: Film, share: float = 0.3) -> Film:
    """Somebody's moving face in a corner."""
    width, height = size(film)
    inset = guest(film, film.seconds, 902, share)
    out = film.pictures.copy()
    count, h, w = inset.pictures.shape
    out[:count, height - h : height, width - w : width] = inset.pictures[: len(out)]
    return film.but(out)


def guest(film: Film, seconds: float, place: int, share: float = 1.0) -> Film:
    """Another film of the same shape and rate."""
    width, height = (round(n * share / 2) * 2 for n in size(film))
    return s.Scene(place, seconds=seconds, width=width, height=height, fps=film.fps).film()


def card(film: Film, text: str, seed: int) -> Pictures:
    return s.card(text, *size(film), seed)


def black(film: Film, seconds: float) -> Film:
    return s.still(np.full(film.pictures.shape[1:], 4, np.uint8), seconds, film.fps)


def faint(film: Film) -> Film:
    """Little texture: a distant, foggy view."""
    return s.levels(film, 128 + (np.arange(256) - 128) * 0.3)


COPIES: dict[str, Made] = {
    "re-encoded": lambda f: f,
    "re-encoded at 60 % of the size": shrunk,
    "trimmed to the first 60 %": lambda f: part(f, 0, 0.6),
    "trimmed to the last half": lambda f: part(f, 0.5, 1),
    "trimmed on both sides": lambda f: part(f, 0.2, 0.8),
    "30 frames a second": lambda f: s.at_rate(f, 30),
    "15 frames a second": lambda f: s.at_rate(f, 15),
    "brighter (gamma 0.7)": lambda f: s.gamma(f, 0.7),
    "darker (gamma 1.5)": lambda f: s.gamma(f, 1.5),
    "cropped by 5 %": lambda f: s.cropped(f, 0.05),
    "cropped by 10 %": lambda f: s.cropped(f, 0.10),
    "letterbox": s.letterboxed,
    "9:16, black bars": s.upright,
    "9:16, blurred fill": s.upright_blurred,
    "cut to a square": lambda f: s.cut_to(f, 1.0),
    "text": s.captioned,
    "watermark": watermarked,
    "mirrored": s.mirrored,
    "3 % faster": lambda f: s.sped(f, 1.03),
    "3 % slower": lambda f: s.sped(f, 0.97),
    "picture in picture": with_camera,
    "replay wipe inserted": lambda f: s.wiped(f, f.seconds * 0.4),
    "fan template, 30 % banner": lambda f: s.bannered(f, 0.30),
    "fan template, 45 % banner": s.bannered,
    "all at once": lambda f: s.upright(
        shrunk(s.captioned(s.cropped(s.gamma(s.at_rate(part(f, 0.1, 0.85), 30), 1.25), 0.05)))
    ),
    "all at once, mirrored": lambda f: s.letterboxed(
        shrunk(s.captioned(s.mirrored(s.sped(s.gamma(part(f, 0.15, 1), 0.8), 1.03))))
    ),
}

BEYOND: dict[str, Made] = {
    "cropped by 20 %": lambda f: s.cropped(f, 0.2),
    "10 % faster": lambda f: s.sped(f, 1.1),
    "slow motion, half speed": lambda f: s.sped(f, 0.5),
    "fan template, 60 % banner": lambda f: s.bannered(f, 0.6),
}

LONG_COPIES: dict[str, Made] = {
    "re-encoded": shrunk,
    "8 s of it": lambda f: s.trimmed(f, f.seconds / 2, f.seconds / 2 + 8),
    "9:16, blurred fill": s.upright_blurred,
    "3 % faster": lambda f: s.sped(f, 1.03),
    "all at once": COPIES["all at once"],
}

FURNITURE: dict[str, Made] = {
    "nothing but the camera": lambda f: f,
    "black lead-in": lambda f: s.joined(black(f, 2), f),
    "intro of 1.2 s": lambda f: s.joined(guest(f, 1.2, 901), f),
    "replay wipe": lambda f: s.wiped(f, f.seconds * 0.35),
    "end card": lambda f: s.joined(f, s.still(card(f, "THANKS", 3), 2, f.fps)),
    "fan template": s.bannered,
    "blurred fill": s.upright_blurred,
    "fade from black": s.faded_in,
    "little texture": faint,
    "picture in picture": with_camera,
}

# Furniture that takes up nearly half of a clip of eight seconds.
HEAVY: dict[str, Made] = {"intro of 3.5 s": lambda f: s.joined(guest(f, 3.5, 901), f)}


def cards() -> dict[str, Film]:
    """Still cards of one design that say different things."""
    texts = ["1 - 0", "2 - 0", "2 - 1", "HALF TIME", "FULL TIME", "3 - 1"]
    return {f"card {text}": s.still(s.card(text, 480, 270, 4), 4) for text in texts}
