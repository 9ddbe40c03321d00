"""The quota of the football API: counts per day and per minute, reported in headers and enforced."""

from collections import deque
from datetime import date, datetime, timedelta

from found_footy_sim.script.model import RequestLimits

_MINUTE = timedelta(minutes=1)


class RequestQuota:
    def __init__(self, limits: RequestLimits) -> None:
        self.limits = limits
        self.used_today = 0
        self._day = date.min
        self._recent_requests: deque[datetime] = deque()

    def count_request(self, now: datetime) -> str | None:
        """Count one request. Return the name of the limit that it exceeds, if any; a denied request is counted too."""
        if now.date() != self._day:
            self._day, self.used_today = now.date(), 0
        while self._recent_requests and now - self._recent_requests[0] >= _MINUTE:
            self._recent_requests.popleft()
        self.used_today += 1
        self._recent_requests.append(now)
        if self.used_today > self.limits.per_day:
            return "requests"
        return "rateLimit" if len(self._recent_requests) > self.limits.per_minute else None

    def headers(self) -> dict[str, str]:
        return {
            "x-ratelimit-requests-limit": str(self.limits.per_day),
            "x-ratelimit-requests-remaining": str(max(0, self.limits.per_day - self.used_today)),
            "X-RateLimit-Limit": str(self.limits.per_minute),
            "X-RateLimit-Remaining": str(max(0, self.limits.per_minute - len(self._recent_requests))),
        }
