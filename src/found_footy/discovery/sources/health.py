"""Health of a search service as it reports itself: healthy or not, and its account's remaining budget. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class ServiceHealth:
    """`healthy` is None if the service did not report it. `budget_left` of `budget_limit` searches remain in its
    budget, if it has one.
    """

    healthy: bool | None = None
    state: str = "unknown"
    detail: str = ""
    budget_left: int | None = None
    budget_limit: int | None = None

    @property
    def is_budget_spent(self) -> bool:
        return self.budget_left is not None and self.budget_left < 1


@dataclass(frozen=True)
class ServiceInstanceReport:
    base: str
    health: ServiceHealth
    cooling_down: bool
    searches: int

    @property
    def is_unrecognized(self) -> bool:
        """Something answers there, but not like a search service. It is tried, and not reported as working."""
        return self.health == ServiceHealth()


@dataclass(frozen=True)
class SearchPoolReport:
    """State of the pool. Budgets that no service reports are not in the sums."""

    instances: tuple[ServiceInstanceReport, ...]
    waiting: int

    @property
    def budget_left(self) -> int:
        return _sum_known(one.health.budget_left for one in self.instances)

    @property
    def budget_limit(self) -> int:
        return _sum_known(one.health.budget_limit for one in self.instances)

    @property
    def healthy_count(self) -> int:
        return sum(one.health.healthy is not False and not one.cooling_down for one in self.instances)


UNREACHABLE = ServiceHealth(healthy=False, state="unreachable")
TOKEN_REFUSED = ServiceHealth(healthy=False, state="refused", detail="X_SEARCH_TOKEN here is not the service's token")


def _sum_known(values: Iterable[int | None]) -> int:
    return sum(value for value in values if value is not None)
