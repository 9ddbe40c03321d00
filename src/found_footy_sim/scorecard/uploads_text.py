"""An organization's afternoon as a few lines of plain text for a terminal."""

from found_footy_sim.scorecard.distribution import Distribution
from found_footy_sim.scorecard.text_parts import format_faults, format_targets
from found_footy_sim.scorecard.uploads_card import UploadsCard
from found_footy_sim.scorecard.uploads_targets import evaluate_uploads_targets


def render_uploads_text(card: UploadsCard) -> str:
    how = card.conditions
    words = f"Scorecard (simulated): uploads of an afternoon, seed {how.seed}{', chaos' if how.chaos else ''}"
    return "\n".join([words, "", *format_targets(evaluate_uploads_targets(card)), *format_uploads(card)])


def format_uploads(card: UploadsCard) -> list[str]:
    """The figures, and every name whose end is wrong."""
    lines = (
        f"uploads: {len(card.rows)} names, {card.live} images, {card.deleted} deleted, {card.hostile} hostile files",
        (
            f"workflows for {card.versions} versions: {card.classified_once} with one run, "
            f"{card.repeated} runs of versions that came back, {card.doubled} doubled"
        ),
        (
            f"seconds from PUT to classified {_format_distribution(card.classified)}, "
            f"found without a notification {_format_distribution(card.found)}"
        ),
    )
    wrong = [f"WRONG {row.name} ({row.story}): {row.got}, wanted {row.wanted}" for row in card.rows if not row.is_right]
    return ["", *(f"  {line}" for line in (*lines, *wrong)), *format_faults(card.faults)]


def _format_distribution(spread: Distribution) -> str:
    return "none" if spread.p50 is None else f"{spread.p50:.1f} (p95 {spread.p95:.1f})"
