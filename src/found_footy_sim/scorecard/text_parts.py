"""Parts of a scorecard as plain text that several reports share."""

from collections.abc import Sequence

from found_footy.views.source_figures import SourceFigures
from found_footy_sim.scorecard.costs import InjectedFault
from found_footy_sim.scorecard.target import ScorecardTarget


def format_targets(targets: Sequence[ScorecardTarget]) -> list[str]:
    width = max(len(target.name) for target in targets)
    return [
        f"  {'ok  ' if target.met else 'MISS'} {target.name:<{width}}  {target.got}  (wanted {target.wanted})"
        for target in targets
    ]


def format_faults(faults: Sequence[InjectedFault]) -> list[str]:
    lines = ["", "  faults"] if faults else []
    for fault in faults:
        pids = f", pid {fault.old_pid} → {fault.new_pid}" if fault.old_pid else ""
        back = "did NOT recover" if fault.recovered_after is None else f"recovered after {fault.recovered_after:.1f} s"
        detail = f" ({fault.detail})" if fault.detail else ""
        lines.append(f"  {fault.at_seconds:6.1f} s  {fault.name}{detail}{pids}, {back}")
    return lines


def format_sources(sources: Sequence[SourceFigures]) -> list[str]:
    """One line per source, and one per form of the query where it has several."""
    lines = ["", "  sources"] if sources else []
    for one in sources:
        delay = "–" if one.median_delay_seconds is None else f"{one.median_delay_seconds:.0f} s"
        refused = ", ".join(f"{count} {outcome}" for outcome, count in one.refused.items()) or "none"
        lines.append(
            f"  {one.source}: {one.found} found for {one.goals} goals, {one.kept} kept, {one.right} verified,"
            f" median delay {delay}; refused: {refused}"
        )
        lines += [
            f"    {form.form}: {form.searches} searches, {form.found} found, {form.kept} kept, {form.right} verified"
            for form in one.forms
        ]
    return lines
