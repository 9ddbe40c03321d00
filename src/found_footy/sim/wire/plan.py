"""Plans of the football API: how many calls a key has, and which questions it may ask. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from found_footy.sim.script.model import Limits


@dataclass(frozen=True)
class Plan:
    """`limits` None: those of the scenario. `days` are the first and the last day that may be listed, from today."""

    name: str
    limits: Limits | None = None
    ids: bool = True
    days: tuple[int, int] | None = None

    def refuse(self, parameters: Mapping[str, str], now: datetime) -> dict[str, str] | None:
        """What the API would put into `errors` because of the plan, or None if it would answer."""
        if "ids" in parameters and not self.ids:
            return {"plan": "Free plans do not have access to the Ids parameter."}
        if self.days is None or "date" not in parameters:
            return None
        first, last = (now.date() + timedelta(days=days) for days in self.days)
        if first <= date.fromisoformat(parameters["date"]) <= last:
            return None
        return {"plan": f"Free plans do not have access to this date, try from {first} to {last}."}


PLANS = {
    "pro": Plan("Pro"),
    "free": Plan("Free", Limits(per_minute=10, per_day=100), ids=False, days=(-1, 1)),
}
