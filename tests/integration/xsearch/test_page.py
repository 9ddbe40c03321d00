"""The service's own page in a real browser: empty for strangers, whole for who has the token."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright, expect
from pydantic import SecretStr

from found_footy.xsearch.app import create_app
from found_footy.xsearch.server import build_service
from found_footy.xsearch.settings import XSearchSettings
from tests.support.loopback_services import served
from tests.support.patience import PATIENCE_SECONDS

TOKEN = "a-token-of-enough-characters"


@pytest.fixture
def base(settings: XSearchSettings, tmp_path: Path) -> Iterator[str]:
    """A service that was not started: it has no session and no browser, and says so."""
    own = settings.model_copy(update={"data_dir": tmp_path, "token": SecretStr(TOKEN)})
    with served(create_app(build_service(own))) as base:
        yield base


@pytest.fixture
async def page(settings: XSearchSettings) -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=settings.browser, args=["--no-sandbox"])
        page = await browser.new_page()
        page.set_default_timeout(PATIENCE_SECONDS * 1000)
        expect.set_options(timeout=PATIENCE_SECONDS * 1000)
        yield page
        await browser.close()


async def test_a_token_is_asked_for_and_shows_the_page(page: Page, base: str) -> None:
    await page.goto(base)
    await expect(page.locator("#told")).to_contain_text("token")
    await expect(page.locator("main")).to_be_empty()
    await page.locator("#gate input").fill("wrong")
    await page.locator("#gate button").click()
    await expect(page.locator("#told")).to_contain_text("missing or wrong")
    await page.locator("#gate input").fill(TOKEN)
    await page.locator("#gate button").click()
    await expect(page.locator("#live")).to_contain_text("Budget")
    await expect(page.locator("#gate")).to_be_hidden()


async def test_the_address_that_up_prints_shows_the_page_and_what_is_pasted_is_sent(page: Page, base: str) -> None:
    await page.goto(f"{base}/#token={TOKEN}")
    await expect(page.locator("#live")).to_contain_text("Budget")
    assert page.url == f"{base}/"
    await page.locator("summary").click()
    await page.locator("textarea").fill("lang=en")
    await page.get_by_role("button", name="Import").click()
    # Not a session, so it is refused, with the reason and not for want of the token.
    await expect(page.locator("#cookies output")).not_to_be_empty()
    await expect(page.locator("#cookies output")).not_to_contain_text("token (X_SEARCH_TOKEN)")
    await expect(page.locator("#cookies output")).not_to_have_text("…")
