"""Targets of a day, and whether it met them."""

from collections.abc import Callable

from found_footy_sim.scorecard.card import Scorecard
from found_footy_sim.scorecard.rates import Rate, compute_rate
from found_footy_sim.scorecard.target import NOT_MEASURED, ScorecardTarget, fault_target, zero_target
from found_footy_sim.scorecard.uploads_targets import evaluate_uploads_targets

_MIN_WATCHABLE_SHARE = 0.95
_MAX_WRONG_VERIFIED_SHARE = 0.005
_MAX_REFUSED_SHARE = 0.03
_MAX_SWALLOWED_SHARE = 0.005
_MAX_NOT_SHOWING_SHARE = 0.01
_MAX_COPY_SHARE = 0.01
_MAX_SEARCH_SECONDS = 60.0


def evaluate_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    uploads = evaluate_uploads_targets(card.uploads) if card.uploads else ()
    return (
        *_goal_targets(card),
        *_verified_targets(card),
        *_clip_targets(card),
        _first_clip_target(card),
        *_fault_targets(card),
        *uploads,
    )


def _goal_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    goals = card.goals
    wrong = goals.missed + goals.phantom + goals.struck_wrongly + goals.kept_wrongly
    return (
        _rate_target(
            "goals that had a findable right clip and can be watched",
            f"≥ {_MIN_WATCHABLE_SHARE:.0%}",
            compute_rate(goals.watchable, goals.had_clip),
            lambda share: share >= _MIN_WATCHABLE_SHARE,
            hard_if_proven=True,
        ),
        zero_target("goals missed, invented, or wrongly removed or kept", wrong),
        zero_target("goals that are not complete", goals.endless),
        # An injected outage may last longer than a goal is given; its clips are then retried without it.
        zero_target("goals closed by their deadline", goals.by_deadline, hard=not card.conditions.chaos),
    )


def _verified_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    return (
        _rate_target(
            "clips published as verified that do not show the goal, or film a screen",
            f"≤ {_MAX_WRONG_VERIFIED_SHARE:.1%}",
            card.clips.wrong_verified,
            lambda share: share <= _MAX_WRONG_VERIFIED_SHARE,
            hard_if_proven=True,
        ),
        _rate_target(
            "right clips that were found and refused",
            f"≤ {_MAX_REFUSED_SHARE:.0%}",
            card.search.refused,
            lambda share: share <= _MAX_REFUSED_SHARE,
        ),
    )


def _clip_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    clips, copies = card.clips, card.clips.copies
    return (
        _check_target(
            "published clips that cannot be fetched and played", clips.unreachable if clips.watched else None
        ),
        _check_target("faults found in the archive", None if card.archive_faults is None else len(card.archive_faults)),
        _share_target(
            "published clips that do not show the goal", _MAX_NOT_SHOWING_SHARE, clips.not_showing, clips.published
        ),
        _share_target("published clips that are copies of another", _MAX_COPY_SHARE, copies.published, clips.published),
        _share_target("recordings swallowed", _MAX_SWALLOWED_SHARE, copies.swallowed, copies.recordings),
    )


def _rate_target(
    name: str, wanted: str, rate: Rate, is_met: Callable[[float], bool], *, hard_if_proven: bool = False
) -> ScorecardTarget:
    """A share of nothing is undefined. With `hard_if_proven`, a miss fails the run if it cannot be the chance of a
    small sample: if the whole interval misses.
    """
    if rate.share is None:
        return ScorecardTarget(name, wanted, f"{NOT_MEASURED} ({rate})", met=False, hard=hard_if_proven)
    proven = not is_met(rate.low) and not is_met(rate.high)
    return ScorecardTarget(name, wanted, str(rate), is_met(rate.share), hard_if_proven and proven)


def _share_target(name: str, most: float, part: int, whole: int) -> ScorecardTarget:
    """A share that depends on the day: it is reported, and fails nothing."""
    return _rate_target(name, f"≤ {most:.1%}", compute_rate(part, whole), lambda share: share <= most)


def _check_target(name: str, count: int | None) -> ScorecardTarget:
    """None: nobody tried."""
    return ScorecardTarget(name, "0", NOT_MEASURED, met=False) if count is None else zero_target(name, count)


def _first_clip_target(card: Scorecard) -> ScorecardTarget:
    most = card.conditions.debounce + _MAX_SEARCH_SECONDS
    middle = card.first.p50
    return ScorecardTarget(
        "median from goal to first clip, match seconds",
        f"≤ {most:.0f}",
        f"{middle:.0f}" if middle is not None else "never" if card.first.never else NOT_MEASURED,
        middle is not None and middle <= most,
        hard=False,
    )


def _fault_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    if not card.conditions.chaos:
        return ()
    return (fault_target(card.faults),)
