"""Plans of the football API: the request limits of a key, and which queries it may make. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from found_footy_sim.script.model import RequestLimits


@dataclass(frozen=True)
class ApiPlan:
    """`limits` None: those of the scenario. `listable_days` are the first and the last day that may be listed, relative
    to today.
    """

    name: str
    limits: RequestLimits | None = None
    allows_ids: bool = True
    listable_days: tuple[int, int] | None = None

    def find_errors(self, parameters: Mapping[str, str], now: datetime) -> dict[str, str] | None:
        """Return what the API puts into `errors` because of the plan, or None if the plan allows the request."""
        if "ids" in parameters and not self.allows_ids:
            return {"plan": "Free plans do not have access to the Ids parameter."}
        if self.listable_days is None or "date" not in parameters:
            return None
        first, last = (now.date() + timedelta(days=days) for days in self.listable_days)
        if first <= date.fromisoformat(parameters["date"]) <= last:
            return None
        return {"plan": f"Free plans do not have access to this date, try from {first} to {last}."}


API_PLANS = {
    "pro": ApiPlan("Pro"),
    "free": ApiPlan("Free", RequestLimits(per_minute=10, per_day=100), allows_ids=False, listable_days=(-1, 1)),
}
