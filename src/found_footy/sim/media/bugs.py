"""Score bugs: the small panel with teams, score and clock. A design is one function; add it to DESIGNS."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from found_footy.sim.media.spec import Scene


@dataclass(frozen=True)
class Reading:
    """What a bug says in one second of the clip."""

    home: str
    away: str
    colours: tuple[str, str]
    score: tuple[int, int]
    seconds: int
    regular: int
    flash: bool = False

    @property
    def clock(self) -> str:
        return f"{self.seconds // 60:02d}:{self.seconds % 60:02d}"

    @property
    def frozen_clock(self) -> str:
        return f"{self.regular:02d}:00" if self.over > 0 else self.clock

    @property
    def over(self) -> int:
        """Seconds of added time that have been played."""
        return max(0, self.seconds - self.regular * 60)


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont:
    face = ImageFont.load_default(size)
    assert isinstance(face, ImageFont.FreeTypeFont)
    return face


def _text(draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int, fill: str, heavy: int = 1) -> None:
    draw.text(at, text, fill, font(size), anchor="mm", stroke_width=heavy, stroke_fill=fill)


def bar(reading: Reading) -> Image.Image:
    """A dark bar: clock on white, then home, score, away. The clock runs on through added time."""
    image = Image.new("RGBA", (620, 72))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 6, 600, 66), 8, fill="#0d1526")
    draw.rounded_rectangle((0, 6, 150, 66), 8, fill="#f5f6f8")
    draw.rectangle((140, 6, 150, 66), fill="#f5f6f8")
    _text(draw, (75, 36), reading.clock, 40, "#0d1526")
    for left, name, colour in ((150, reading.home, reading.colours[0]), (590, reading.away, reading.colours[1])):
        draw.rectangle((left, 6, left + 10, 66), fill=colour)
        _text(draw, (left + 78 if left == 150 else left - 72, 36), name, 38, "#ffffff")
    panel = "#e8b923" if reading.flash else "#24385e"
    draw.rectangle((300, 6, 446, 66), fill=panel)
    ink = "#0d1526" if reading.flash else "#ffffff"
    _text(draw, (373, 36), f"{reading.score[0]} - {reading.score[1]}", 42, ink)
    return image


def stack(reading: Reading) -> Image.Image:
    """Two rows, home above away, and the clock below. In added time the clock stands and a small one runs beside it."""
    image = Image.new("RGBA", (360, 190))
    draw = ImageDraw.Draw(image)
    sides = ((0, reading.home, 0), (62, reading.away, 1))
    for top, name, side in sides:
        draw.rectangle((0, top, 230, top + 58), fill="#f7f7f2")
        draw.rectangle((0, top, 14, top + 58), fill=reading.colours[side])
        _text(draw, (104, top + 29), name, 40, "#161616")
        draw.rectangle((174, top, 230, top + 58), fill="#c8102e" if reading.flash else "#161616")
        _text(draw, (202, top + 29), str(reading.score[side]), 40, "#ffffff")
    draw.rectangle((0, 124, 174, 182), fill="#161616")
    _text(draw, (87, 153), reading.frozen_clock, 42, "#ffffff")
    if reading.over:
        draw.rectangle((182, 124, 320, 182), fill="#e8b923")
        _text(draw, (251, 153), f"{reading.over // 60:02d}:{reading.over % 60:02d}", 40, "#161616")
    return image


def pill(reading: Reading) -> Image.Image:
    """A light rounded panel in the middle of the top edge, the clock hanging below it."""
    image = Image.new("RGBA", (520, 124))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, 500, 70), 34, fill="#ffffff")
    draw.rounded_rectangle((182, 0, 318, 70), 4, fill="#0b6b3a" if reading.flash else "#101820")
    _text(draw, (250, 35), f"{reading.score[0]}  {reading.score[1]}", 46, "#ffffff")
    for centre, dot, name, colour in ((110, 36, reading.home, 0), (390, 464, reading.away, 1)):
        _text(draw, (centre, 35), name, 42, "#101820")
        draw.ellipse((dot - 13, 22, dot + 13, 48), fill=reading.colours[colour], outline="#101820")
    draw.rounded_rectangle((166, 74, 334, 122), 10, fill="#101820")
    _text(draw, (250, 98), reading.clock, 38, "#ffffff")
    return image


@dataclass(frozen=True)
class Design:
    draw: Callable[[Reading], Image.Image]
    centred: bool = False
    # Height of a drawn bug of 72 rows, as a share of the picture's height.
    share: float = 0.085


DESIGNS = {"bar": Design(bar), "stack": Design(stack), "pill": Design(pill, centred=True, share=0.075)}


def reading_at(scene: Scene, at: float) -> Reading:
    """What the bug says `at` seconds into the clip: the score changes a moment after the ball is in."""
    since = at - scene.moment * scene.duration
    home, away = scene.score
    counted = since >= 1.4
    after = (home + 1, away) if scene.scorer_home else (home, away + 1)
    seconds = int(scene.clock + since // 1)
    colours = scene.home.shirt, scene.away.shirt
    score = after if counted else scene.score
    return Reading(scene.home.short, scene.away.short, colours, score, seconds, scene.regular, counted and since < 3)


@lru_cache(maxsize=64)
def bug(design: str, reading: Reading, size: tuple[int, int]) -> tuple[Image.Image, tuple[int, int]]:
    """The bug at the size of the picture, and where its corner goes."""
    chosen = DESIGNS[design]
    drawn = chosen.draw(reading)
    scale = size[1] * chosen.share / 72
    small = drawn.resize((round(drawn.width * scale), round(drawn.height * scale)), Image.Resampling.LANCZOS)
    left = (size[0] - small.width) // 2 if chosen.centred else round(size[0] * 0.045)
    return small, (left, round(size[1] * 0.055))


@lru_cache(maxsize=8)
def watermark(size: tuple[int, int]) -> tuple[Image.Image, tuple[int, int]]:
    """SIMULATED, small, in the lower right corner."""
    face = font(max(9, size[1] // 30))
    left, top, right, bottom = face.getbbox("SIMULATED")
    image = Image.new("RGBA", (round(right - left) + 4, round(bottom - top) + 4))
    ImageDraw.Draw(image).text((2 - left, 2 - top), "SIMULATED", (255, 255, 255, 150), face)
    margin = round(size[1] * 0.03)
    return image, (size[0] - image.width - margin, size[1] - image.height - margin)
