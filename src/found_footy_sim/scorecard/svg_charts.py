"""Small charts as inline SVG. Colours are CSS classes of the page's style sheet."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from found_footy_sim.scorecard.distribution import Distribution

_CHART_WIDTH = 720
_LEFT_MARGIN = 190
_RIGHT_MARGIN = 110
_ROW_HEIGHT = 24
_PLOT_HEIGHT = 170
_MAX_TICKS = 6
_TICK_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class LaneMark:
    """A point on a row: `kind` is its CSS class, `tooltip` its text on hovering."""

    kind: str
    value: float
    tooltip: str


@dataclass(frozen=True)
class ChartBar:
    """A row of one bar in segments: (class, value). `note` is the text behind it."""

    label: str
    parts: tuple[tuple[str, float], ...]
    note: str = ""


@dataclass(frozen=True)
class ChartLane:
    """A row of points on a common axis; `faded` for what did not happen."""

    label: str
    marks: tuple[LaneMark, ...]
    faded: bool = False


def render_bars(rows: Sequence[ChartBar], title: str) -> str:
    most = max((sum(value for _, value in row.parts) for row in rows), default=0.0) or 1.0
    scale = (_CHART_WIDTH - _LEFT_MARGIN - _RIGHT_MARGIN) / most
    body = "".join(_render_bar(row, place, scale) for place, row in enumerate(rows))
    return _render_svg(title, len(rows) * _ROW_HEIGHT + 8, body)


def _render_bar(row: ChartBar, place: int, scale: float) -> str:
    y, x, parts = place * _ROW_HEIGHT + 4, float(_LEFT_MARGIN), ""
    for kind, value in row.parts:
        parts += (
            f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{value * scale:.1f}" height="{_ROW_HEIGHT - 8}" rx="2"/>'
        )
        x += value * scale
    return f"{_render_label(row.label, y)}{parts}{_render_text(x + 6, y + 12, row.note, 'note')}"


def render_lanes(rows: Sequence[ChartLane], title: str, limit: float | None = None) -> str:
    """Render points per row over an axis that begins at 0; `limit` draws a vertical line."""
    most = max([mark.value for row in rows for mark in row.marks] + [limit or 0.0, 1.0]) * 1.03
    scale = (_CHART_WIDTH - _LEFT_MARGIN - _RIGHT_MARGIN) / most
    height = len(rows) * _ROW_HEIGHT
    body = _render_axis(most, scale, height) + "".join(
        _render_lane(row, place, scale) for place, row in enumerate(rows)
    )
    if limit is not None:
        x = _LEFT_MARGIN + limit * scale
        body += f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}"/>'
    return _render_svg(title, height + 24, body)


def _render_lane(row: ChartLane, place: int, scale: float) -> str:
    y = place * _ROW_HEIGHT + _ROW_HEIGHT // 2
    points = sorted(row.marks, key=lambda mark: mark.value)
    line = ""
    if points:
        end = _LEFT_MARGIN + points[-1].value * scale
        line = f'<line class="lane" x1="{_LEFT_MARGIN}" x2="{end:.1f}" y1="{y}" y2="{y}"/>'
    dots = "".join(
        f'<circle class="{mark.kind}" cx="{_LEFT_MARGIN + mark.value * scale:.1f}" cy="{y}" r="5">'
        f"<title>{escape(mark.tooltip)}</title></circle>"
        for mark in points
    )
    return f'<g class="{"faded" if row.faded else "row"}">{_render_label(row.label, y - 8)}{line}{dots}</g>'


def render_histogram(spread: Distribution, title: str, limit: float | None = None) -> str:
    """Render a histogram; `limit` is a line on the same axis."""
    most = max([b.high for b in spread.bins] + [limit or 0.0, 1.0]) * 1.03
    tallest = max([b.count for b in spread.bins] + [1])
    scale = (_CHART_WIDTH - 40 - _RIGHT_MARGIN) / most
    body = ""
    for b in spread.bins:
        height = b.count / tallest * (_PLOT_HEIGHT - 44)
        x, width = 40 + b.low * scale, (b.high - b.low) * scale
        body += (
            f'<rect class="first" x="{x + 1:.1f}" y="{_PLOT_HEIGHT - 20 - height:.1f}" width="{max(1, width - 2):.1f}" '
            f'height="{height:.1f}" rx="2"><title>{b.low:g} to {b.high:g} s: {b.count}</title></rect>'
        )
        if b.count:
            body += _render_text(x + width / 2, _PLOT_HEIGHT - 24 - height, str(b.count), "count")
    body += _render_axis(most, scale, _PLOT_HEIGHT - 20, left=40)
    if limit is not None:
        x = 40 + limit * scale
        body += f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{_PLOT_HEIGHT - 20}"/>'
    return _render_svg(title, _PLOT_HEIGHT + 4, body)


def _render_axis(most: float, scale: float, height: int, left: int = _LEFT_MARGIN) -> str:
    step = _tick_step(most / _MAX_TICKS)
    ticks, value = "", 0.0
    while value <= most:
        x = left + value * scale
        ticks += f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}"/>'
        ticks += _render_text(x, height + 15, f"{value:g}", "axis")
        value += step
    return ticks


def _tick_step(least: float) -> float:
    size = 1.0
    while True:
        for step in _TICK_STEPS:
            if step * size >= least:
                return step * size
        size *= 10


def _render_svg(title: str, height: int, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {_CHART_WIDTH} {height}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )


def _render_label(label: str, y: float) -> str:
    short = label if len(label) <= 28 else f"{label[:27]}…"
    return _render_text(_LEFT_MARGIN - 8, y + 12, short, "label")


def _render_text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
