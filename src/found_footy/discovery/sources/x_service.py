"""The pool of X search services: searches a healthy one, goes on to the next, and raises the cause if none answers.

An empty list means that a working search found nothing. Failures raise:

ExternalSystemError
├── Unavailable          no instance could be reached, or they failed temporarily
├── RateLimited          every instance has used up its quota; `retry_after` if one said how long
├── Malformed            an instance's answer does not match its API
├── Denied
│   ├── SessionExpired   somebody must log in again
│   ├── Blocked          the site refuses this browser
│   └── AccountLocked    the account must be unlocked by its owner
└── ProtocolDrift        the site has changed its format; the service needs an update
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from found_footy.discovery.metrics import SEARCH_WAIT, publish_pool_report
from found_footy.discovery.sources.base import SourceRequest, SourceResult
from found_footy.discovery.sources.errors import AccountLocked, Blocked, ProtocolDrift, SessionExpired
from found_footy.discovery.sources.health import (
    TOKEN_REFUSED,
    UNREACHABLE,
    SearchPoolReport,
    ServiceHealth,
    ServiceInstanceReport,
)
from found_footy.discovery.sources.priority import PrioritySemaphore, SearchPriority, SemaphoreTimeout
from found_footy.discovery.sources.x_wire import (
    SYSTEM,
    parse_error_answer,
    parse_search_response,
    parse_service_health,
)
from found_footy.platform.clock import MonotonicClock
from found_footy.platform.errors import ExternalSystemError, Malformed, RateLimited, Unavailable
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.http.cooldown import Cooldown

_OK = 200
# Statuses for requests without the service's token, or with a host name that it does not know.
_REFUSED_STATUSES = frozenset({401, 403, 421})
# How long a service's health is cached; a health check costs it nothing.
_HEALTH_CACHE_SECONDS = 15.0
HEALTH_TIMEOUT_SECONDS = 3.0
_MAX_EXCLUDED_URL_LENGTH = 500
_DEFAULT_PRIORITY = SearchPriority()

__all__ = [
    "AccountLocked",
    "Blocked",
    "ProtocolDrift",
    "SessionExpired",
    "SourceResult",
    "XSearchPool",
    "parse_search_response",
]


_ERROR_BY_CODE: Mapping[str, type[ExternalSystemError]] = {
    "session_expired": SessionExpired,
    "blocked": Blocked,
    "account_locked": AccountLocked,
    "protocol_drift": ProtocolDrift,
}
# When every instance fails, the error that recovers soonest is raised.
_RECOVERY_ORDER: Sequence[type[ExternalSystemError]] = (
    Unavailable,
    RateLimited,
    Malformed,
    SessionExpired,
    AccountLocked,
    Blocked,
    ProtocolDrift,
)


@dataclass
class _ServiceInstance:
    base: str
    cooldown: Cooldown
    last_used: float = 0.0
    in_use: int = 0
    searches: int = 0
    health: ServiceHealth = field(default_factory=ServiceHealth)
    health_checked_at: float = float("-inf")


class XSearchPool:
    """Spreads searches over the given base URLs, one at a time on each: healthy ones without cooldown first, then those
    with the most budget left, then the least recently used. A failed one gets a cooldown.

    When more goals are searched for than there are services, the one with the fewest attempts goes first, then the
    newest; a wait longer than `max_wait` raises RateLimited. All services together get `answer_timeout` to answer.
    """

    name = "x"

    def __init__(
        self,
        http: SafeHttpClient,
        bases: Sequence[str],
        *,
        cooldown: timedelta,
        max_wait: timedelta = timedelta(seconds=75),
        answer_timeout: timedelta = timedelta(seconds=125),
        clock: MonotonicClock = time.monotonic,
    ) -> None:
        self._http = http
        self._cooldown_seconds = cooldown.total_seconds()
        self._max_wait = max_wait
        self._answer_timeout_seconds = answer_timeout.total_seconds()
        self._clock = clock
        self._instances = [_ServiceInstance(base.rstrip("/"), Cooldown(clock)) for base in bases]
        self._semaphore = PrioritySemaphore(len(self._instances))

    async def find_candidates(self, request: SourceRequest) -> SourceResult:
        """Implements `ClipSource`."""
        known = [url for url in request.known_urls if len(url) <= _MAX_EXCLUDED_URL_LENGTH]
        return await self.search(
            request.query,
            max_age_minutes=request.max_age_minutes,
            limit=request.limit,
            exclude=known,
            priority=request.priority,
            since=request.since,
        )

    async def search(
        self,
        query: str,
        *,
        max_age_minutes: int,
        limit: int,
        exclude: Sequence[str],
        priority: SearchPriority = _DEFAULT_PRIORITY,
        since: datetime | None = None,
    ) -> SourceResult:
        """The newest videos for `query`, back to `since` or for `max_age_minutes`, whichever is longer.

        Raises the errors above when no instance answers.
        """
        if not self._instances:
            raise Unavailable(SYSTEM, "no search service is configured")
        body: dict[str, Any] = {
            "query": query,
            "max_age_minutes": max_age_minutes,
            "limit": limit,
            "exclude": list(exclude),
        }
        if since is not None:
            body["since"] = since.isoformat()
        began = self._clock()
        try:
            async with self._semaphore.acquire(priority, self._max_wait):
                SEARCH_WAIT.observe(max(0.0, self._clock() - began))
                return await self._search_first_available(body)
        except SemaphoreTimeout as timeout:
            detail = f"{timeout.waiting} searches wait for {len(self._instances)} search services"
            raise RateLimited(SYSTEM, detail) from timeout
        finally:
            publish_pool_report(self.report())

    async def check_health(self) -> SearchPoolReport:
        """The health of every instance, checked now."""
        await self._refresh_health(max_age=0.0)
        return self.report()

    def report(self) -> SearchPoolReport:
        return SearchPoolReport(
            tuple(ServiceInstanceReport(i.base, i.health, i.cooldown.is_active, i.searches) for i in self._instances),
            self._semaphore.waiting,
        )

    async def _search_first_available(self, body: dict[str, Any]) -> SourceResult:
        await self._refresh_health(max_age=_HEALTH_CACHE_SECONDS)
        failures: list[ExternalSystemError] = []
        tried: list[_ServiceInstance] = []
        deadline = asyncio.get_running_loop().time() + self._answer_timeout_seconds
        while left := [instance for instance in self._instances if instance not in tried]:
            instance = min(left, key=self._preference_key)
            tried.append(instance)
            try:
                async with asyncio.timeout_at(deadline):
                    return await self._search_instance(instance, body)
            except ExternalSystemError as error:
                failures.append(error)
                instance.cooldown.start(self._cooldown_after(error))
            except TimeoutError:
                failures.append(Unavailable(SYSTEM, f"no answer within {self._answer_timeout_seconds:.0f} s"))
                instance.cooldown.start(self._cooldown_seconds)
                break
        raise _soonest_recovering_error(failures)

    def _preference_key(self, instance: _ServiceInstance) -> tuple[bool, int, bool, bool, int, float]:
        """Lower is better. If all are cooling down, they are used all the same: the caller's retries are the limit."""
        health = instance.health
        unhealthy = health.healthy is False
        return (
            instance.cooldown.is_active,
            instance.in_use,
            health.is_budget_spent,
            unhealthy,
            -(health.budget_left or 0),
            instance.last_used,
        )

    def _cooldown_after(self, error: ExternalSystemError) -> float:
        wait = error.retry_after if isinstance(error, RateLimited) else None
        return max(wait or 0.0, self._cooldown_seconds)

    async def _search_instance(self, instance: _ServiceInstance, body: dict[str, Any]) -> SourceResult:
        instance.last_used = self._clock()
        instance.in_use += 1
        try:
            answer = await self._http.request("POST", f"{instance.base}/search", json=body)
        finally:
            instance.in_use -= 1
        if answer.status != _OK:
            raise _parse_error(answer)
        instance.searches += 1
        if instance.health.budget_left:
            instance.health = replace(instance.health, budget_left=instance.health.budget_left - 1)
        return parse_search_response(answer.json())

    async def _refresh_health(self, max_age: float) -> None:
        """Check the health of instances whose last check is older than `max_age` seconds."""
        old = [i for i in self._instances if self._clock() - i.health_checked_at >= max_age]
        await asyncio.gather(*(self._check_instance_health(instance) for instance in old))

    async def _check_instance_health(self, instance: _ServiceInstance) -> None:
        instance.health_checked_at = self._clock()
        try:
            async with asyncio.timeout(HEALTH_TIMEOUT_SECONDS):
                answer = await self._http.request("GET", f"{instance.base}/health")
            instance.health = _parse_health_answer(answer)
        except (ExternalSystemError, TimeoutError) as error:
            instance.health = UNREACHABLE if isinstance(error, Unavailable | TimeoutError) else ServiceHealth()


def _parse_health_answer(answer: HttpResponse) -> ServiceHealth:
    if answer.status in _REFUSED_STATUSES:
        return TOKEN_REFUSED
    return parse_service_health(answer.json()) if answer.status == _OK else ServiceHealth()


def _soonest_recovering_error(failures: Sequence[ExternalSystemError]) -> ExternalSystemError:
    for kind in _RECOVERY_ORDER:
        of_kind = [failure for failure in failures if type(failure) is kind]
        if of_kind:
            return min(of_kind, key=lambda failure: getattr(failure, "retry_after", None) or 0.0)
    return failures[0]


def _parse_error(answer: HttpResponse) -> ExternalSystemError:
    """The typed error of a failed answer; the body names it, the status alone is not specific enough."""
    try:
        body = parse_error_answer(answer.json())
    except Malformed:
        body = None
    if body is None:
        return Unavailable(SYSTEM, f"status {answer.status}")
    if body.error == "rate_limited":
        return RateLimited(SYSTEM, body.detail or body.error, body.retry_after)
    text = f"{body.error} {body.detail}".strip() or f"status {answer.status}"
    return _ERROR_BY_CODE.get(body.error, Unavailable)(SYSTEM, text)
