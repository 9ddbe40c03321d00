"""Parts of a scorecard's page that several reports share."""

from collections.abc import Sequence
from html import escape

from found_footy.views.source_figures import SourceFigures
from found_footy_sim.scorecard.costs import InjectedFault
from found_footy_sim.scorecard.page_style import PAGE_STYLE
from found_footy_sim.scorecard.target import ScorecardTarget


def render_page(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{PAGE_STYLE}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def render_section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def render_tiles(tiles: Sequence[tuple[str, str]]) -> str:
    shown = "".join(f"<div><b>{escape(figure)}</b>{escape(name)}</div>" for figure, name in tiles)
    return f'<div class="tiles">{shown}</div>'


def render_targets(reached: Sequence[ScorecardTarget]) -> str:
    rows = "".join(
        f'<tr class="{"good" if target.met else "bad"}"><td>{"✓" if target.met else "✗"}</td><td>{escape(target.name)}'
        f"</td><td>{escape(target.got)}</td><td>{escape(target.wanted)}</td></tr>"
        for target in reached
    )
    return f"<table><tr><th></th><th></th><th>got</th><th>wanted</th></tr>{rows}</table>"


def render_faults(faults: Sequence[InjectedFault]) -> str:
    rows = "".join(
        f'<tr class="{"good" if fault.has_recovered else "bad"}"><td>{fault.at_seconds:.1f} s</td>'
        f"<td>{escape(fault.name)}</td><td>{escape(fault.detail)}</td>"
        f"<td>{fault.old_pid or ''} → {fault.new_pid or ''}</td>"
        f"<td>{'–' if fault.recovered_after is None else f'{fault.recovered_after:.1f} s'}</td></tr>"
        for fault in faults
    )
    return f"<table><tr><th>at</th><th>fault</th><th></th><th>pid</th><th>recovered after</th></tr>{rows}</table>"


def render_sources(sources: Sequence[SourceFigures]) -> str:
    rows = "".join(
        f"<tr><td>{escape(one.source)}</td><td>{one.goals}</td><td>{one.found}</td><td>{one.kept}</td>"
        f"<td>{one.right}</td><td>{_format_delay(one.median_delay_seconds)}</td></tr>"
        for one in sources
    )
    heads = "".join(f"<th>{head}</th>" for head in ("source", "goals", "found", "kept", "verified", "median delay"))
    return f"<table><tr>{heads}</tr>{rows}</table>"


def _format_delay(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.0f} s"
