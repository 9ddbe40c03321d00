"""Targets of an organization's afternoon, and whether it met them."""

from found_footy_sim.scorecard.target import NOT_MEASURED, ScorecardTarget, fault_target, share_target, zero_target
from found_footy_sim.scorecard.uploads_card import UploadsCard

MAX_SECONDS_TO_CLASSIFIED = 2.0


def evaluate_uploads_targets(card: UploadsCard) -> tuple[ScorecardTarget, ...]:
    return (
        _all_target("images whose row ends on the right version's label", card.right, card.live),
        _all_target("deleted images whose row says so", card.deleted_right, card.deleted),
        _all_target("hostile files refused with a sentence", card.refused, card.hostile),
        zero_target("images lost", card.lost),
        zero_target("classifications doubled", card.doubled),
        _all_target("malformed notifications parked", card.parked, card.malformed),
        zero_target("requests answered by an internal error", card.internal_errors),
        _median_target(card),
        *((fault_target(card.faults),) if card.conditions.chaos else ()),
    )


def _all_target(name: str, part: int, whole: int) -> ScorecardTarget:
    return share_target(name, "all", part, whole, lambda share: share == 1)


def _median_target(card: UploadsCard) -> ScorecardTarget:
    middle = card.classified.p50
    return ScorecardTarget(
        "median from PUT to classified, seconds",
        f"≤ {MAX_SECONDS_TO_CLASSIFIED:g}",
        NOT_MEASURED if middle is None else f"{middle:.1f}",
        middle is not None and middle <= MAX_SECONDS_TO_CLASSIFIED,
        hard=False,
    )
