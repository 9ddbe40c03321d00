"""Text fields, side by side in a row, and rows above each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageChops, ImageColor, ImageDraw, ImageFont

from found_footy_sim.media.graphics.bug_styles import BugStyle, FieldColours
from found_footy_sim.media.graphics.fonts import load_typeface

_CELL_PADDING, _MARK_WIDTH = 16, 10


@dataclass(frozen=True)
class PanelCell:
    """`widest_text` sets the least width of the field, so that it does not change with every digit; `mark` is a small
    upright bar in a team's colour at its edge.
    """

    text: str
    ink: FieldColours
    widest_text: str = ""
    mark: str = ""
    mark_last: bool = False


def draw_row(cells: Sequence[PanelCell], style: BugStyle, height: int = 60) -> Image.Image:
    """Draw the cells from left to right, both ends rounded as the style says."""
    letters = load_typeface(style.letters, round(height * 0.66))
    widths = [_cell_width(cell, letters) for cell in cells]
    image = Image.new("RGBA", (sum(widths), height))
    draw = ImageDraw.Draw(image)
    left = 0
    for cell, width in zip(cells, widths, strict=True):
        draw.rectangle((left, 0, left + width - 1, height), fill=_with_opacity(cell.ink.paper, style.opacity))
        if cell.mark:
            edge = left + width - _MARK_WIDTH if cell.mark_last else left
            draw.rectangle((edge, 0, edge + _MARK_WIDTH - 1, height), fill=cell.mark)
        left += width
    _round_corners(image, min(style.radius, height // 2))
    _draw_texts(draw, cells, widths, letters, height)
    return image


def stack_rows(rows: Sequence[Image.Image], *, gap: int, right: bool = False, centred: bool = False) -> Image.Image:
    """Stack the rows from top to bottom, aligned left, right or centred."""
    image = Image.new("RGBA", (max(part.width for part in rows), sum(part.height + gap for part in rows) - gap))
    top = 0
    for part in rows:
        spare = image.width - part.width
        image.paste(part, (spare // 2 if centred else spare * right, top))
        top += part.height + gap
    return image


def _cell_width(cell: PanelCell, letters: ImageFont.FreeTypeFont) -> int:
    wide = max(letters.getlength(cell.text), letters.getlength(cell.widest_text))
    return round(wide) + 2 * _CELL_PADDING + (_MARK_WIDTH if cell.mark else 0)


def _with_opacity(colour: str, opacity: float) -> tuple[int, ...]:
    return *ImageColor.getrgb(colour)[:3], round(255 * opacity)


def _round_corners(image: Image.Image, radius: int) -> None:
    """Make the corners transparent."""
    if radius:
        mask = Image.new("L", image.size)
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, image.width - 1, image.height - 1), radius, fill=255)
        image.putalpha(ImageChops.multiply(image.getchannel("A"), mask))


def _draw_texts(
    draw: ImageDraw.ImageDraw,
    cells: Sequence[PanelCell],
    widths: Sequence[int],
    letters: ImageFont.FreeTypeFont,
    height: int,
) -> None:
    """On one baseline, however high the letters of a word are."""
    ascent, descent = letters.getbbox("H0")[1], letters.getbbox("H0")[3]
    left = 0
    for cell, width in zip(cells, widths, strict=True):
        shift = _MARK_WIDTH / 2 * (bool(cell.mark) and (-1 if cell.mark_last else 1))
        middle = left + width / 2 + shift - letters.getlength(cell.text) / 2
        heavy = 1 if letters.getname()[1] not in ("Bold", "Bold Italic", "Condensed Bold") else 0
        top = height / 2 - (ascent + descent) / 2
        draw.text((middle, top), cell.text, cell.ink.ink, letters, stroke_width=heavy, stroke_fill=cell.ink.ink)
        left += width
