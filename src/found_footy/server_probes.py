"""Probes of the servers that the settings name."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from found_footy.platform import probes
from found_footy.platform.probes import ProbeResult
from found_footy.settings import Settings


async def probe_servers(settings: Settings, timeout: timedelta = probes.PROBE_TIMEOUT) -> Sequence[ProbeResult]:  # noqa: ASYNC109
    """Probe the platform's servers concurrently."""
    return await asyncio.gather(
        probes.probe_mongo(settings.mongo, timeout=timeout),
        probes.probe_temporal(settings.temporal, timeout=timeout),
        probes.probe_objects(settings.objects, timeout=timeout),
    )
