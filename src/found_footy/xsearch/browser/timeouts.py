"""Browser steps, each with a timeout."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Error as PlaywrightError

from found_footy.xsearch.errors import TransientFailure

STEP_TIMEOUT_SECONDS = 10.0


@asynccontextmanager
async def step_timeout(step: str, seconds: float | None = None) -> AsyncIterator[None]:
    """Run one browser step. Raises TransientFailure, naming the step, if it fails or exceeds `seconds`."""
    try:
        async with asyncio.timeout(STEP_TIMEOUT_SECONDS if seconds is None else seconds):
            yield
    except TimeoutError as error:
        raise TransientFailure(f"{step}: the browser does not respond") from error
    except (PlaywrightError, OSError) as error:
        raise TransientFailure(f"{step}: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """Return the error without the driver's call log."""
    return str(error).partition("\n")[0][:200] or type(error).__name__
