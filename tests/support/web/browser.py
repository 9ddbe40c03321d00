"""What tests of pages in a real browser share."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright, expect

from tests.support.patience import PATIENCE_SECONDS

PATIENCE_MS = int(PATIENCE_SECONDS * 1000)
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def is_complaint(said: ConsoleMessage) -> bool:
    """A match that went away has no fragment, which the page expects and the browser remarks on."""
    return said.type == "error" and "/fragments/" not in said.location["url"]


def record_complaints(
    page: Page, complaints: list[str], is_complaint: Callable[[ConsoleMessage], bool] = is_complaint
) -> None:
    """Add to the list what the page's scripts or its security policy complain of."""
    page.on("pageerror", lambda error: complaints.append(f"script: {error}"))
    page.on("console", lambda said: complaints.append(said.text) if is_complaint(said) else None)


@asynccontextmanager
async def open_page(browser: Browser) -> AsyncIterator[Page]:
    """A patient page that ends the test with an error if it complained."""
    page = await browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    complaints: list[str] = []
    record_complaints(page, complaints)
    yield page
    await page.close()
    assert complaints == []


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()
