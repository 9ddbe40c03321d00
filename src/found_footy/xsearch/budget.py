"""How many search calls an account may still make: a sliding window of our own, tightened by what the site says."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

_REMAINING = "x-rate-limit-remaining"
_LIMIT = "x-rate-limit-limit"
_RESET = "x-rate-limit-reset"
_NEAR = timedelta(minutes=1)
_FAR = timedelta(days=1)


@dataclass(frozen=True)
class Allowance:
    """What the site's own headers said. Anything absent or absurd is None."""

    remaining: int | None
    limit: int | None
    resets_at: datetime | None


@dataclass(frozen=True)
class Grant:
    """Calls the site still allows, by its own count, until its window ends."""

    left: int
    until: datetime


@dataclass(frozen=True)
class Budget:
    """At most `limit` calls in any `window`, fewer when the site says so, none before `closed_until`."""

    limit: int
    window: timedelta
    spent: tuple[datetime, ...] = ()
    grant: Grant | None = None
    closed_until: datetime | None = None

    def left(self, now: datetime) -> int:
        if self.closed_until and now < self.closed_until:
            return 0
        own = self.limit - len(self._recent(now))
        if self.grant and now < self.grant.until:
            return max(0, min(own, self.grant.left))
        return max(0, own)

    def spend(self, now: datetime) -> "Budget | None":
        """The budget after one call at `now`, or None if that call must not be made."""
        if self.left(now) < 1:
            return None
        grant = replace(self.grant, left=self.grant.left - 1) if self.grant else None
        return replace(self, spent=(*self._recent(now), now), grant=grant)

    def opens_at(self, now: datetime) -> datetime:
        """The earliest time at which a call may be made again; `now` if it may be made already."""
        if self.left(now) > 0:
            return now
        waits = [now]
        if self.closed_until:
            waits.append(self.closed_until)
        if self.grant and self.grant.left < 1:
            waits.append(self.grant.until)
        recent = sorted(self._recent(now))
        if len(recent) >= self.limit:
            waits.append(recent[len(recent) - self.limit] + self.window)
        return max(waits)

    def obey(self, said: Allowance, now: datetime) -> "Budget":
        """Keep to the site's count as well, leaving the same margin below its limit that our own limit leaves."""
        if said.remaining is None or said.resets_at is None or not now < said.resets_at < now + _FAR:
            return self
        margin = max(0, (said.limit or self.limit) - self.limit)
        left = said.remaining - margin if said.remaining else 0
        return replace(self, grant=Grant(max(0, left), said.resets_at))

    def close(self, until: datetime) -> "Budget":
        return replace(self, closed_until=max(until, self.closed_until or until))

    def _recent(self, now: datetime) -> tuple[datetime, ...]:
        """Calls that still count. A time in the future (the clock was set back) counts as just now."""
        return tuple(min(at, now) for at in self.spent if now - at < self.window)


def believable(until: datetime, now: datetime) -> datetime:
    """The end of a refusal as far as it is believed: one that is over already is not, nor one in another century."""
    return min(max(until, now + _NEAR), now + _FAR)


def read_allowance(headers: Mapping[str, str]) -> Allowance:
    """From headers with lower-case names."""
    reset = _number(headers.get(_RESET))
    return Allowance(
        remaining=_number(headers.get(_REMAINING)),
        limit=_number(headers.get(_LIMIT)),
        resets_at=datetime.fromtimestamp(reset, UTC) if reset is not None else None,
    )


def _number(text: str | None) -> int | None:
    plain = (text or "").strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 10 else None
