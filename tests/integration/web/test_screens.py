"""Every page in both themes and on both sizes of screen: it fits, it complains of nothing, everybody can read it, axe
finds nothing serious.

With FOOTY_SCREENSHOTS set to a folder, the screens are saved there.
"""

import itertools
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, Page

from found_footy.web.deps import WebDeps
from found_footy.web.session_cookies import USER_COOKIE
from tests.support.access.accounts import open_admin_session
from tests.support.web import showcase
from tests.support.web.accessibility import list_accessibility_problems, list_axe_problems
from tests.support.web.browser import CHROMIUM, PATIENCE_MS, record_complaints
from tests.support.web.page import PageData

SIZES = {"desktop": (1280, 860), "phone": (390, 844)}
FOLDER = os.environ.get("FOOTY_SCREENSHOTS", "")
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
PAGES = {
    "matches": "/",
    "day": "/days/2026-11-15",
    "empty": "/days/2026-10-01",
    "match": f"/matches/{showcase.MATCH}",
    "goal": f"/goals/{showcase.GOAL}",
    "removed": f"/goals/{showcase.REMOVED_GOAL}",
    "compare": f"/goals/{showcase.GOAL}/compare",
    "reel": f"/reel?match={showcase.FINISHED_MATCH}",
    "search": "/search",
    "team": "/teams/40",
    "player": "/players/234",
    "stats": "/stats",
    "sources": "/sources",
    "health": "/health",
    "sign-in": "/sign-in",
}
OPERATOR_PAGES = {
    "errors": "/operator/errors",
    "notifications": "/operator/notifications",
    "lab": f"/operator/lab?one={showcase.GOAL}-aaaaaaaa&other={showcase.GOAL}-bbbbbbbb",
}

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium")


@pytest.fixture
def deps(deps: WebDeps) -> WebDeps:
    """With an operator, who has two channels and a workflow that failed."""
    return replace(deps, operator=showcase.build_operator())


async def save_screen(page: Page, name: str) -> None:
    if FOLDER:
        await page.screenshot(path=Path(FOLDER) / f"{name}.png", full_page=True)


@asynccontextmanager
async def open_screen(browser: Browser, size: str, theme: Theme, problems: list[str]) -> AsyncIterator[Page]:
    """A page of this size and theme that records what its scripts or its security policy complain of."""
    width, height = SIZES[size]
    context = await browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce"
    )
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    record_complaints(page, problems)
    yield page
    await context.close()


def list_screens() -> Iterable[tuple[str, Theme]]:
    """Each size and each theme once; for saved screens, each size in each theme."""
    return itertools.product(SIZES, THEMES) if FOLDER else zip(SIZES, THEMES, strict=True)


async def test_every_page_fits_and_is_accessible(
    browser: Browser, address: str, deps: WebDeps, page_data: PageData
) -> None:
    await showcase.store_match_day(page_data)
    session = await open_admin_session(deps)
    problems: list[str] = []
    for size, theme in list_screens():
        async with open_screen(browser, size, theme, problems) as page:
            for name, path in (PAGES | OPERATOR_PAGES).items():
                if name == next(iter(OPERATOR_PAGES)):
                    await page.context.add_cookies([{"name": USER_COOKIE, "value": session, "url": address}])
                await page.goto(f"{address}{path}")
                found = await list_accessibility_problems(page, on_phone=size == "phone")
                found += await list_axe_problems(page)
                problems += [f"{name}, {size}, {theme}: {one}" for one in found]
                await save_screen(page, f"{name}-{size}-{theme}")
    assert not problems, "\n".join(problems)
