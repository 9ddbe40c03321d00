"""Connects to the servers and waits while they are down: a waiting process needs no restart."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import timedelta

from temporalio.client import Interceptor
from temporalio.runtime import Runtime

from found_footy import app
from found_footy.platform.errors import StoreDenied, Unavailable
from found_footy.platform.logs import ActionLogger
from found_footy.settings import Settings, load_settings

_RETRY_DELAY = timedelta(seconds=5)

logger = ActionLogger(__name__)


def _load_settings() -> Settings:
    return load_settings().settings


@asynccontextmanager
async def open_app_when_ready(
    runtime: Runtime | None = None,
    load_current_settings: Callable[[], Settings] = _load_settings,
    retry_delay: timedelta = _RETRY_DELAY,
    interceptors: Sequence[Interceptor] = (),
) -> AsyncIterator[app.AppContext]:
    """Open the app once every server answers and accepts our credentials. Settings are loaded again for each attempt:
    embedded servers may have come back on other ports. Problems that an operator must fix raise ConfigError at once.
    """
    async with AsyncExitStack() as stack:
        ready = None
        while ready is None:
            opening = app.open_app(load_current_settings(), runtime, interceptors)
            ready = await _try_open_app(stack, opening, retry_delay)
        yield ready


async def _try_open_app(
    stack: AsyncExitStack, opening: AbstractAsyncContextManager[app.AppContext], retry_delay: timedelta
) -> app.AppContext | None:
    """None, after a pause, if a server is down."""
    try:
        return await stack.enter_async_context(opening)
    except (Unavailable, StoreDenied) as error:
        logger.warning("waiting for servers: %s", error, action="servers_away", error=type(error).__name__)
        await asyncio.sleep(retry_delay.total_seconds())
        return None
