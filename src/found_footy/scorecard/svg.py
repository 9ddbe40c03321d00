"""Small plots as inline SVG. Colours are classes, so that the page's style decides them."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from found_footy.scorecard.spread import Spread

_WIDTH = 720
_LEFT = 190
_RIGHT = 110
_ROW = 24
_PLOT_HEIGHT = 170
_TICKS = 6
_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Mark:
    """A point on a row: `kind` is its class, `told` what is said on hovering."""

    kind: str
    value: float
    told: str


@dataclass(frozen=True)
class Bar:
    """A row of one bar in parts: (class, value). `note` stands behind it."""

    label: str
    parts: tuple[tuple[str, float], ...]
    note: str = ""


@dataclass(frozen=True)
class Lane:
    """A row of points on a common axis; `faded` for what did not come about."""

    label: str
    marks: tuple[Mark, ...]
    faded: bool = False


def bars(rows: Sequence[Bar], title: str) -> str:
    most = max((sum(value for _, value in row.parts) for row in rows), default=0.0) or 1.0
    scale = (_WIDTH - _LEFT - _RIGHT) / most
    body = "".join(_bar(row, place, scale) for place, row in enumerate(rows))
    return _frame(title, len(rows) * _ROW + 8, body)


def _bar(row: Bar, place: int, scale: float) -> str:
    y, x, parts = place * _ROW + 4, float(_LEFT), ""
    for kind, value in row.parts:
        parts += f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{value * scale:.1f}" height="{_ROW - 8}" rx="2"/>'
        x += value * scale
    return f"{_label(row.label, y)}{parts}{_text(x + 6, y + 12, row.note, 'note')}"


def lanes(rows: Sequence[Lane], title: str, limit: float | None = None) -> str:
    """Points per row over an axis that begins at 0; `limit` draws the line that should not be crossed."""
    most = max([mark.value for row in rows for mark in row.marks] + [limit or 0.0, 1.0]) * 1.03
    scale = (_WIDTH - _LEFT - _RIGHT) / most
    height = len(rows) * _ROW
    body = _axis(most, scale, height) + "".join(_lane(row, place, scale) for place, row in enumerate(rows))
    if limit is not None:
        x = _LEFT + limit * scale
        body += f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}"/>'
    return _frame(title, height + 24, body)


def _lane(row: Lane, place: int, scale: float) -> str:
    y = place * _ROW + _ROW // 2
    points = sorted(row.marks, key=lambda mark: mark.value)
    line = ""
    if points:
        end = _LEFT + points[-1].value * scale
        line = f'<line class="lane" x1="{_LEFT}" x2="{end:.1f}" y1="{y}" y2="{y}"/>'
    dots = "".join(
        f'<circle class="{mark.kind}" cx="{_LEFT + mark.value * scale:.1f}" cy="{y}" r="5">'
        f"<title>{escape(mark.told)}</title></circle>"
        for mark in points
    )
    return f'<g class="{"faded" if row.faded else "row"}">{_label(row.label, y - 8)}{line}{dots}</g>'


def histogram(spread: Spread, title: str, limit: float | None = None) -> str:
    """How many values fell where; `limit` is a line on the same axis."""
    most = max([b.high for b in spread.bins] + [limit or 0.0, 1.0]) * 1.03
    tallest = max([b.count for b in spread.bins] + [1])
    scale = (_WIDTH - 40 - _RIGHT) / most
    body = ""
    for b in spread.bins:
        height = b.count / tallest * (_PLOT_HEIGHT - 44)
        x, width = 40 + b.low * scale, (b.high - b.low) * scale
        body += (
            f'<rect class="first" x="{x + 1:.1f}" y="{_PLOT_HEIGHT - 20 - height:.1f}" width="{max(1, width - 2):.1f}" '
            f'height="{height:.1f}" rx="2"><title>{b.low:g} to {b.high:g} s: {b.count}</title></rect>'
        )
        if b.count:
            body += _text(x + width / 2, _PLOT_HEIGHT - 24 - height, str(b.count), "count")
    body += _axis(most, scale, _PLOT_HEIGHT - 20, left=40)
    if limit is not None:
        x = 40 + limit * scale
        body += f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{_PLOT_HEIGHT - 20}"/>'
    return _frame(title, _PLOT_HEIGHT + 4, body)


def _axis(most: float, scale: float, height: int, left: int = _LEFT) -> str:
    step = _step(most / _TICKS)
    ticks, value = "", 0.0
    while value <= most:
        x = left + value * scale
        ticks += f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}"/>'
        ticks += _text(x, height + 15, f"{value:g}", "axis")
        value += step
    return ticks


def _step(least: float) -> float:
    size = 1.0
    while True:
        for step in _STEPS:
            if step * size >= least:
                return step * size
        size *= 10


def _frame(title: str, height: int, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f"{body}</svg>"
    )


def _label(label: str, y: float) -> str:
    short = label if len(label) <= 28 else f"{label[:27]}…"
    return _text(_LEFT - 8, y + 12, short, "label")


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
