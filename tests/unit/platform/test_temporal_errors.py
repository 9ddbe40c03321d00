"""Errors on their way through Temporal: the class and whether to try again survive, the text is bounded."""

from datetime import timedelta

import pytest
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, RetryState

from found_footy.platform.errors import BadInput, Denied, FoundFootyError, RateLimited, Unavailable
from found_footy.platform.temporal.client import describe_root_cause, is_cancellation, to_application_error


def wrapped(cause: BaseException) -> ActivityError:
    outer = ActivityError(
        "Activity task failed",
        scheduled_event_id=1,
        started_event_id=2,
        identity="w",
        activity_type="a",
        activity_id="1",
        retry_state=RetryState.MAXIMUM_ATTEMPTS_REACHED,
    )
    outer.__cause__ = cause
    return outer


@pytest.mark.parametrize(
    ("error", "kind", "final"),
    [
        (Unavailable("MongoDB", "gone"), "Unavailable", False),
        (Denied("X", "suspended"), "Denied", True),
        (BadInput("no"), "BadInput", True),
    ],
)
def test_the_class_says_whether_to_try_again(error: FoundFootyError, kind: str, final: bool) -> None:
    carried = to_application_error(error)
    assert (carried.type, carried.non_retryable, carried.message) == (kind, final, str(error))


def test_a_retry_waits_as_long_as_the_other_side_asked() -> None:
    assert to_application_error(RateLimited("X", "slow down", 7)).next_retry_delay == timedelta(seconds=7)
    assert to_application_error(RateLimited("X", "slow down")).next_retry_delay is None


def test_a_long_text_is_cut() -> None:
    assert len(to_application_error(BadInput("x" * 100_000)).message) == 2_000
    assert len(describe_root_cause(BadInput("x" * 100_000))) == 2_000


def test_the_cause_is_the_innermost_error_and_said_once() -> None:
    inner = to_application_error(Unavailable("MongoDB", "gone"))
    assert describe_root_cause(wrapped(inner)) == "Unavailable: MongoDB: gone"
    assert describe_root_cause(wrapped(ApplicationError("plain"))) == "ApplicationError: plain"
    assert describe_root_cause(ValueError("odd")) == "ValueError: odd"


def test_cancellation_is_recognised_under_its_wrapper() -> None:
    assert is_cancellation(CancelledError("stop"))
    assert is_cancellation(wrapped(CancelledError("stop")))
    assert not is_cancellation(wrapped(ApplicationError("failed")))
