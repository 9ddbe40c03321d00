"""Persists the budget, so that a restart does not forget spent calls."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from found_footy.platform.clock import Clock
from found_footy.platform.files import write_atomically
from found_footy.platform.logs import ActionLogger
from found_footy.xsearch.session.budget import RequestBudget, SiteQuota, clamp_closure_end, parse_rate_limit_headers

logger = ActionLogger(__name__)


class BudgetLedger:
    """The account's request budget. Every change is on disk before it takes effect."""

    def __init__(self, path: Path, limit: int, window: timedelta, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self.budget = self._load(RequestBudget(limit, window))

    def try_spend(self) -> bool:
        """Take one call from the budget; False means that the call must not be made."""
        spent = self.budget.spend(self._clock())
        if spent is None:
            return False
        self._save(spent)
        return True

    def apply_headers(self, headers: Mapping[str, str]) -> None:
        """Apply the site's own count from the headers (lower-case names) of one of its answers."""
        updated = self.budget.apply_rate_limit(parse_rate_limit_headers(headers), self._clock())
        if updated != self.budget:
            self._save(updated)

    def close(self, until: datetime | None) -> datetime:
        """Allow no calls until `until`, within plausible bounds, or for a whole window if None. Returns when the budget
        opens.
        """
        now = self._clock()
        end = clamp_closure_end(until, now) if until else now + self.budget.window
        self._save(self.budget.close(end))
        return end

    def left(self) -> int:
        return self.budget.left(self._clock())

    def opens_at(self) -> datetime:
        return self.budget.opens_at(self._clock())

    def _save(self, budget: RequestBudget) -> None:
        with write_atomically(self._path) as file:
            file.write(json.dumps(_to_json(budget)).encode())
        self.budget = budget

    def _load(self, empty: RequestBudget) -> RequestBudget:
        try:
            return _clamp_closure(_from_json(json.loads(self._path.read_text("utf-8")), empty), self._clock())
        except FileNotFoundError:
            return empty
        except (ValueError, TypeError, KeyError, AttributeError):
            # What was spent is unknown: wait one window rather than risk the account.
            logger.warning("the budget file is unreadable", action="budget_lost", path=str(self._path))
            return empty.close(self._clock() + empty.window)


def _clamp_closure(budget: RequestBudget, now: datetime) -> RequestBudget:
    """A stored closure may end at an implausible time."""
    closed = budget.closed_until
    return replace(budget, closed_until=clamp_closure_end(closed, now)) if closed and closed > now else budget


def _to_json(budget: RequestBudget) -> dict[str, Any]:
    grant = budget.site_quota
    return {
        "spent": [at.isoformat() for at in budget.spent],
        "grant": {"left": grant.left, "until": grant.until.isoformat()} if grant else None,
        "closed_until": budget.closed_until.isoformat() if budget.closed_until else None,
    }


def _from_json(data: dict[str, Any], empty: RequestBudget) -> RequestBudget:
    grant, closed = data["grant"], data["closed_until"]
    return RequestBudget(
        empty.limit,
        empty.window,
        tuple(_parse_time(at) for at in data["spent"]),
        SiteQuota(int(grant["left"]), _parse_time(grant["until"])) if grant else None,
        _parse_time(closed) if closed else None,
    )


def _parse_time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at
