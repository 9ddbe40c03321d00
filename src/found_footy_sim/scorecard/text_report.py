"""The scorecard as a few lines of plain text for a terminal."""

from found_footy_sim.scorecard.card import Scorecard
from found_footy_sim.scorecard.distribution import Distribution
from found_footy_sim.scorecard.target import NOT_MEASURED
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.text_parts import format_faults, format_targets
from found_footy_sim.scorecard.uploads_text import format_uploads

_MIB = 2**20


def render_text(card: Scorecard) -> str:
    uploads = format_uploads(card.uploads) if card.uploads else []
    figures = [*_format_figures(card), *format_faults(card.faults), *uploads]
    return "\n".join([_format_headline(card), "", *format_targets(evaluate_targets(card)), "", *figures])


def _format_headline(card: Scorecard) -> str:
    how = card.conditions
    words = f"Scorecard (simulated): world {how.size}, seed {how.seed}, {how.speed:g}×"
    return ", ".join([words, *(word for word in (how.searches, how.reader) if word), *(["chaos"] if how.chaos else [])])


def _format_figures(card: Scorecard) -> list[str]:
    goals, clips, copies, costs = card.goals, card.clips, card.clips.copies, card.costs
    operations, events = sum(costs.database.values()), sum(costs.history.values())
    lines = (
        f"goals {goals.true} ({goals.standing} stand, {goals.reattributed} re-attributed)",
        f"clips {clips.published} ({clips.verified} verified, {clips.right} right, {clips.unknown} of unknown origin)",
        (
            f"copies recognized {copies.true - copies.published} of {copies.true}, "
            f"recordings wrongly merged {copies.swallowed}"
        ),
        (
            f"match seconds to confirmed {_format_distribution(card.confirmed)}, "
            f"first {_format_distribution(card.first)}, best {_format_distribution(card.best)}"
        ),
        (
            f"to the first right post {_format_distribution(card.posted)}, "
            f"from there to the first clip {_format_distribution(card.waited)}"
        ),
        f"per goal {card.per_goal(card.attempts):.1f} searches, {card.per_goal(operations):.0f} database operations",
        f"per goal {card.per_goal(events):.0f} history events",
        _format_machine_usage(card),
    )
    return [f"  {line}" for line in lines]


def _format_machine_usage(card: Scorecard) -> str:
    costs = card.costs
    if not costs.is_measured:
        return f"CPU and memory: {NOT_MEASURED}"
    shares = ", ".join(_format_cpu_shares(card))
    return f"CPU seconds per goal {card.per_goal(costs.cpu_seconds):.1f}: {shares}; peak {costs.peak_memory // _MIB} MB"


def _format_distribution(spread: Distribution) -> str:
    return "none" if spread.p50 is None else f"{spread.p50:.0f} (p95 {spread.p95:.0f})"


def _format_cpu_shares(card: Scorecard) -> list[str]:
    whole = card.costs.cpu_seconds or 1.0
    ordered = sorted((p for p in card.costs.programs if p.ours), key=lambda program: -program.cpu_seconds)
    return [
        f"{p.name} {p.cpu_seconds:.0f} s ({p.cpu_seconds / whole:.0%})"
        for p in ordered
        if p.cpu_seconds >= 0.01 * whole
    ]
