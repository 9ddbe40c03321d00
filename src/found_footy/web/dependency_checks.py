"""Probes of the dependencies, cached so that many visitors do not cause many probes."""

import asyncio
from datetime import timedelta

from found_footy.platform.errors import FoundFootyError
from found_footy.platform.logs import ActionLogger
from found_footy.web.deps import DependencyProbes, DependencyStatus
from found_footy.web.hub import LiveHub

logger = ActionLogger(__name__)
_RESULT_LIFETIME = timedelta(seconds=2)


class DependencyChecker:
    """Runs one round of probes at a time and reuses its results for two seconds."""

    def __init__(self, probes: DependencyProbes, hub: LiveHub, timeout: timedelta) -> None:
        self._probes = probes
        self._hub = hub
        self._timeout = timeout
        self._lock = asyncio.Lock()
        self._results: tuple[DependencyStatus, ...] = ()
        self._checked_at: float | None = None

    async def get_results(self) -> tuple[DependencyStatus, ...]:
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._checked_at is None or now - self._checked_at > _RESULT_LIFETIME.total_seconds():
                self._results = await self._run_probes()
                self._checked_at = asyncio.get_running_loop().time()
        return (*self._results, self._live_updates_status())

    async def _run_probes(self) -> tuple[DependencyStatus, ...]:
        seconds = self._timeout.total_seconds()
        try:
            async with asyncio.timeout(seconds):
                return tuple(await self._probes())
        except TimeoutError:
            return (DependencyStatus("dependencies", ok=False, detail=f"no answer within {seconds:g} s"),)
        except FoundFootyError as error:
            logger.warning("a probe failed", action="probe_failed", detail=str(error)[:500])
            return (DependencyStatus("dependencies", ok=False, detail=str(error)),)

    def _live_updates_status(self) -> DependencyStatus:
        if self._hub.is_following:
            return DependencyStatus("live updates", ok=True, detail="following the change stream", required=False)
        return DependencyStatus(
            "live updates",
            ok=False,
            detail="the change stream is not connected",
            remedy="the page still loads; updates resume when MongoDB, as a replica set, is reachable",
            required=False,
        )


def is_ready(results: tuple[DependencyStatus, ...]) -> bool:
    return all(result.ok for result in results if result.required)
