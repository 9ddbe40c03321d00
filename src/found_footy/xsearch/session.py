"""The state of the log-in, and for how long a failure keeps the browser from trying again."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from found_footy.xsearch.errors import (
    AccountLocked,
    Blocked,
    ProtocolDrift,
    RateLimited,
    SearchFailed,
    SessionExpired,
)


class SessionState(StrEnum):
    AUTHENTICATED = "authenticated"
    EXPIRED = "expired"
    RATE_LIMITED = "rate_limited"
    LOCKED = "locked"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Pauses:
    """How long to leave the site alone after each kind of failure. A new log-in ends any pause."""

    expired: timedelta
    locked: timedelta
    blocked: timedelta
    drift: timedelta


@dataclass(frozen=True)
class Session:
    """`failure` stands in the way until `paused_until`, or without one until a log-in.

    `shells` counts empty pages in a row.
    """

    state: SessionState = SessionState.UNKNOWN
    since: datetime | None = None
    failure: SearchFailed | None = None
    paused_until: datetime | None = None
    shells: int = 0

    def refusal(self, now: datetime) -> SearchFailed | None:
        """The failure to repeat at `now` instead of asking the site, if its pause is not over."""
        if self.failure is None or (self.paused_until is not None and now >= self.paused_until):
            return None
        return type(self.failure)(self.failure.message, self.paused_until)

    def shown(self, now: datetime) -> SessionState:
        """The state to report. A rate limit that is over says nothing any more about the log-in."""
        over = self.paused_until is None or now >= self.paused_until
        return SessionState.UNKNOWN if self.state is SessionState.RATE_LIMITED and over else self.state


def after_success(session: Session, now: datetime) -> Session:
    since = session.since if session.state is SessionState.AUTHENTICATED else now
    return Session(SessionState.AUTHENTICATED, since)


def after_login(now: datetime) -> Session:
    """New cookies are there; whether they work is not known yet."""
    return Session(SessionState.UNKNOWN, now)


def after_failure(
    session: Session, failure: SearchFailed, now: datetime, pauses: Pauses, opens_at: datetime
) -> Session:
    """`opens_at` is when the budget allows the next call. A stumble says nothing about the log-in, so it keeps it."""
    match failure:
        case SessionExpired():
            return _paused(session, SessionState.EXPIRED, failure, now, now + pauses.expired)
        case AccountLocked():
            return _paused(session, SessionState.LOCKED, failure, now, now + pauses.locked)
        case RateLimited():
            return _paused(session, SessionState.RATE_LIMITED, failure, now, opens_at)
        case Blocked():
            return _paused(session, SessionState.UNKNOWN, failure, now, now + pauses.blocked)
        case ProtocolDrift():
            return _paused(session, session.state, failure, now, now + pauses.drift)
    return session


def after_shell(session: Session) -> Session:
    return replace(session, shells=session.shells + 1)


def _paused(session: Session, state: SessionState, failure: SearchFailed, now: datetime, until: datetime) -> Session:
    since = session.since if session.state is state else now
    return Session(state, since, failure, until)
