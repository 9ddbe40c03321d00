"""Score bugs: the small panel with teams, score and clock. A design is one function; add it to `BUG_DESIGNS`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw

from found_footy_sim.media.graphics.bug_styles import BugStyle, FieldColours, generate_style
from found_footy_sim.media.graphics.fonts import load_default_font
from found_footy_sim.media.graphics.panels import PanelCell, draw_row, stack_rows
from found_footy_sim.media.graphics.score_bug_state import ScoreBugState, score_bug_state_at

__all__ = ["BUG_DESIGNS", "ScoreBugState", "draw_bug", "draw_watermark", "score_bug_state_at"]


def draw_bar(reading: ScoreBugState, style: BugStyle) -> Image.Image:
    """One row: clock, home, score, away."""
    score, match = _score_cell(reading, style), _team_cells(reading, style)
    body = [match[0], score, match[1]]
    clock = _clock_cells(reading, style)
    return draw_row([*body, *clock] if style.last else [*clock, *body], style)


def draw_stack(reading: ScoreBugState, style: BugStyle) -> Image.Image:
    """Two rows, home above away, and the clock below or above."""
    goals = [PanelCell(str(goals), _score_colours(reading, style), "00") for goals in reading.score]
    names = zip((reading.home, reading.away), reading.colours, goals, strict=True)
    teams = [draw_row([PanelCell(name, style.teams, "MMM", mark), number], style) for name, mark, number in names]
    clock = draw_row(_clock_cells(reading, style), style)
    return stack_rows([clock, *teams] if style.last else [*teams, clock], gap=3, right=style.right)


def draw_pill(reading: ScoreBugState, style: BugStyle) -> Image.Image:
    """A rounded row in the middle of the top edge, with the clock below it."""
    home, away = _team_cells(reading, style)
    match = draw_row([home, _score_cell(reading, style), away], style)
    return stack_rows([match, draw_row(_clock_cells(reading, style), style)], gap=3, centred=True)


def draw_strip(reading: ScoreBugState, style: BugStyle) -> Image.Image:
    """A broad strip at the bottom of the picture."""
    home, away = (PanelCell(side.text, side.ink, "MMMMMM", side.mark) for side in _team_cells(reading, style))
    body = [home, _score_cell(reading, style), away]
    clock = _clock_cells(reading, style)
    return draw_row([*body, *clock] if style.last else [*clock, *body], style)


def draw_glass(reading: ScoreBugState, style: BugStyle) -> Image.Image:
    """Everything in one line on one translucent field."""
    teams = f"{reading.home} {reading.score[0]}{style.joint}{reading.score[1]} {reading.away}"
    ink = style.flash if reading.flash else style.teams
    body = [PanelCell(teams, ink)]
    clock = [PanelCell(cell.text, style.teams, cell.widest_text) for cell in _clock_cells(reading, style)]
    return draw_row([*body, *clock] if style.last else [*clock, *body], style)


def draw_ticker(reading: ScoreBugState, style: BugStyle) -> Image.Image:
    """A narrow row with the half above, teams and score below, and the clock in a separate box."""
    clock = [cell for cell in _clock_cells(reading, style) if cell.text != reading.period]
    match = draw_row(
        [*_team_cells(reading, style)[:1], _score_cell(reading, style), *_team_cells(reading, style)[1:]], style
    )
    if not reading.period or reading.period.endswith("T"):
        clock = _clock_cells(reading, style)
        return stack_rows([match, draw_row(clock, style)], gap=4, right=style.right)
    title = draw_row([PanelCell(reading.period, style.score)], style, height=40)
    return stack_rows([title, draw_row(clock, style), match], gap=2, right=style.right)


def draw_corner(reading: ScoreBugState, style: BugStyle) -> Image.Image:
    """Clock on top, teams with their numbers side by side below it."""
    home, away = _team_cells(reading, style)
    goals = [PanelCell(str(goals), _score_colours(reading, style), "00") for goals in reading.score]
    match = draw_row([home, goals[0], goals[1], away], style)
    return stack_rows([draw_row(_clock_cells(reading, style), style), match], gap=0, right=style.right)


@dataclass(frozen=True)
class BugDesign:
    """`height_share` is the height of a row of 72, as a share of the picture's height."""

    draw: Callable[[ScoreBugState, BugStyle], Image.Image]
    centred: bool = False
    at_bottom: bool = False
    height_share: float = 0.08


BUG_DESIGNS = {
    "bar": BugDesign(draw_bar),
    "stack": BugDesign(draw_stack),
    "pill": BugDesign(draw_pill, centred=True, height_share=0.075),
    "strip": BugDesign(draw_strip, centred=True, at_bottom=True, height_share=0.075),
    "glass": BugDesign(draw_glass),
    "ticker": BugDesign(draw_ticker, height_share=0.075),
    "corner": BugDesign(draw_corner, height_share=0.075),
}


def _team_cells(reading: ScoreBugState, style: BugStyle) -> tuple[PanelCell, PanelCell]:
    home, away = reading.colours
    return PanelCell(reading.home, style.teams, mark=home), PanelCell(
        reading.away, style.teams, mark=away, mark_last=True
    )


def _score_cell(reading: ScoreBugState, style: BugStyle) -> PanelCell:
    home, away = reading.score
    return PanelCell(f"{home}{style.joint}{away}", _score_colours(reading, style), f"0{style.joint}0")


def _score_colours(reading: ScoreBugState, style: BugStyle) -> FieldColours:
    return style.flash if reading.flash else style.score


def _clock_cells(reading: ScoreBugState, style: BugStyle) -> list[PanelCell]:
    """The clock with the name of the half and, in added time, the announcement and the stoppage timer beside it."""
    main = PanelCell(reading.main_clock, style.clock, "00:00" if len(reading.main_clock) == 5 else "000:00")
    word = [PanelCell(reading.period, style.clock)] if reading.period else []
    cells = [main, *word] if style.words_last else [*word, main]
    announced = f"+{reading.announced}" if reading.added_seconds and style.announces else ""
    if reading.added_time_clock is not None:
        text = f"{announced} {reading.added_time_clock}".strip()
        return [*cells, PanelCell(text, style.flash, text.replace("1", "0"))]
    return [*cells, PanelCell(announced, style.flash)] if announced else cells


@lru_cache(maxsize=64)
def draw_bug(
    design: str, reading: ScoreBugState, size: tuple[int, int], style: int = 0
) -> tuple[Image.Image, tuple[int, int]]:
    """The bug at the size of the picture, and the position of its corner."""
    chosen, dressed = BUG_DESIGNS[design], generate_style(design, style)
    drawn = chosen.draw(reading, dressed)
    scale = min(size[1], size[0] * 9 / 16 * 1.6) * chosen.height_share * dressed.scale / 72
    scale = min(scale, size[0] * 0.92 / drawn.width)
    small = drawn.resize((round(drawn.width * scale), round(drawn.height * scale)), Image.Resampling.LANCZOS)
    across, down = round(size[0] * dressed.margin[0]), round(size[1] * dressed.margin[1])
    left = size[0] - small.width - across if dressed.right else across
    if chosen.centred:
        left = (size[0] - small.width) // 2
    return small, (left, size[1] - small.height - down if chosen.at_bottom else down)


@lru_cache(maxsize=8)
def draw_watermark(size: tuple[int, int]) -> tuple[Image.Image, tuple[int, int]]:
    """SIMULATED, small, in the lower right corner."""
    letters = load_default_font(max(9, size[1] // 30))
    left, top, right, bottom = letters.getbbox("SIMULATED")
    image = Image.new("RGBA", (round(right - left) + 4, round(bottom - top) + 4))
    ImageDraw.Draw(image).text((2 - left, 2 - top), "SIMULATED", (255, 255, 255, 150), letters)
    margin = round(size[1] * 0.03)
    return image, (size[0] - image.width - margin, size[1] - image.height - margin)
