"""What a failure does to the session, and for how long it keeps us away."""

from datetime import UTC, datetime, timedelta

import pytest

from found_footy.xsearch.errors import (
    AccountLocked,
    Blocked,
    ProtocolDrift,
    RateLimited,
    SearchFailed,
    SessionExpired,
    Transient,
)
from found_footy.xsearch.session import (
    Pauses,
    Session,
    SessionState,
    after_failure,
    after_login,
    after_shell,
    after_success,
)

NOW = datetime(2026, 11, 15, 15, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PAUSES = Pauses(expired=5 * MINUTE, locked=60 * MINUTE, blocked=10 * MINUTE, drift=2 * MINUTE)
OPENS = NOW + 13 * MINUTE
GOOD = after_success(Session(), NOW - 30 * MINUTE)


@pytest.mark.parametrize(
    ("failure", "state", "pause"),
    [
        (SessionExpired("x"), SessionState.EXPIRED, 5 * MINUTE),
        (AccountLocked("x"), SessionState.LOCKED, 60 * MINUTE),
        (RateLimited("x"), SessionState.RATE_LIMITED, 13 * MINUTE),
        (Blocked("x"), SessionState.UNKNOWN, 10 * MINUTE),
        (ProtocolDrift("x"), SessionState.AUTHENTICATED, 2 * MINUTE),
    ],
)
def test_a_failure_is_repeated_until_its_pause_is_over(
    failure: SearchFailed, state: SessionState, pause: timedelta
) -> None:
    session = after_failure(GOOD, failure, NOW, PAUSES, OPENS)
    assert session.shown(NOW) is state
    refusal = session.refusal(NOW + pause - timedelta(seconds=1))
    assert type(refusal) is type(failure)
    assert refusal.until == NOW + pause
    assert session.refusal(NOW + pause) is None


def test_a_stumble_says_nothing_about_the_log_in() -> None:
    assert after_failure(GOOD, Transient("x"), NOW, PAUSES, OPENS) == GOOD


def test_a_rate_limit_that_is_over_leaves_the_state_unknown() -> None:
    session = after_failure(GOOD, RateLimited("x"), NOW, PAUSES, OPENS)
    assert session.shown(OPENS) is SessionState.UNKNOWN


def test_a_new_log_in_ends_any_pause() -> None:
    assert after_login(NOW).refusal(NOW) is None


def test_success_forgets_everything_but_since_when_it_works() -> None:
    shelled = after_shell(after_shell(GOOD))
    assert shelled.shells == 2
    assert after_success(shelled, NOW) == GOOD
    locked = after_failure(GOOD, AccountLocked("x"), NOW, PAUSES, OPENS)
    assert after_success(locked, NOW) == Session(SessionState.AUTHENTICATED, NOW)


def test_a_failure_survives_being_sent_elsewhere() -> None:
    import pickle

    copy = pickle.loads(pickle.dumps(RateLimited("slow down", OPENS)))  # noqa: S301
    assert (type(copy), copy.message, copy.until) == (RateLimited, "slow down", OPENS)
