"""The scorecard as a few lines of plain text for a terminal."""

from found_footy_sim.scorecard.card import Scorecard
from found_footy_sim.scorecard.distribution import Distribution
from found_footy_sim.scorecard.target import NOT_MEASURED
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.text_parts import format_faults, format_sources, format_targets
from found_footy_sim.scorecard.uploads_text import format_uploads

_MIB = 2**20


def render_text(card: Scorecard) -> str:
    uploads = format_uploads(card.uploads) if card.uploads else []
    faults = [*_format_archive_faults(card), *format_faults(card.faults)]
    figures = [*_format_figures(card), *format_sources(card.sources), *faults, *uploads]
    return "\n".join([_format_headline(card), "", *format_targets(evaluate_targets(card)), "", *figures])


def _format_headline(card: Scorecard) -> str:
    how = card.conditions
    words = f"Scorecard (simulated): world {how.size}, seed {how.seed}, {how.speed:g}×"
    details = [word for word in (how.searches, how.reader, *how.deviations) if word]
    return ", ".join([words, *details, *(["chaos"] if how.chaos else [])])


def _format_figures(card: Scorecard) -> list[str]:
    goals, clips, copies, costs = card.goals, card.clips, card.clips.copies, card.costs
    operations, events = sum(costs.database.values()), sum(costs.history.values())
    lines = (
        f"goals {goals.true} ({goals.standing} stand, {goals.reattributed} re-attributed)",
        *_format_search(card),
        f"clips {clips.published} ({clips.verified} verified, {clips.right} right, {clips.unknown} of unknown origin)",
        (
            f"copies recognized {copies.true - copies.published} of {copies.true}, "
            f"recordings swallowed {copies.swallowed} of {copies.recordings}"
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


def _format_search(card: Scorecard) -> list[str]:
    search, missing = card.search, card.goals.without_clip
    by_names = ", ".join(f"{names} {rate.part} of {rate.whole}" for names, rate in search.by_names)
    refused = ", ".join(f"{reason} {count}" for reason, count in search.refused_by)
    return [
        f"right posts that a search could find and found {search.recall}",
        f"by how they name the scorer: {by_names or 'none'}",
        f"right clips refused {search.refused}{f': {refused}' if refused else ''}",
        f"goals without a right clip {sum(count for _, count in missing)}"
        + "".join(f"; {count}: {cause}" for cause, count in missing),
    ]


def _format_archive_faults(card: Scorecard) -> list[str]:
    return (
        ["", "  faults of the archive", *(f"  {fault}" for fault in card.archive_faults)] if card.archive_faults else []
    )


def _format_machine_usage(card: Scorecard) -> str:
    costs = card.costs
    if not costs.is_measured:
        return f"CPU and memory: {NOT_MEASURED}"
    shares = ", ".join(_format_cpu_shares(card))
    return f"CPU seconds per goal {card.per_goal(costs.cpu_seconds):.1f}: {shares}; peak {costs.peak_memory // _MIB} MB"


def _format_distribution(spread: Distribution) -> str:
    if not spread.count + spread.never:
        return "none"
    return f"{_format_quantile(spread.p50)} (p95 {_format_quantile(spread.p95)})"


def _format_quantile(value: float | None) -> str:
    """None: more goals than that never got there."""
    return "never" if value is None else f"{value:.0f}"


def _format_cpu_shares(card: Scorecard) -> list[str]:
    whole = card.costs.cpu_seconds or 1.0
    ordered = sorted((p for p in card.costs.programs if p.ours), key=lambda program: -program.cpu_seconds)
    return [
        f"{p.name} {p.cpu_seconds:.0f} s ({p.cpu_seconds / whole:.0%})"
        for p in ordered
        if p.cpu_seconds >= 0.01 * whole
    ]
