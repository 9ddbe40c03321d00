"""What becomes of an event whose ingest failed: an outage says nothing about the event."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.platform.errors import BadInput, Conflict, Denied, RateLimited, StoreDenied, Unavailable
from found_footy.uploads.intake.retry_rules import (
    ParkDecision,
    PostponeDecision,
    RetryRules,
    compute_delay,
    decide_after_failure,
)

RULES = RetryRules(max_deliveries=3, give_up_after=timedelta(hours=24))
YOUNG, OLD = timedelta(minutes=1), timedelta(hours=24)
OUTAGES = [
    Unavailable("MongoDB", "away"),
    StoreDenied("MongoDB", "no"),
    Denied("Temporal", "no"),
    RateLimited("S3", "slow down"),
    TimeoutError(),
]
OTHERS = [RuntimeError("a bug"), Conflict("another writer")]


@pytest.mark.parametrize("error", OUTAGES, ids=repr)
def test_an_outage_is_waited_out_however_often_the_event_was_delivered(error: Exception) -> None:
    assert isinstance(decide_after_failure(error, 1000, YOUNG, RULES), PostponeDecision)
    assert isinstance(decide_after_failure(error, 2, OLD, RULES), ParkDecision)


@pytest.mark.parametrize("error", OTHERS, ids=repr)
def test_another_failure_is_tried_a_few_times_whatever_the_age(error: Exception) -> None:
    assert isinstance(decide_after_failure(error, 2, OLD, RULES), PostponeDecision)
    assert isinstance(decide_after_failure(error, 3, YOUNG, RULES), ParkDecision)


def test_what_breaks_its_contract_is_parked_at_once_with_the_reason() -> None:
    assert decide_after_failure(BadInput("no key"), 1, YOUNG, RULES) == ParkDecision("BadInput: no key")
    assert decide_after_failure(RuntimeError(), 3, YOUNG, RULES) == ParkDecision(
        "given up after 3 attempts; RuntimeError"
    )


@given(st.integers(1, 10**6))
def test_delays_grow_and_are_bounded(deliveries: int) -> None:
    delay = compute_delay(deliveries, RULES)
    assert RULES.first_delay <= delay <= RULES.longest_delay
    assert compute_delay(deliveries + 1, RULES) >= delay
