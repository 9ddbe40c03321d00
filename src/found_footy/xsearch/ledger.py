"""The budget on disk, so that a restart does not forget what was spent."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from found_footy.platform.files import appearing
from found_footy.xsearch.budget import Budget, Grant, believable, read_allowance

logger = logging.getLogger(__name__)


class Ledger:
    """The account's request budget. Every change is on disk before it takes effect."""

    def __init__(self, path: Path, limit: int, window: timedelta, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock
        self.budget = self._load(Budget(limit, window))

    def try_spend(self) -> bool:
        """Take one call from the budget; false means that the call must not be made."""
        spent = self.budget.spend(self._clock())
        if spent is None:
            return False
        self._save(spent)
        return True

    def obey(self, headers: Mapping[str, str]) -> None:
        """Take the site's own count from the headers (lower-case names) of one of its answers."""
        told = self.budget.obey(read_allowance(headers), self._clock())
        if told != self.budget:
            self._save(told)

    def close(self, until: datetime | None) -> datetime:
        """No calls until then, within reason; a whole window if the site did not say. Returns when it opens."""
        now = self._clock()
        end = believable(until, now) if until else now + self.budget.window
        self._save(self.budget.close(end))
        return end

    def left(self) -> int:
        return self.budget.left(self._clock())

    def opens_at(self) -> datetime:
        return self.budget.opens_at(self._clock())

    def _save(self, budget: Budget) -> None:
        with appearing(self._path) as file:
            file.write(json.dumps(_to_json(budget)).encode())
        self.budget = budget

    def _load(self, empty: Budget) -> Budget:
        try:
            return _within_reason(_from_json(json.loads(self._path.read_text("utf-8")), empty), self._clock())
        except FileNotFoundError:
            return empty
        except (ValueError, TypeError, KeyError, AttributeError):
            # What was spent is unknown: wait one window rather than risk the account.
            logger.warning("the budget file is unreadable", extra={"action": "budget_lost", "path": str(self._path)})
            return empty.close(self._clock() + empty.window)


def _within_reason(budget: Budget, now: datetime) -> Budget:
    """What an older build wrote down may lie in another century."""
    closed = budget.closed_until
    return replace(budget, closed_until=believable(closed, now)) if closed and closed > now else budget


def _to_json(budget: Budget) -> dict[str, Any]:
    grant = budget.grant
    return {
        "spent": [at.isoformat() for at in budget.spent],
        "grant": {"left": grant.left, "until": grant.until.isoformat()} if grant else None,
        "closed_until": budget.closed_until.isoformat() if budget.closed_until else None,
    }


def _from_json(data: dict[str, Any], empty: Budget) -> Budget:
    grant, closed = data["grant"], data["closed_until"]
    return Budget(
        empty.limit,
        empty.window,
        tuple(_time(at) for at in data["spent"]),
        Grant(int(grant["left"]), _time(grant["until"])) if grant else None,
        _time(closed) if closed else None,
    )


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at
