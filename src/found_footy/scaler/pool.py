"""A pool of equal instances, as the scaler sees it."""

from dataclasses import dataclass
from typing import Protocol

from found_footy.scaler.load import LoadMeter


class InstancePool(Protocol):
    """Starts and stops instances. Every call raises a typed error if the place where they run does not answer."""

    async def count_running(self) -> int:
        """Count the instances that run or are being started again."""
        ...

    async def count_places(self) -> int:
        """Count the instances that could run at most."""
        ...

    async def resize(self, count: int) -> None:
        """Start instances, or stop some: each is told to drain and killed only after its grace period. Returns when
        those that were stopped have ended.
        """
        ...


@dataclass(frozen=True)
class ScaledPool:
    """`unit` names what waits, such as "tasks"."""

    name: str
    unit: str
    instances: InstancePool
    measure: LoadMeter
