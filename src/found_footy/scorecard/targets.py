"""What a day must reach, and whether this one did."""

from collections.abc import Callable
from dataclasses import dataclass

from found_footy.scorecard.card import Scorecard

NOT_MEASURED = "not measured"
_WATCHABLE = 0.98
_NOT_SHOWING = 0.01
_COPIES = 0.01
_SEARCH_SECONDS = 60.0


@dataclass(frozen=True)
class Target:
    """`hard` ones fail a run; the others depend on the day and on the machine it ran on. One that could not be measured
    is not met.
    """

    name: str
    wanted: str
    got: str
    met: bool
    hard: bool = True


def targets(card: Scorecard) -> tuple[Target, ...]:
    return (*_goal_targets(card), *_clip_targets(card), _first_clip(card), *_fault_targets(card))


def _goal_targets(card: Scorecard) -> tuple[Target, ...]:
    goals = card.goals
    wrong = goals.missed + goals.phantom + goals.struck_wrongly + goals.kept_wrongly
    return (
        _share(
            "goals that had a right clip posted and can be watched",
            f"≥ {_WATCHABLE:.0%}",
            goals.watchable,
            goals.had_clip,
            lambda share: share >= _WATCHABLE,
        ),
        Target("goals missed, invented, or wrongly struck out or kept", "0", str(wrong), wrong == 0),
        Target("events without an end", "0", str(goals.endless), goals.endless == 0),
    )


def _clip_targets(card: Scorecard) -> tuple[Target, ...]:
    clips = card.clips
    return (
        _none("clips of a wrong match published as verified", clips.wrong_match_verified),
        _none("clips of a wrong minute published as verified", clips.wrong_minute_verified),
        _share(
            "published clips that do not show the goal",
            f"≤ {_NOT_SHOWING:.0%}",
            clips.not_showing,
            clips.published,
            lambda share: share <= _NOT_SHOWING,
            hard=False,
        ),
        _share(
            "published clips that are copies of another",
            f"≤ {_COPIES:.0%}",
            clips.copies.published,
            clips.published,
            lambda share: share <= _COPIES,
            hard=False,
        ),
    )


def _share(
    name: str, wanted: str, part: int, whole: int, is_met: Callable[[float], bool], *, hard: bool = True
) -> Target:
    """Of nothing there is no share."""
    if not whole:
        return Target(name, wanted, f"{NOT_MEASURED} (0 of 0)", met=False, hard=hard)
    return Target(name, wanted, f"{part} of {whole} ({part / whole:.1%})", is_met(part / whole), hard)


def _none(name: str, count: int) -> Target:
    return Target(name, "0", str(count), count == 0)


def _first_clip(card: Scorecard) -> Target:
    most = card.conditions.debounce + _SEARCH_SECONDS
    middle = card.first.p50
    return Target(
        "median from goal to first clip, match seconds",
        f"≤ {most:.0f}",
        NOT_MEASURED if middle is None else f"{middle:.0f}",
        middle is not None and middle <= most,
        hard=False,
    )


def _fault_targets(card: Scorecard) -> tuple[Target, ...]:
    if not card.conditions.chaos:
        return ()
    back = sum(fault.recovered for fault in card.faults)
    met = bool(card.faults) and back == len(card.faults)
    return (Target("faults that fired and were recovered from", "all", f"{back} of {len(card.faults)}", met),)
