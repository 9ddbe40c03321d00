"""What becomes of an event whose ingest failed."""

from dataclasses import dataclass
from datetime import timedelta

from found_footy.platform.errors import BadInput, ExternalSystemError


@dataclass(frozen=True)
class RetryRules:
    """An ingest that failed for a reason of its own is tried `max_deliveries` times. While another system is away,
    which says nothing about the event, it is tried until the event is `give_up_after` old.
    """

    max_deliveries: int = 8
    give_up_after: timedelta = timedelta(hours=24)
    first_delay: timedelta = timedelta(seconds=1)
    longest_delay: timedelta = timedelta(minutes=1)


@dataclass(frozen=True)
class PostponeDecision:
    delay: timedelta


@dataclass(frozen=True)
class ParkDecision:
    reason: str


def decide_after_failure(
    error: Exception, attempts: int, age: timedelta, rules: RetryRules
) -> PostponeDecision | ParkDecision:
    """`attempts` counts this one, of an outage all deliveries; `age` is that of the event in the queue."""
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, BadInput):
        return ParkDecision(reason)
    if (age >= rules.give_up_after) if is_outage(error) else (attempts >= rules.max_deliveries):
        return ParkDecision(f"given up after {attempts} attempts; {reason}")
    return PostponeDecision(compute_delay(attempts, rules))


def is_outage(error: Exception) -> bool:
    """Whether another system failed, which says nothing about the event."""
    return isinstance(error, ExternalSystemError | TimeoutError)


def compute_delay(deliveries: int, rules: RetryRules) -> timedelta:
    """Each delay is twice the one before."""
    doublings = min(deliveries - 1, 20)
    return min(rules.first_delay * (1 << doublings), rules.longest_delay)
