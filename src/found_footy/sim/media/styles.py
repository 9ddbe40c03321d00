"""How a broadcaster dresses a design: colours, letters, place, words and the way it writes the clock."""

from colorsys import hsv_to_rgb
from dataclasses import dataclass, replace
from functools import lru_cache
from zlib import crc32

import numpy as np

from found_footy.sim.media.faces import FACES
from found_footy.sim.media.spec import ClockForm

# What the halves and the two halves of extra time are called.
Words = tuple[str, str, str, str]
WORDS: tuple[Words, ...] = (
    ("1H", "2H", "ET", "ET"),
    ("1ST", "2ND", "ET", "ET"),
    ("1T", "2T", "PRORROGA", "PRORROGA"),
    ("1ST HALF", "2ND HALF", "EXTRA TIME", "EXTRA TIME"),
    ("1º T", "2º T", "TS", "TS"),
    ("1. HZ", "2. HZ", "VERL", "VERL"),
)


@dataclass(frozen=True)
class Ink:
    """A field and what is written on it."""

    paper: str
    ink: str


@dataclass(frozen=True)
class Style:
    """`margin` is the distance from the picture's edges, as shares of its width and height; `opacity` that of the
    fields, never of the letters. `last` puts the clock behind the score; `joint` stands between the two numbers.
    """

    teams: Ink
    score: Ink
    clock: Ink
    flash: Ink = Ink("#e8b923", "#101820")
    letters: str = ""
    opacity: float = 1.0
    scale: float = 1.0
    margin: tuple[float, float] = (0.045, 0.055)
    radius: int = 6
    joint: str = " - "
    form: ClockForm = ClockForm.RUNS_ON
    words: Words | None = None
    words_last: bool = False
    last: bool = False
    announces: bool = False
    right: bool = False


_DARK, _LIGHT, _NIGHT = Ink("#0d1526", "#ffffff"), Ink("#f7f7f2", "#161616"), Ink("#161616", "#ffffff")
_TIMER = ClockForm.SMALL_TIMER

# Style 0 of every design.
PLAIN: dict[str, Style] = {
    "bar": Style(_DARK, Ink("#24385e", "#ffffff"), _LIGHT),
    "stack": Style(_LIGHT, _NIGHT, _NIGHT, Ink("#c8102e", "#ffffff"), form=_TIMER, radius=0),
    "pill": Style(_LIGHT, _NIGHT, _NIGHT, Ink("#0b6b3a", "#ffffff"), radius=24, joint="  "),
    "strip": Style(_NIGHT, Ink("#b3122a", "#ffffff"), _LIGHT, last=True, words=WORDS[1], radius=0),
    "glass": Style(_NIGHT, _NIGHT, _NIGHT, opacity=0.55, last=True, joint="-", words=WORDS[0], radius=0),
    "ticker": Style(_DARK, Ink("#f2c14e", "#161616"), _DARK, form=_TIMER, announces=True, words=WORDS[3], radius=2),
    "corner": Style(_LIGHT, Ink("#1456a0", "#ffffff"), _NIGHT, form=ClockForm.RESTARTS, words=WORDS[2], right=True),
}


@lru_cache(maxsize=256)
def style_of(design: str, number: int) -> Style:
    """The style of a design with this number; the same one always, and every other number another."""
    plain = PLAIN[design]
    if number == 0:
        return plain
    dice = np.random.default_rng([crc32(design.encode()), number])
    teams, score, clock, flash = _palette(dice)
    form = ClockForm(dice.choice(list(ClockForm), p=[0.5, 0.3, 0.2]))
    letters = FACES[dice.integers(len(FACES))]
    words = _words(dice, letters) if form is ClockForm.RESTARTS or dice.random() < 0.45 else None
    see_through = 0.5 if design == "glass" else 0.12
    return replace(
        plain,
        teams=teams, score=score, clock=clock, flash=flash,
        letters=letters,
        opacity=float(dice.uniform(0.45, 0.75) if dice.random() < see_through else 1.0),
        scale=float(dice.uniform(0.82, 1.14)),
        margin=(float(dice.uniform(0.025, 0.08)), float(dice.uniform(0.035, 0.09))),
        radius=int(dice.choice([0, 0, 4, 10, 24])),
        joint=str(dice.choice(["-", " - ", " – ", "  ", ":"])),
        form=form, words=words,
        words_last=bool(dice.random() < 0.3),
        last=bool(dice.random() < 0.4),
        announces=bool(dice.random() < 0.6),
        right=plain.right != bool(dice.random() < 0.25),
    )  # fmt: skip


def _words(dice: np.random.Generator, letters: str) -> Words:
    words = WORDS[dice.integers(len(WORDS))]
    # Pillow's own face has no such sign.
    return words if letters or "º" not in words[0] else WORDS[0]


def _palette(dice: np.random.Generator) -> tuple[Ink, Ink, Ink, Ink]:
    hue = float(dice.random())
    base = _paper(hue, dice, light=bool(dice.random() < 0.4))
    other = _paper(hue, dice, light=base.ink == "#ffffff")
    vivid = _on(hsv_to_rgb(float(dice.random()), float(dice.uniform(0.6, 0.95)), float(dice.uniform(0.45, 0.95))))
    flash = _on(hsv_to_rgb(float(dice.random()), 0.85, 0.95))
    score = (vivid, other, base)[dice.integers(3)]
    clock = (base, other, vivid)[dice.integers(3)]
    return base, score, clock, flash


def _paper(hue: float, dice: np.random.Generator, *, light: bool) -> Ink:
    if light:
        return _on(hsv_to_rgb(hue, float(dice.uniform(0.0, 0.10)), float(dice.uniform(0.88, 1.0))))
    return _on(hsv_to_rgb(hue, float(dice.uniform(0.2, 0.85)), float(dice.uniform(0.06, 0.32))))


def _on(colour: tuple[float, float, float]) -> Ink:
    """The field of this colour with black or white on it, whichever is told apart better."""
    red, green, blue = colour
    bright = 0.30 * red + 0.59 * green + 0.11 * blue > 0.56
    return Ink(f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}", _black_or_white(bright))


def _black_or_white(bright: bool) -> str:
    return "#121417" if bright else "#ffffff"
