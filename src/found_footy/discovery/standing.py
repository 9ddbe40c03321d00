"""How a search service stands, by its own word: fit or not, and what is left of its account's budget. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_LONGEST_DETAIL = 200
_RUNNING = "running"


@dataclass(frozen=True)
class Standing:
    """`fit` is None where the service did not say. `left` of `limit` searches remain in its budget, if it has one."""

    fit: bool | None = None
    state: str = "unknown"
    detail: str = ""
    left: int | None = None
    limit: int | None = None

    @property
    def spent_out(self) -> bool:
        return self.left is not None and self.left < 1


@dataclass(frozen=True)
class InstanceReport:
    base: str
    standing: Standing
    resting: bool
    searches: int

    @property
    def untold(self) -> bool:
        """Something answers there, and not as a search service does. It is tried, and nobody is told that it works."""
        return self.standing == Standing()


@dataclass(frozen=True)
class PoolReport:
    """The pool at a glance. Budgets that no service tells are not in the sums."""

    instances: tuple[InstanceReport, ...]
    waiting: int

    @property
    def left(self) -> int:
        return _sum(one.standing.left for one in self.instances)

    @property
    def limit(self) -> int:
        return _sum(one.standing.limit for one in self.instances)

    @property
    def fit(self) -> int:
        return sum(one.standing.fit is not False and not one.resting for one in self.instances)


UNREACHABLE = Standing(fit=False, state="unreachable")
REFUSED = Standing(fit=False, state="refused", detail="X_SEARCH_TOKEN here is not the service's token")


def read_standing(body: Any) -> Standing:
    """From the answer of /health. A service that tells less is unknown, not unfit."""
    if not isinstance(body, dict):
        return Standing()
    session, budget, browser = (_part(body, name) for name in ("session", "budget", "browser"))
    down = f"browser {browser['state']}" if browser.get("state", _RUNNING) != _RUNNING else None
    return Standing(
        fit=body["status"] == "ok" if isinstance(body.get("status"), str) else None,
        state=_words(session.get("problem") or down or session.get("state") or body.get("status") or "unknown"),
        detail=_words(session.get("detail") or browser.get("detail") or ""),
        left=_count(budget.get("left")),
        limit=_count(budget.get("limit")),
    )


def _part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = body.get(name)
    return part if isinstance(part, dict) else {}


def _words(value: Any) -> str:
    return str(value)[:_LONGEST_DETAIL]


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1_000_000 else None


def _sum(values: Iterable[int | None]) -> int:
    return sum(value for value in values if value is not None)
