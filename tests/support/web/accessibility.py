"""The essentials of accessibility, measured in the page: names, labels, contrast, headings, targets, width."""

from pathlib import Path

from playwright.async_api import Page

_SCRIPT = Path(__file__).with_suffix(".js").read_text()


async def list_accessibility_problems(page: Page, *, on_phone: bool) -> list[str]:
    """What is wrong with the page as it is shown; `on_phone`, targets must be 44 pixels high."""
    found: list[str] = await page.evaluate(_SCRIPT, on_phone)
    return found
