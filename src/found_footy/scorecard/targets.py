"""What a day must reach, and whether this one did."""

from dataclasses import dataclass

from found_footy.scorecard.card import Scorecard

_WATCHABLE = 0.98
_NOT_SHOWING = 0.01
_COPIES = 0.01
_SEARCH_SECONDS = 60.0


@dataclass(frozen=True)
class Target:
    """`hard` ones fail a run; the others depend on the machine it ran on."""

    name: str
    wanted: str
    got: str
    met: bool
    hard: bool = True


def targets(card: Scorecard) -> tuple[Target, ...]:
    return (*_goal_targets(card), *_clip_targets(card), _first_clip(card), *_fault_targets(card))


def _goal_targets(card: Scorecard) -> tuple[Target, ...]:
    goals = card.goals
    share = goals.watchable / goals.had_clip if goals.had_clip else 1.0
    wrong = goals.missed + goals.phantom + goals.struck_wrongly + goals.kept_wrongly
    return (
        Target(
            "goals that had a right clip posted and can be watched",
            f"≥ {_WATCHABLE:.0%}",
            f"{goals.watchable} of {goals.had_clip} ({share:.1%})",
            share >= _WATCHABLE,
        ),
        Target("goals missed, invented, or wrongly struck out or kept", "0", str(wrong), wrong == 0),
        Target("events without an end", "0", str(goals.endless), goals.endless == 0),
    )


def _clip_targets(card: Scorecard) -> tuple[Target, ...]:
    clips = card.clips
    published = max(1, clips.published)
    not_showing, copies = clips.not_showing / published, clips.copies.published / published
    return (
        _none("clips of a wrong match published as verified", clips.wrong_match_verified),
        _none("clips of a wrong minute published as verified", clips.wrong_minute_verified),
        Target(
            "published clips that do not show the goal",
            f"≤ {_NOT_SHOWING:.0%}",
            f"{clips.not_showing} of {clips.published} ({not_showing:.1%})",
            not_showing <= _NOT_SHOWING,
            hard=False,
        ),
        Target(
            "published clips that are copies of another",
            f"≤ {_COPIES:.0%}",
            f"{clips.copies.published} of {clips.published} ({copies:.1%})",
            copies <= _COPIES,
            hard=False,
        ),
    )


def _none(name: str, count: int) -> Target:
    return Target(name, "0", str(count), count == 0)


def _first_clip(card: Scorecard) -> Target:
    most = card.conditions.debounce + _SEARCH_SECONDS
    middle = card.first.p50
    return Target(
        "median from goal to first clip, match seconds",
        f"≤ {most:.0f}",
        "no clip" if middle is None else f"{middle:.0f}",
        middle is not None and middle <= most,
        hard=False,
    )


def _fault_targets(card: Scorecard) -> tuple[Target, ...]:
    if not card.conditions.chaos:
        return ()
    back = sum(fault.recovered for fault in card.faults)
    met = bool(card.faults) and back == len(card.faults)
    return (Target("faults that fired and were recovered from", "all", f"{back} of {len(card.faults)}", met),)
