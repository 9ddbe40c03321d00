"""An organization's afternoon on a page: as one of its own, and as sections of a match day's."""

from html import escape

from found_footy_sim.scorecard.distribution import Distribution
from found_footy_sim.scorecard.html_parts import (
    render_faults,
    render_page,
    render_section,
    render_targets,
    render_tiles,
)
from found_footy_sim.scorecard.svg_charts import render_histogram
from found_footy_sim.scorecard.uploads_card import UploadRow, UploadsCard
from found_footy_sim.scorecard.uploads_targets import MAX_SECONDS_TO_CLASSIFIED, evaluate_uploads_targets


def render_uploads_html(card: UploadsCard) -> str:
    how, targets = card.conditions, evaluate_uploads_targets(card)
    good = all(target.met for target in targets)
    header = (
        f'<header><h1>Uploads scorecard <span class="tag">SIMULATED</span></h1>'
        f"<p>an organization's afternoon, seed {how.seed}{', with faults' if how.chaos else ''}, "
        f"{card.wall_seconds:.0f} s in all</p>"
        f'<p class="{"good" if good else "bad"}">{"every target met" if good else "not every target met"}</p></header>'
    )
    body = header + _render_tiles(card) + render_section("Targets", render_targets(targets)) + render_uploads(card)
    return render_page(f"Scorecard: uploads {how.seed}", body)


def render_uploads(card: UploadsCard) -> str:
    """The sections about uploads."""
    return (
        render_section("Uploads: from PUT to classified, in seconds", _render_times(card))
        + render_section("Uploads: what became of each name", _render_rows(card))
        + (render_section("Faults during the uploads", render_faults(card.faults)) if card.faults else "")
    )


def _render_tiles(card: UploadsCard) -> str:
    middle = card.classified.p50
    return render_tiles(
        (
            (f"{card.right}/{card.live}", "images with the right label"),
            (f"{card.deleted_right}/{card.deleted}", "deleted images"),
            (f"{card.refused}/{card.hostile}", "hostile files refused"),
            (str(card.lost), "lost"),
            (str(card.doubled), "doubled"),
            ("–" if middle is None else f"{middle:.1f} s", "median to classified"),
        )
    )


def _render_times(card: UploadsCard) -> str:
    named = (("told by a notification", card.classified), ("found by the reconciling LIST", card.found))
    rows = "".join(
        f"<tr><td>{name}</td><td>{spread.count}</td>"
        + "".join(f"<td>{_format_seconds(value)}</td>" for value in (spread.p50, spread.p95, spread.most))
        + "</tr>"
        for name, spread in named
    )
    head = "<tr><th>seconds from PUT</th><th>images</th><th>p50</th><th>p95</th><th>most</th></tr>"
    return f"{_render_histogram(card.classified)}<table>{head}{rows}</table>"


def _render_histogram(spread: Distribution) -> str:
    return render_histogram(spread, "Seconds from PUT to classified", MAX_SECONDS_TO_CLASSIFIED)


def _format_seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _render_rows(card: UploadsCard) -> str:
    words = (
        f"<p>{card.versions} versions have a workflow: {card.classified_once} with one run, {card.repeated} further "
        f"runs of versions that came back, {card.doubled} doubled.</p>"
    )
    head = (
        "<tr><th></th><th>name</th><th>story</th><th>wanted</th><th>got</th><th>runs</th><th>allowed</th>"
        "<th>seconds</th></tr>"
    )
    rows = "".join(_render_row(row) for row in card.rows)
    return f'{words}<div class="wide"><table>{head}{rows}</table></div>'


def _render_row(row: UploadRow) -> str:
    cells = (row.name, row.story, row.wanted, row.got, str(row.runs), str(row.allowed_runs))
    return (
        f'<tr class="{"good" if row.is_right else "bad"}"><td>{"✓" if row.is_right else "✗"}</td>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + f"<td>{_format_seconds(row.seconds)}</td></tr>"
    )
