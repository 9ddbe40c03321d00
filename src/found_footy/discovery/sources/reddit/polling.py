"""Decides how long the poll rests, how far back it pages, and what a stored failure means. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from found_footy.discovery.sources.errors import AuthFailed, Blocked
from found_footy.discovery.sources.reddit.posts import PostPage, RedditPost
from found_footy.discovery.sources.reddit.store import PollState
from found_footy.discovery.sources.reddit.wire import DEFAULT_WAIT_SECONDS, SYSTEM
from found_footy.platform.errors import ExternalSystemError, Malformed, RateLimited, Unavailable

MAX_KNOWN_IDS = 300
_MAX_DOUBLINGS = 4
_LONGEST_REST = timedelta(hours=4)
_ERRORS: dict[str, type[ExternalSystemError]] = {
    error.__name__: error for error in (AuthFailed, Blocked, Malformed, Unavailable)
}


@dataclass(frozen=True)
class PollPace:
    """`interval` lies between polls; after a refusal the source rests for `rest`, which doubles while it lasts."""

    interval: timedelta = timedelta(seconds=60)
    rest: timedelta = timedelta(minutes=15)


def rest_after(error: ExternalSystemError, failures: int, pace: PollPace) -> timedelta:
    """How long not to call after a failure that followed `failures` others."""
    if isinstance(error, RateLimited):
        base = timedelta(seconds=error.retry_after or DEFAULT_WAIT_SECONDS)
    else:
        base = pace.rest if isinstance(error, Blocked | AuthFailed) else pace.interval
    doubled: timedelta = max(base, pace.interval) * 2 ** min(failures, _MAX_DOUBLINGS)
    return min(doubled, _LONGEST_REST)


def record_failure(state: PollState, error: ExternalSystemError, now: datetime, pace: PollPace) -> PollState:
    rest = rest_after(error, state.failures, pace)
    return replace(
        state,
        next_at=now + rest,
        failures=state.failures + 1,
        error=type(error).__name__,
        message=error.message,
    )


def record_success(
    state: PollState, pages: Sequence[PostPage], horizon: datetime, now: datetime, pace: PollPace
) -> PollState:
    """The state after pages were read. A gap remains if they end before a known post and before the horizon."""
    ids = [post.id for page in pages for post in page.posts]
    wait = max([pace.interval, *(timedelta(seconds=page.wait_seconds) for page in pages)])
    return replace(
        state,
        next_at=now + wait,
        failures=0,
        error="",
        message="",
        known_ids=tuple(dict.fromkeys((*ids, *state.known_ids)))[:MAX_KNOWN_IDS],
        gap_after=None if reaches_known(pages[-1], state.known_ids, horizon) else pages[-1].after,
        worked_at=now,
    )


def reaches_known(page: PostPage, known_ids: Sequence[str], horizon: datetime) -> bool:
    """Whether older pages hold nothing new that is wanted."""
    known = frozenset(known_ids)
    return page.after is None or any(post.id in known or post.created_at < horizon for post in page.posts)


def stored_error(state: PollState, now: datetime) -> ExternalSystemError | None:
    """The failure of the last poll, for the searches until the next one."""
    if not state.error:
        return None
    if state.error == RateLimited.__name__:
        return RateLimited(SYSTEM, state.message, max((state.next_at - now).total_seconds(), 0.0))
    return _ERRORS.get(state.error, Unavailable)(SYSTEM, state.message)


def is_kept(post: RedditPost) -> bool:
    """Removed posts are kept too, because they mark what was stored before they were removed."""
    return bool(post.link) or post.removed
