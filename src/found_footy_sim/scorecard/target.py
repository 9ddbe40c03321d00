"""A target of a scorecard, and the usual kinds of targets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from found_footy_sim.scorecard.costs import InjectedFault

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class ScorecardTarget:
    """A missed `hard` target fails a run; the others depend on the day and on the machine. A target that could not be
    measured is not met.
    """

    name: str
    wanted: str
    got: str
    met: bool
    hard: bool = True


def share_target(
    name: str, wanted: str, part: int, whole: int, is_met: Callable[[float], bool], *, hard: bool = True
) -> ScorecardTarget:
    """A share of nothing is undefined."""
    if not whole:
        return ScorecardTarget(name, wanted, f"{NOT_MEASURED} (0 of 0)", met=False, hard=hard)
    return ScorecardTarget(name, wanted, f"{part} of {whole} ({part / whole:.1%})", is_met(part / whole), hard)


def zero_target(name: str, count: int, *, hard: bool = True) -> ScorecardTarget:
    return ScorecardTarget(name, "0", str(count), count == 0, hard)


def fault_target(faults: Sequence[InjectedFault]) -> ScorecardTarget:
    back = sum(fault.has_recovered for fault in faults)
    met = bool(faults) and back == len(faults)
    return ScorecardTarget("faults that fired and were recovered from", "all", f"{back} of {len(faults)}", met)


def list_missed(targets: Sequence[ScorecardTarget]) -> list[ScorecardTarget]:
    """Return the targets that fail a run."""
    return [target for target in targets if target.hard and not target.met]
