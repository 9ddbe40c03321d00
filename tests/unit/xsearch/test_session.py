"""What a failure does to the session, and for how long it keeps us away."""

from datetime import UTC, datetime, timedelta

import pytest

from found_footy.xsearch.errors import (
    SearchFailed,
    TransientFailure,
    XAccountLocked,
    XBlocked,
    XProtocolDrift,
    XRateLimited,
    XSessionExpired,
)
from found_footy.xsearch.session.state import (
    AccountSession,
    PauseDurations,
    SessionState,
    session_after_empty_shell,
    session_after_failure,
    session_after_login,
    session_after_success,
)

NOW = datetime(2026, 11, 15, 15, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PAUSES = PauseDurations(expired=5 * MINUTE, locked=60 * MINUTE, blocked=10 * MINUTE, drift=2 * MINUTE)
OPENS = NOW + 13 * MINUTE
GOOD = session_after_success(AccountSession(), NOW - 30 * MINUTE)


@pytest.mark.parametrize(
    ("failure", "state", "pause"),
    [
        (XSessionExpired("x"), SessionState.EXPIRED, 5 * MINUTE),
        (XAccountLocked("x"), SessionState.LOCKED, 60 * MINUTE),
        (XRateLimited("x"), SessionState.RATE_LIMITED, 13 * MINUTE),
        (XBlocked("x"), SessionState.UNKNOWN, 10 * MINUTE),
        (XProtocolDrift("x"), SessionState.AUTHENTICATED, 2 * MINUTE),
    ],
)
def test_a_failure_is_repeated_until_its_pause_is_over(
    failure: SearchFailed, state: SessionState, pause: timedelta
) -> None:
    session = session_after_failure(GOOD, failure, NOW, PAUSES, OPENS)
    assert session.reported_state(NOW) is state
    refusal = session.active_failure(NOW + pause - timedelta(seconds=1))
    assert type(refusal) is type(failure)
    assert refusal.until == NOW + pause
    assert session.active_failure(NOW + pause) is None


def test_a_temporary_failure_says_nothing_about_the_login() -> None:
    assert session_after_failure(GOOD, TransientFailure("x"), NOW, PAUSES, OPENS) == GOOD


def test_a_rate_limit_that_is_over_leaves_the_state_unknown() -> None:
    session = session_after_failure(GOOD, XRateLimited("x"), NOW, PAUSES, OPENS)
    assert session.reported_state(OPENS) is SessionState.UNKNOWN


def test_a_new_log_in_ends_any_pause() -> None:
    assert session_after_login(NOW).active_failure(NOW) is None


def test_a_success_clears_everything_but_since_when_it_works() -> None:
    shelled = session_after_empty_shell(session_after_empty_shell(GOOD))
    assert shelled.empty_shells == 2
    assert session_after_success(shelled, NOW) == GOOD
    locked = session_after_failure(GOOD, XAccountLocked("x"), NOW, PAUSES, OPENS)
    assert session_after_success(locked, NOW) == AccountSession(SessionState.AUTHENTICATED, NOW)


def test_a_failure_survives_being_sent_elsewhere() -> None:
    import pickle

    copy = pickle.loads(pickle.dumps(XRateLimited("slow down", OPENS)))  # noqa: S301
    assert (type(copy), copy.message, copy.until) == (XRateLimited, "slow down", OPENS)
