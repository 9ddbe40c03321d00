"""A curator at work in a real browser: signs in, pins, takes down, undoes, at the size of a desk and of a phone."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, async_playwright, expect

from found_footy.access.levels import Role
from found_footy.web.app import create_app
from found_footy.web.server import serve_app
from tests.support.access.accounts import PASSWORD, AccessSite
from tests.support.web import matchday, showcase
from tests.support.web.accessibility import list_accessibility_problems
from tests.support.web.browser import CHROMIUM, FLAGS, open_page
from tests.support.web.page import PageData

DESK, PHONE = (1280, 900), (390, 844)

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium")


@pytest.fixture
async def served_site(site: AccessSite) -> AsyncIterator[str]:
    async with serve_app(create_app(site.deps), site.deps.settings) as address:
        yield address


@pytest.fixture
async def page(served_site: str) -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        async with open_page(browser) as page:
            yield page
        await browser.close()


async def check_sizes(page: Page) -> None:
    """The page is usable at both sizes, in both themes."""
    for width, height in (PHONE, DESK):
        await page.set_viewport_size({"width": width, "height": height})
        await page.emulate_media(color_scheme="dark" if width == PHONE[0] else "light")
        problems = await list_accessibility_problems(page, on_phone=width == PHONE[0])
        assert problems == [], (page.url, width)


async def store_two_angles(page_data: PageData) -> None:
    goal = matchday.goal()
    goal["_s3_videos"] = [
        await page_data.store_clip(matchday.clip(goal["_event_id"], md5 * 32, rank=rank))
        for md5, rank in (("a", 1), ("b", 2))
    ]
    await page_data.store_fixture(matchday.fixture(events=[goal]))


async def test_a_curator_signs_in_pins_takes_down_and_undoes(
    page: Page, served_site: str, site: AccessSite, page_data: PageData
) -> None:
    await store_two_angles(page_data)
    await site.add_user("ada", Role.ADMIN)
    await page.goto(f"{served_site}/users")
    await check_sizes(page)
    await page.get_by_label("Name").fill("ada")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", name="Users", exact=True)).to_be_visible()
    await check_sizes(page)
    await page.goto(f"{served_site}/goals/{showcase.GOAL}")
    await check_sizes(page)
    # Pinned at the desk: the second angle becomes the first.
    await page.locator("[data-angle='2']").click()
    await page.get_by_role("button", name="Pin as best").click()
    notice = page.locator("#curate .notice")
    await expect(notice).to_contain_text("Pinned")
    await expect(page.locator(".angle").first).to_contain_text("pinned")
    await page.get_by_role("button", name="Undo Pinned").click()
    await expect(notice).to_contain_text("Unpinned")
    # Taken down on a phone: the first answer to the question is no.
    await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await page.get_by_label("Who asked for the take-down, and why").fill("letter of the league")
    await page.get_by_role("button", name="Take down…").click()
    dialog = page.get_by_role("dialog", name="Take this clip down?")
    await dialog.get_by_role("button", name="Back").click()
    await expect(page.locator("#curate")).not_to_contain_text("letter of the league")
    await page.get_by_role("button", name="Take down…").click()
    await dialog.get_by_role("button", name="Take it down").click()
    await expect(notice).to_contain_text("Taken down")
    await expect(page.locator(".angle")).to_have_count(0)
    await page.get_by_role("button", name="Undo Taken down").click()
    await expect(notice).to_contain_text("Unblocked")
    await check_sizes(page)
    for path, text in (("/audit", "letter of the league"), ("/account", "Make a key")):
        await page.goto(f"{served_site}{path}")
        await expect(page.locator("main")).to_contain_text(text)
        await check_sizes(page)
    await page.get_by_role("button", name="Sign out", exact=True).click()
    await expect(page.get_by_label("Password")).to_be_visible()
    await page.goto(f"{served_site}/goals/{showcase.GOAL}")
    await expect(page.locator("#curate")).to_have_count(0)
