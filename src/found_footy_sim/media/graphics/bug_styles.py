"""Styles of score bugs: a broadcaster's colours, typeface, position, words and clock format."""

from colorsys import hsv_to_rgb
from dataclasses import dataclass, replace
from functools import lru_cache
from zlib import crc32

import numpy as np

from found_footy_sim.media.clip_spec import ClockFormat
from found_footy_sim.media.graphics.fonts import TYPEFACES

# Names of the halves and of the two halves of extra time.
PeriodNames = tuple[str, str, str, str]
PERIOD_NAMES: tuple[PeriodNames, ...] = (
    ("1H", "2H", "ET", "ET"),
    ("1ST", "2ND", "ET", "ET"),
    ("1T", "2T", "PRORROGA", "PRORROGA"),
    ("1ST HALF", "2ND HALF", "EXTRA TIME", "EXTRA TIME"),
    ("1º T", "2º T", "TS", "TS"),
    ("1. HZ", "2. HZ", "VERL", "VERL"),
)


@dataclass(frozen=True)
class FieldColours:
    """The colours of a field and of its text."""

    paper: str
    ink: str


@dataclass(frozen=True)
class BugStyle:
    """`margin` is the distance from the picture's edges, as shares of its width and height; `opacity` that of the
    fields, never of the letters. `last` puts the clock behind the score; `joint` separates the two numbers.
    """

    teams: FieldColours
    score: FieldColours
    clock: FieldColours
    flash: FieldColours = FieldColours("#e8b923", "#101820")
    letters: str = ""
    opacity: float = 1.0
    scale: float = 1.0
    margin: tuple[float, float] = (0.045, 0.055)
    radius: int = 6
    joint: str = " - "
    form: ClockFormat = ClockFormat.RUNS_ON
    words: PeriodNames | None = None
    words_last: bool = False
    last: bool = False
    announces: bool = False
    right: bool = False


_DARK_FIELD, _LIGHT_FIELD, _BLACK_FIELD = (
    FieldColours("#0d1526", "#ffffff"),
    FieldColours("#f7f7f2", "#161616"),
    FieldColours("#161616", "#ffffff"),
)
_SMALL_TIMER = ClockFormat.SMALL_TIMER

# Style 0 of every design.
PLAIN_STYLES: dict[str, BugStyle] = {
    "bar": BugStyle(_DARK_FIELD, FieldColours("#24385e", "#ffffff"), _LIGHT_FIELD),
    "stack": BugStyle(
        _LIGHT_FIELD, _BLACK_FIELD, _BLACK_FIELD, FieldColours("#c8102e", "#ffffff"), form=_SMALL_TIMER, radius=0
    ),
    "pill": BugStyle(
        _LIGHT_FIELD, _BLACK_FIELD, _BLACK_FIELD, FieldColours("#0b6b3a", "#ffffff"), radius=24, joint="  "
    ),
    "strip": BugStyle(
        _BLACK_FIELD, FieldColours("#b3122a", "#ffffff"), _LIGHT_FIELD, last=True, words=PERIOD_NAMES[1], radius=0
    ),
    "glass": BugStyle(
        _BLACK_FIELD, _BLACK_FIELD, _BLACK_FIELD, opacity=0.55, last=True, joint="-", words=PERIOD_NAMES[0], radius=0
    ),
    "ticker": BugStyle(
        _DARK_FIELD,
        FieldColours("#f2c14e", "#161616"),
        _DARK_FIELD,
        form=_SMALL_TIMER,
        announces=True,
        words=PERIOD_NAMES[3],
        radius=2,
    ),
    "corner": BugStyle(
        _LIGHT_FIELD,
        FieldColours("#1456a0", "#ffffff"),
        _BLACK_FIELD,
        form=ClockFormat.RESTARTS,
        words=PERIOD_NAMES[2],
        right=True,
    ),
}


@lru_cache(maxsize=256)
def generate_style(design: str, number: int) -> BugStyle:
    """The style of a design with this number; the number always gives the same style, and another number another."""
    plain = PLAIN_STYLES[design]
    if number == 0:
        return plain
    dice = np.random.default_rng([crc32(design.encode()), number])
    teams, score, clock, flash = _generate_palette(dice)
    form = ClockFormat(dice.choice(list(ClockFormat), p=[0.5, 0.3, 0.2]))
    letters = TYPEFACES[dice.integers(len(TYPEFACES))]
    words = _choose_period_names(dice, letters) if form is ClockFormat.RESTARTS or dice.random() < 0.45 else None
    see_through = 0.5 if design == "glass" else 0.12
    return replace(
        plain,
        teams=teams,
        score=score,
        clock=clock,
        flash=flash,
        letters=letters,
        opacity=float(dice.uniform(0.45, 0.75) if dice.random() < see_through else 1.0),
        scale=float(dice.uniform(0.82, 1.14)),
        margin=(float(dice.uniform(0.025, 0.08)), float(dice.uniform(0.035, 0.09))),
        radius=int(dice.choice([0, 0, 4, 10, 24])),
        joint=str(dice.choice(["-", " - ", " – ", "  ", ":"])),
        form=form,
        words=words,
        words_last=bool(dice.random() < 0.3),
        last=bool(dice.random() < 0.4),
        announces=bool(dice.random() < 0.6),
        right=plain.right != bool(dice.random() < 0.25),
    )


def _choose_period_names(dice: np.random.Generator, letters: str) -> PeriodNames:
    words = PERIOD_NAMES[dice.integers(len(PERIOD_NAMES))]
    # Pillow's own typeface lacks this sign.
    return words if letters or "º" not in words[0] else PERIOD_NAMES[0]


def _generate_palette(dice: np.random.Generator) -> tuple[FieldColours, FieldColours, FieldColours, FieldColours]:
    hue = float(dice.random())
    base = _random_field(hue, dice, light=bool(dice.random() < 0.4))
    other = _random_field(hue, dice, light=base.ink == "#ffffff")
    vivid = _contrasting_field(
        hsv_to_rgb(float(dice.random()), float(dice.uniform(0.6, 0.95)), float(dice.uniform(0.45, 0.95)))
    )
    flash = _contrasting_field(hsv_to_rgb(float(dice.random()), 0.85, 0.95))
    score = (vivid, other, base)[dice.integers(3)]
    clock = (base, other, vivid)[dice.integers(3)]
    return base, score, clock, flash


def _random_field(hue: float, dice: np.random.Generator, *, light: bool) -> FieldColours:
    if light:
        return _contrasting_field(hsv_to_rgb(hue, float(dice.uniform(0.0, 0.10)), float(dice.uniform(0.88, 1.0))))
    return _contrasting_field(hsv_to_rgb(hue, float(dice.uniform(0.2, 0.85)), float(dice.uniform(0.06, 0.32))))


def _contrasting_field(colour: tuple[float, float, float]) -> FieldColours:
    """The field of this colour with black or white text, whichever has more contrast."""
    red, green, blue = colour
    bright = 0.30 * red + 0.59 * green + 0.11 * blue > 0.56
    return FieldColours(f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}", _text_colour(bright))


def _text_colour(bright: bool) -> str:
    return "#121417" if bright else "#ffffff"
