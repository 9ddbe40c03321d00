"""How many instances of a pool should run, decided from measured load. Pure."""

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum


@dataclass(frozen=True)
class ScalingRules:
    """`scale_up` and `scale_down` are loads per instance. `scale_up` is at least twice `scale_down`: then neither a
    start nor a stop moves the load per instance across the other threshold.
    """

    min_instances: int
    max_instances: int
    scale_up: float
    scale_down: float
    check_interval: timedelta
    cooldown: timedelta

    def limit_to(self, capacity: int) -> "ScalingRules":
        """Return the rules for a place with room for `capacity` instances."""
        largest = max(1, min(self.max_instances, capacity))
        return replace(self, max_instances=largest, min_instances=min(self.min_instances, largest))


@dataclass(frozen=True)
class MeasuredLoad:
    """What waits now, and by how much it grows per second; a negative growth means that it shrinks."""

    pending: int
    growth: float = 0.0

    def expect_after(self, time: timedelta) -> float:
        """Return what will wait after `time` if the growth lasts. A shrinking backlog counts as it is: whether it goes
        on shrinking depends on the instances that a decision might stop."""
        return self.pending + max(0.0, self.growth) * time.total_seconds()


@dataclass(frozen=True)
class PoolCheck:
    """One look at a pool. `load` is None if it could not be measured."""

    at: datetime
    running: int
    load: MeasuredLoad | None


@dataclass(frozen=True)
class PoolHistory:
    """What earlier checks leave behind: when the number last changed, and since when every check found a low load."""

    changed_at: datetime | None = None
    low_since: datetime | None = None


class ScalingReason(StrEnum):
    BELOW_MINIMUM = "below_minimum"
    ABOVE_MAXIMUM = "above_maximum"
    LOAD_HIGH = "load_high"
    LOAD_LOW = "load_low"
    LOAD_BETWEEN = "load_between"
    LOAD_LOW_TOO_BRIEFLY = "load_low_too_briefly"
    COOLING_DOWN = "cooling_down"
    AT_MINIMUM = "at_minimum"
    AT_MAXIMUM = "at_maximum"
    LOAD_UNKNOWN = "load_unknown"


@dataclass(frozen=True)
class ScalingDecision:
    """`expected` is the load that was decided on: what waits, with its growth until the next check."""

    running: int
    wanted: int
    reason: ScalingReason
    expected: float | None

    @property
    def changes(self) -> bool:
        return self.wanted != self.running


def decide_count(rules: ScalingRules, history: PoolHistory, check: PoolCheck) -> tuple[ScalingDecision, PoolHistory]:
    """Return the number of instances wanted, with the history for the next check.

    A high load starts as many instances as bring it to the threshold, since clips of a goal appear within minutes. A
    low load stops one instance at a time, and only after it was low at every check of a whole cool-down. Without a
    measurement nothing is started or stopped, except to keep to the limits.
    """
    expected = check.load.expect_after(rules.check_interval) if check.load else None
    low_since = _find_low_since(rules, history, check, expected)
    wanted, reason = _choose_count(rules, replace(history, low_since=low_since), check, expected)
    decision = ScalingDecision(check.running, wanted, reason, expected)
    return decision, PoolHistory(check.at if decision.changes else history.changed_at, low_since)


def _find_low_since(
    rules: ScalingRules, history: PoolHistory, check: PoolCheck, expected: float | None
) -> datetime | None:
    """An unknown load is not a low one: the time starts again."""
    if expected is None or expected >= rules.scale_down * check.running:
        return None
    return history.low_since or check.at


def _choose_count(
    rules: ScalingRules, history: PoolHistory, check: PoolCheck, expected: float | None
) -> tuple[int, ScalingReason]:
    running = check.running
    if running < rules.min_instances:
        return rules.min_instances, ScalingReason.BELOW_MINIMUM
    if running > rules.max_instances:
        return rules.max_instances, ScalingReason.ABOVE_MAXIMUM
    if expected is None:
        return running, ScalingReason.LOAD_UNKNOWN
    if expected > rules.scale_up * running:
        return _choose_more(rules, history, check, expected)
    if history.low_since is not None:
        return _choose_fewer(rules, history, check, history.low_since)
    return running, ScalingReason.LOAD_BETWEEN


def _choose_more(
    rules: ScalingRules, history: PoolHistory, check: PoolCheck, expected: float
) -> tuple[int, ScalingReason]:
    if check.running == rules.max_instances:
        return check.running, ScalingReason.AT_MAXIMUM
    if _is_cooling_down(rules, history, check.at):
        return check.running, ScalingReason.COOLING_DOWN
    return min(rules.max_instances, math.ceil(expected / rules.scale_up)), ScalingReason.LOAD_HIGH


def _choose_fewer(
    rules: ScalingRules, history: PoolHistory, check: PoolCheck, low_since: datetime
) -> tuple[int, ScalingReason]:
    if check.running == rules.min_instances:
        return check.running, ScalingReason.AT_MINIMUM
    if _is_cooling_down(rules, history, check.at):
        return check.running, ScalingReason.COOLING_DOWN
    if check.at - low_since < rules.cooldown:
        return check.running, ScalingReason.LOAD_LOW_TOO_BRIEFLY
    return check.running - 1, ScalingReason.LOAD_LOW


def _is_cooling_down(rules: ScalingRules, history: PoolHistory, now: datetime) -> bool:
    """A change in the future was recorded by a clock that was set back since; it is ignored."""
    return history.changed_at is not None and timedelta(0) <= now - history.changed_at < rules.cooldown
