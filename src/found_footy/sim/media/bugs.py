"""Score bugs: the small panel with teams, score and clock. A design is one function; add it to DESIGNS."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw

from found_footy.sim.media.faces import font
from found_footy.sim.media.panels import Cell, column, row
from found_footy.sim.media.reading import Reading, reading_at
from found_footy.sim.media.styles import Ink, Style, style_of

__all__ = ["DESIGNS", "Reading", "bug", "reading_at", "watermark"]


def bar(reading: Reading, style: Style) -> Image.Image:
    """One row: clock, home, score, away."""
    score, match = _score(reading, style), _sides(reading, style)
    body = [match[0], score, match[1]]
    clock = _clock(reading, style)
    return row([*body, *clock] if style.last else [*clock, *body], style)


def stack(reading: Reading, style: Style) -> Image.Image:
    """Two rows, home above away, and the clock below or above."""
    goals = [Cell(str(goals), _score_ink(reading, style), "00") for goals in reading.score]
    names = zip((reading.home, reading.away), reading.colours, goals, strict=True)
    teams = [row([Cell(name, style.teams, "MMM", mark), number], style) for name, mark, number in names]
    clock = row(_clock(reading, style), style)
    return column([clock, *teams] if style.last else [*teams, clock], gap=3, right=style.right)


def pill(reading: Reading, style: Style) -> Image.Image:
    """A rounded row in the middle of the top edge, the clock hanging below it."""
    home, away = _sides(reading, style)
    match = row([home, _score(reading, style), away], style)
    return column([match, row(_clock(reading, style), style)], gap=3, centred=True)


def strip(reading: Reading, style: Style) -> Image.Image:
    """A broad strip at the foot of the picture."""
    home, away = (Cell(side.text, side.ink, "MMMMMM", side.mark) for side in _sides(reading, style))
    body = [home, _score(reading, style), away]
    clock = _clock(reading, style)
    return row([*body, *clock] if style.last else [*clock, *body], style)


def glass(reading: Reading, style: Style) -> Image.Image:
    """Everything in one line on one field that the picture shows through."""
    teams = f"{reading.home} {reading.score[0]}{style.joint}{reading.score[1]} {reading.away}"
    ink = style.flash if reading.flash else style.teams
    body = [Cell(teams, ink)]
    clock = [Cell(cell.text, style.teams, cell.room) for cell in _clock(reading, style)]
    return row([*body, *clock] if style.last else [*clock, *body], style)


def ticker(reading: Reading, style: Style) -> Image.Image:
    """A narrow row with the half above, teams and score below, and the clock in a box of its own."""
    clock = [cell for cell in _clock(reading, style) if cell.text != reading.period]
    match = row([*_sides(reading, style)[:1], _score(reading, style), *_sides(reading, style)[1:]], style)
    if not reading.period or reading.period.endswith("T"):
        clock = _clock(reading, style)
        return column([match, row(clock, style)], gap=4, right=style.right)
    title = row([Cell(reading.period, style.score)], style, height=40)
    return column([title, row(clock, style), match], gap=2, right=style.right)


def corner(reading: Reading, style: Style) -> Image.Image:
    """Clock on top, teams with their numbers side by side below it."""
    home, away = _sides(reading, style)
    goals = [Cell(str(goals), _score_ink(reading, style), "00") for goals in reading.score]
    match = row([home, goals[0], goals[1], away], style)
    return column([row(_clock(reading, style), style), match], gap=0, right=style.right)


@dataclass(frozen=True)
class Design:
    """`share` is the height of a row of 72, as a share of the picture's height."""

    draw: Callable[[Reading, Style], Image.Image]
    centred: bool = False
    foot: bool = False
    share: float = 0.08


DESIGNS = {
    "bar": Design(bar),
    "stack": Design(stack),
    "pill": Design(pill, centred=True, share=0.075),
    "strip": Design(strip, centred=True, foot=True, share=0.075),
    "glass": Design(glass),
    "ticker": Design(ticker, share=0.075),
    "corner": Design(corner, share=0.075),
}


def _sides(reading: Reading, style: Style) -> tuple[Cell, Cell]:
    home, away = reading.colours
    return Cell(reading.home, style.teams, mark=home), Cell(reading.away, style.teams, mark=away, mark_last=True)


def _score(reading: Reading, style: Style) -> Cell:
    home, away = reading.score
    return Cell(f"{home}{style.joint}{away}", _score_ink(reading, style), f"0{style.joint}0")


def _score_ink(reading: Reading, style: Style) -> Ink:
    return style.flash if reading.flash else style.score


def _clock(reading: Reading, style: Style) -> list[Cell]:
    """The clock with the name of the half and, in added time, the announcement and the small timer beside it."""
    main = Cell(reading.main, style.clock, "00:00" if len(reading.main) == 5 else "000:00")
    word = [Cell(reading.period, style.clock)] if reading.period else []
    cells = [main, *word] if style.words_last else [*word, main]
    announced = f"+{reading.announced}" if reading.over and style.announces else ""
    if reading.timer is not None:
        text = f"{announced} {reading.timer}".strip()
        return [*cells, Cell(text, style.flash, text.replace("1", "0"))]
    return [*cells, Cell(announced, style.flash)] if announced else cells


@lru_cache(maxsize=64)
def bug(design: str, reading: Reading, size: tuple[int, int], style: int = 0) -> tuple[Image.Image, tuple[int, int]]:
    """The bug at the size of the picture, and where its corner goes."""
    chosen, dressed = DESIGNS[design], style_of(design, style)
    drawn = chosen.draw(reading, dressed)
    scale = min(size[1], size[0] * 9 / 16 * 1.6) * chosen.share * dressed.scale / 72
    scale = min(scale, size[0] * 0.92 / drawn.width)
    small = drawn.resize((round(drawn.width * scale), round(drawn.height * scale)), Image.Resampling.LANCZOS)
    across, down = round(size[0] * dressed.margin[0]), round(size[1] * dressed.margin[1])
    left = size[0] - small.width - across if dressed.right else across
    if chosen.centred:
        left = (size[0] - small.width) // 2
    return small, (left, size[1] - small.height - down if chosen.foot else down)


@lru_cache(maxsize=8)
def watermark(size: tuple[int, int]) -> tuple[Image.Image, tuple[int, int]]:
    """SIMULATED, small, in the lower right corner."""
    letters = font(max(9, size[1] // 30))
    left, top, right, bottom = letters.getbbox("SIMULATED")
    image = Image.new("RGBA", (round(right - left) + 4, round(bottom - top) + 4))
    ImageDraw.Draw(image).text((2 - left, 2 - top), "SIMULATED", (255, 255, 255, 150), letters)
    margin = round(size[1] * 0.03)
    return image, (size[0] - image.width - margin, size[1] - image.height - margin)
