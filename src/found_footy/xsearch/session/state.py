"""The state of the log-in, and how long searches pause after a failure."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from found_footy.xsearch.errors import (
    SearchFailed,
    XAccountLocked,
    XBlocked,
    XProtocolDrift,
    XRateLimited,
    XSessionExpired,
)


class SessionState(StrEnum):
    AUTHENTICATED = "authenticated"
    EXPIRED = "expired"
    RATE_LIMITED = "rate_limited"
    LOCKED = "locked"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class PauseDurations:
    """How long the site is not used after each kind of failure. A new log-in ends any pause."""

    expired: timedelta
    locked: timedelta
    blocked: timedelta
    drift: timedelta


@dataclass(frozen=True)
class AccountSession:
    """`failure` prevents searches until `paused_until`, or without one until a log-in.

    `empty_shells` counts empty pages in a row.
    """

    state: SessionState = SessionState.UNKNOWN
    since: datetime | None = None
    failure: SearchFailed | None = None
    paused_until: datetime | None = None
    empty_shells: int = 0

    def active_failure(self, now: datetime) -> SearchFailed | None:
        """Return the failure to repeat at `now` instead of using the site, if its pause is not over."""
        if self.failure is None or (self.paused_until is not None and now >= self.paused_until):
            return None
        return type(self.failure)(self.failure.message, self.paused_until)

    def reported_state(self, now: datetime) -> SessionState:
        """The state to report. A past rate limit says nothing about the log-in."""
        over = self.paused_until is None or now >= self.paused_until
        return SessionState.UNKNOWN if self.state is SessionState.RATE_LIMITED and over else self.state


def session_after_success(session: AccountSession, now: datetime) -> AccountSession:
    since = session.since if session.state is SessionState.AUTHENTICATED else now
    return AccountSession(SessionState.AUTHENTICATED, since)


def session_after_login(now: datetime) -> AccountSession:
    """New cookies are set; whether they work is not known yet."""
    return AccountSession(SessionState.UNKNOWN, now)


def session_after_failure(
    session: AccountSession, failure: SearchFailed, now: datetime, pauses: PauseDurations, opens_at: datetime
) -> AccountSession:
    """`opens_at` is when the budget allows the next call. A transient failure does not change the state of the
    log-in.
    """
    match failure:
        case XSessionExpired():
            return _pause_session(session, SessionState.EXPIRED, failure, now, now + pauses.expired)
        case XAccountLocked():
            return _pause_session(session, SessionState.LOCKED, failure, now, now + pauses.locked)
        case XRateLimited():
            return _pause_session(session, SessionState.RATE_LIMITED, failure, now, opens_at)
        case XBlocked():
            return _pause_session(session, SessionState.UNKNOWN, failure, now, now + pauses.blocked)
        case XProtocolDrift():
            return _pause_session(session, session.state, failure, now, now + pauses.drift)
    return session


def session_after_empty_shell(session: AccountSession) -> AccountSession:
    return replace(session, empty_shells=session.empty_shells + 1)


def _pause_session(
    session: AccountSession, state: SessionState, failure: SearchFailed, now: datetime, until: datetime
) -> AccountSession:
    since = session.since if session.state is state else now
    return AccountSession(state, since, failure, until)
