"""Targets of a day, and whether it met them."""

from collections.abc import Callable
from dataclasses import dataclass

from found_footy_sim.scorecard.card import Scorecard

NOT_MEASURED = "not measured"
_MIN_WATCHABLE_SHARE = 0.98
_MAX_NOT_SHOWING_SHARE = 0.01
_MAX_COPY_SHARE = 0.01
_MAX_SEARCH_SECONDS = 60.0


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


def evaluate_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    return (*_goal_targets(card), *_clip_targets(card), _first_clip_target(card), *_fault_targets(card))


def _goal_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    goals = card.goals
    wrong = goals.missed + goals.phantom + goals.struck_wrongly + goals.kept_wrongly
    return (
        _share_target(
            "goals that had a right clip posted and can be watched",
            f"≥ {_MIN_WATCHABLE_SHARE:.0%}",
            goals.watchable,
            goals.had_clip,
            lambda share: share >= _MIN_WATCHABLE_SHARE,
        ),
        ScorecardTarget("goals missed, invented, or wrongly removed or kept", "0", str(wrong), wrong == 0),
        ScorecardTarget("goals that are not complete", "0", str(goals.endless), goals.endless == 0),
    )


def _clip_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    clips = card.clips
    return (
        _zero_target("clips of a wrong match published as verified", clips.wrong_match_verified),
        _zero_target("clips of a wrong minute published as verified", clips.wrong_minute_verified),
        _share_target(
            "published clips that do not show the goal",
            f"≤ {_MAX_NOT_SHOWING_SHARE:.0%}",
            clips.not_showing,
            clips.published,
            lambda share: share <= _MAX_NOT_SHOWING_SHARE,
            hard=False,
        ),
        _share_target(
            "published clips that are copies of another",
            f"≤ {_MAX_COPY_SHARE:.0%}",
            clips.copies.published,
            clips.published,
            lambda share: share <= _MAX_COPY_SHARE,
            hard=False,
        ),
    )


def _share_target(
    name: str, wanted: str, part: int, whole: int, is_met: Callable[[float], bool], *, hard: bool = True
) -> ScorecardTarget:
    """A share of nothing is undefined."""
    if not whole:
        return ScorecardTarget(name, wanted, f"{NOT_MEASURED} (0 of 0)", met=False, hard=hard)
    return ScorecardTarget(name, wanted, f"{part} of {whole} ({part / whole:.1%})", is_met(part / whole), hard)


def _zero_target(name: str, count: int) -> ScorecardTarget:
    return ScorecardTarget(name, "0", str(count), count == 0)


def _first_clip_target(card: Scorecard) -> ScorecardTarget:
    most = card.conditions.debounce + _MAX_SEARCH_SECONDS
    middle = card.first.p50
    return ScorecardTarget(
        "median from goal to first clip, match seconds",
        f"≤ {most:.0f}",
        NOT_MEASURED if middle is None else f"{middle:.0f}",
        middle is not None and middle <= most,
        hard=False,
    )


def _fault_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    if not card.conditions.chaos:
        return ()
    back = sum(fault.has_recovered for fault in card.faults)
    met = bool(card.faults) and back == len(card.faults)
    return (ScorecardTarget("faults that fired and were recovered from", "all", f"{back} of {len(card.faults)}", met),)
