"""Asking the dependencies how they are, without letting many visitors ask them many times."""

import asyncio
import logging
from datetime import timedelta

from found_footy.platform.errors import FoundFootyError
from found_footy.web.deps import Dependency, Probes
from found_footy.web.hub import Hub

_log = logging.getLogger(__name__)
_FRESH = timedelta(seconds=2)


class Checkup:
    """One round of probes at a time; its results stand for two seconds."""

    def __init__(self, probes: Probes, hub: Hub, timeout: timedelta) -> None:
        self._probes = probes
        self._hub = hub
        self._timeout = timeout
        self._lock = asyncio.Lock()
        self._results: tuple[Dependency, ...] = ()
        self._asked: float | None = None

    async def results(self) -> tuple[Dependency, ...]:
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._asked is None or now - self._asked > _FRESH.total_seconds():
                self._results = await self._ask()
                self._asked = asyncio.get_running_loop().time()
        return (*self._results, self._live_updates())

    async def _ask(self) -> tuple[Dependency, ...]:
        seconds = self._timeout.total_seconds()
        try:
            async with asyncio.timeout(seconds):
                return tuple(await self._probes())
        except TimeoutError:
            return (Dependency("dependencies", ok=False, detail=f"no answer within {seconds:g} s"),)
        except FoundFootyError as error:
            _log.warning("a probe failed", extra={"action": "probe_failed", "detail": str(error)[:500]})
            return (Dependency("dependencies", ok=False, detail=str(error)),)

    def _live_updates(self) -> Dependency:
        if self._hub.following:
            return Dependency("live updates", ok=True, detail="following the change stream", required=False)
        return Dependency(
            "live updates",
            ok=False,
            detail="the change stream is not connected",
            remedy="the page still loads; updates resume when MongoDB, as a replica set, is reachable",
            required=False,
        )


def is_ready(results: tuple[Dependency, ...]) -> bool:
    return all(result.ok for result in results if result.required)
