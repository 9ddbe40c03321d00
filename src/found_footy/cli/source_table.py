"""Renders in the terminal what each source of candidates has found."""

from collections.abc import Sequence

from rich import box
from rich.markup import escape
from rich.table import Table

from found_footy.views.source_views import SourceState, SourceView

_STYLE_BY_STATE = {SourceState.OK: "green", SourceState.FAILING: "red", SourceState.UNKNOWN: "dim"}
_MAX_REASONS = 3


def render_sources(views: Sequence[SourceView]) -> Table:
    """One line per source, and below X one per form of its query."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("source", "health", "searches", "found", "right", "refused", "median delay"):
        table.add_column(column, justify="left" if column in ("source", "health", "refused") else "right")
    for view in views:
        table.add_row(
            escape(view.name),
            _describe_health(view),
            str(view.searches),
            str(view.found),
            str(view.right),
            escape(_describe_refusals(view)),
            "–" if view.median_delay_seconds is None else f"{view.median_delay_seconds:.0f} s",
        )
        for form in view.forms:
            table.add_row(f"  [dim]{escape(form.form)}[/]", "", str(form.searches), str(form.found), str(form.right))
    return table


def _describe_health(view: SourceView) -> str:
    if view.suspicion:
        return "[yellow]finds nothing[/]"
    text = view.last_error or ("not asked" if view.state is SourceState.UNKNOWN else view.state.value)
    rest = f" until {view.rests_until:%H:%M} UTC" if view.rests_until else ""
    return f"[{_STYLE_BY_STATE[view.state]}]{escape(text + rest)}[/]"


def _describe_refusals(view: SourceView) -> str:
    """The commonest reasons, and how many were refused for others."""
    reasons = sorted(view.refused.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{count} {outcome.replace('_', ' ')}" for outcome, count in reasons[:_MAX_REASONS]]
    rest = sum(count for _, count in reasons[_MAX_REASONS:])
    return ", ".join(shown + ([f"{rest} other"] if rest else [])) or "–"
