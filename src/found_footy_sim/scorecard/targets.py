"""Targets of a day, and whether it met them."""

from found_footy_sim.scorecard.card import Scorecard
from found_footy_sim.scorecard.target import NOT_MEASURED, ScorecardTarget, fault_target, share_target, zero_target
from found_footy_sim.scorecard.uploads_targets import evaluate_uploads_targets

_MIN_WATCHABLE_SHARE = 0.98
_MAX_NOT_SHOWING_SHARE = 0.01
_MAX_COPY_SHARE = 0.01
_MAX_SEARCH_SECONDS = 60.0


def evaluate_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    uploads = evaluate_uploads_targets(card.uploads) if card.uploads else ()
    return (*_goal_targets(card), *_clip_targets(card), _first_clip_target(card), *_fault_targets(card), *uploads)


def _goal_targets(card: Scorecard) -> tuple[ScorecardTarget, ...]:
    goals = card.goals
    wrong = goals.missed + goals.phantom + goals.struck_wrongly + goals.kept_wrongly
    return (
        share_target(
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
        zero_target("clips of a wrong match published as verified", clips.wrong_match_verified),
        zero_target("clips of a wrong minute published as verified", clips.wrong_minute_verified),
        share_target(
            "published clips that do not show the goal",
            f"≤ {_MAX_NOT_SHOWING_SHARE:.0%}",
            clips.not_showing,
            clips.published,
            lambda share: share <= _MAX_NOT_SHOWING_SHARE,
            hard=False,
        ),
        share_target(
            "published clips that are copies of another",
            f"≤ {_MAX_COPY_SHARE:.0%}",
            clips.copies.published,
            clips.published,
            lambda share: share <= _MAX_COPY_SHARE,
            hard=False,
        ),
    )


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
    return (fault_target(card.faults),)
