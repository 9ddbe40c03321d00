"""The scaler's decisions in words, for the log and the health page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from found_footy.domain.documents import ScalerPoolDocument
from found_footy.scaler.decision import ScalingReason

# A check waits for instances that drain, and a busy machine delays it.
_MISSED_CHECKS = 3
_DRAIN_ALLOWANCE = timedelta(minutes=1)

_REASON_PHRASES = {
    ScalingReason.BELOW_MINIMUM: "fewer than the minimum ran",
    ScalingReason.ABOVE_MAXIMUM: "more than the maximum ran",
    ScalingReason.LOAD_HIGH: "the load is high",
    ScalingReason.LOAD_LOW: "the load has been low for a whole cool-down",
    ScalingReason.LOAD_BETWEEN: "the load is between the thresholds",
    ScalingReason.LOAD_LOW_TOO_BRIEFLY: "the load is low, but not for long enough",
    ScalingReason.COOLING_DOWN: "the last change is too recent for another",
    ScalingReason.AT_MINIMUM: "the load is low; no fewer are allowed",
    ScalingReason.AT_MAXIMUM: "the load is high; no more are allowed",
    ScalingReason.LOAD_UNKNOWN: "the load is unknown",
}


@dataclass(frozen=True)
class ScalerReport:
    ok: bool
    text: str
    remedy: str = ""


def describe_decision(pool: ScalerPoolDocument) -> str:
    """Return, for example, "worker: 2 → 5 instances, the load is high (23 pending tasks)"."""
    if pool["error"] and not pool["reason"]:
        return f"{pool['_id']}: {pool['error']}"
    running, wanted = pool["running"], pool["wanted"]
    count = f"{running} → {wanted}" if wanted != running else str(running)
    load = "" if pool["expected"] is None else f" ({pool['expected']:.0f} {pool['unit']})"
    words = f"{pool['_id']}: {count} instances, {_REASON_PHRASES[ScalingReason(pool['reason'])]}{load}"
    return f"{words}; {pool['error']}" if pool["error"] else words


def build_scaler_report(pools: Sequence[ScalerPoolDocument], check_interval: timedelta, now: datetime) -> ScalerReport:
    """Report broken pools, and those that are no longer checked: each has a loop of its own, which may hang alone."""
    if not pools:
        return ScalerReport(False, "no decision yet", "start `found-footy scaler`, or read its log")
    text = "; ".join(describe_decision(pool) for pool in pools)
    longest = max(pools, key=lambda pool: now - pool["at"])
    silence = now - longest["at"]
    if silence > _MISSED_CHECKS * check_interval + _DRAIN_ALLOWANCE:
        silent = f"no check of {longest['_id']} for {silence.total_seconds() // 60:.0f} min; before: {text}"
        return ScalerReport(False, silent, "start `found-footy scaler`, or read its log")
    if any(pool["error"] for pool in pools):
        return ScalerReport(False, text, "read the log of `found-footy scaler`")
    return ScalerReport(True, text)
