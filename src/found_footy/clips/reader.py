"""Who looks at a clip and says whether it shows the goal."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from found_footy.clips.messages import Sighting
from found_footy.model.handoff import Goal
from found_footy.model.outcome import TimestampStatus


class Reader(Protocol):
    """Looks at a clip. `file` fetches it when it is wanted. Raises Unavailable when it cannot tell."""

    name: str

    async def look(self, goal: Goal, file: Callable[[], Awaitable[Path]]) -> Sighting: ...


class AcceptAll:
    """Looks at nothing and lets everything pass, saying so: for simulated worlds, not for real ones."""

    name = "accept-all"

    async def look(self, goal: Goal, file: Callable[[], Awaitable[Path]]) -> Sighting:  # noqa: ARG002
        return Sighting(self.name, TimestampStatus.UNVERIFIED, reason="not checked")
