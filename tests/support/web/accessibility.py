"""Accessibility, measured in the page: names, labels, contrast, headings, targets, width; and what axe finds."""

from pathlib import Path

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Page

_AXE_OPTIONS = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
_SEVERE = frozenset({"serious", "critical"})
_SCRIPT = Path(__file__).with_suffix(".js").read_text()


async def list_accessibility_problems(page: Page, *, on_phone: bool) -> list[str]:
    """What is wrong with the page as it is shown; `on_phone`, targets must be 44 pixels high."""
    found: list[str] = await page.evaluate(_SCRIPT, on_phone)
    return found


async def list_axe_problems(page: Page) -> list[str]:
    """What axe calls serious or critical, with the first element of each."""
    found = await Axe().run(page, options=_AXE_OPTIONS)
    return [
        f"axe {one['id']} ({one['impact']}): {one['help']}: {one['nodes'][0]['html'][:160]}"
        for one in found.response["violations"]
        if one["impact"] in _SEVERE
    ]
