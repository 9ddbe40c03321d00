"""How many search calls an account may still make: our own sliding window, tightened by the site's rate limit."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

_REMAINING_HEADER = "x-rate-limit-remaining"
_LIMIT_HEADER = "x-rate-limit-limit"
_RESET_HEADER = "x-rate-limit-reset"
_MIN_CLOSURE = timedelta(minutes=1)
_MAX_CLOSURE = timedelta(days=1)


@dataclass(frozen=True)
class RateLimitStatus:
    """The site's rate-limit headers. Missing or implausible values are None."""

    remaining: int | None
    limit: int | None
    resets_at: datetime | None


@dataclass(frozen=True)
class SiteQuota:
    """Calls that the site still allows, by its own count, until its window ends."""

    left: int
    until: datetime


@dataclass(frozen=True)
class RequestBudget:
    """At most `limit` calls in any `window`, fewer when the site says so, none before `closed_until`."""

    limit: int
    window: timedelta
    spent: tuple[datetime, ...] = ()
    site_quota: SiteQuota | None = None
    closed_until: datetime | None = None

    def left(self, now: datetime) -> int:
        if self.closed_until and now < self.closed_until:
            return 0
        own = self.limit - len(self._recent_calls(now))
        if self.site_quota and now < self.site_quota.until:
            return max(0, min(own, self.site_quota.left))
        return max(0, own)

    def spend(self, now: datetime) -> "RequestBudget | None":
        """Return the budget after one call at `now`, or None if that call must not be made."""
        if self.left(now) < 1:
            return None
        grant = replace(self.site_quota, left=self.site_quota.left - 1) if self.site_quota else None
        return replace(self, spent=(*self._recent_calls(now), now), site_quota=grant)

    def opens_at(self, now: datetime) -> datetime:
        """The earliest time at which a call is allowed; `now` if it is already."""
        if self.left(now) > 0:
            return now
        waits = [now]
        if self.closed_until:
            waits.append(self.closed_until)
        if self.site_quota and self.site_quota.left < 1:
            waits.append(self.site_quota.until)
        recent = sorted(self._recent_calls(now))
        if len(recent) >= self.limit:
            waits.append(recent[len(recent) - self.limit] + self.window)
        return max(waits)

    def apply_rate_limit(self, rate_limit: RateLimitStatus, now: datetime) -> "RequestBudget":
        """Apply the site's count as well, with the same margin below its limit that our own limit has."""
        if (
            rate_limit.remaining is None
            or rate_limit.resets_at is None
            or not now < rate_limit.resets_at < now + _MAX_CLOSURE
        ):
            return self
        margin = max(0, (rate_limit.limit or self.limit) - self.limit)
        left = rate_limit.remaining - margin if rate_limit.remaining else 0
        return replace(self, site_quota=SiteQuota(max(0, left), rate_limit.resets_at))

    def close(self, until: datetime) -> "RequestBudget":
        return replace(self, closed_until=max(until, self.closed_until or until))

    def _recent_calls(self, now: datetime) -> tuple[datetime, ...]:
        """Calls that still count. A time in the future (the clock was set back) counts as now."""
        return tuple(min(at, now) for at in self.spent if now - at < self.window)


def clamp_closure_end(until: datetime, now: datetime) -> datetime:
    """Limit the end of a closure to plausible values: not in the past, not far in the future."""
    return min(max(until, now + _MIN_CLOSURE), now + _MAX_CLOSURE)


def parse_rate_limit_headers(headers: Mapping[str, str]) -> RateLimitStatus:
    """Header names are lower-case."""
    reset = _parse_number(headers.get(_RESET_HEADER))
    return RateLimitStatus(
        remaining=_parse_number(headers.get(_REMAINING_HEADER)),
        limit=_parse_number(headers.get(_LIMIT_HEADER)),
        resets_at=datetime.fromtimestamp(reset, UTC) if reset is not None else None,
    )


def _parse_number(text: str | None) -> int | None:
    plain = (text or "").strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 10 else None
