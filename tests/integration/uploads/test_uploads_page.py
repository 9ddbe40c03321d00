"""The page of an organization in a real browser, with a worker that classifies."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, Route, expect

from found_footy.access.accounts import AccessStores, AccountService
from found_footy.access.levels import Role
from found_footy.access.passwords import PasswordHashing
from found_footy.access.settings import AccessSettings
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore, LetterKind
from found_footy.web.server import serve_app
from tests.support.uploads.agent_services import paint, running_uploads_worker
from tests.support.uploads.organization_page import OrganizationPage
from tests.support.web.browser import CHROMIUM, PATIENCE_MS, record_complaints

DROP_FILES = """async ([files]) => {
    const moved = new DataTransfer();
    for (const [name, bytes] of files) moved.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
    document.dispatchEvent(new DragEvent('dragenter', { dataTransfer: moved, bubbles: true, cancelable: true }));
    document.dispatchEvent(new DragEvent('drop', { dataTransfer: moved, bubbles: true, cancelable: true }));
}"""
PASTE_FILE = """(bytes) => {
    const moved = new DataTransfer();
    moved.items.add(new File([new Uint8Array(bytes)], 'image.png', { type: 'image/png' }));
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: moved, bubbles: true }));
}"""

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium")


def is_complaint(said: ConsoleMessage) -> bool:
    """A browser remarks on refusals that the page expects."""
    return said.type == "error" and "status of 4" not in said.text


@pytest.fixture
async def address(organization_page: OrganizationPage) -> AsyncIterator[str]:
    async with (
        running_uploads_worker(organization_page.services),
        serve_app(organization_page.create_app(), organization_page.deps.settings) as address,
    ):
        yield address


@pytest.fixture
async def page(browser: Browser, address: str) -> AsyncIterator[Page]:
    """A page that ends the test with an error if its scripts or its security policy complained, or if it asked anybody
    else for anything. It is closed before the server is.
    """
    context = await browser.new_context()
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    complaints: list[str] = []
    record_complaints(page, complaints, is_complaint)
    page.on("request", lambda asked: complaints.append(asked.url) if not asked.url.startswith(address) else None)
    yield page
    await page.goto("about:blank")
    await context.close()
    assert [one for one in complaints if one != "about:blank"] == []


async def sign_in(page: Page, address: str, site: OrganizationPage) -> None:
    await page.goto(f"{address}/organizations/{site.own}")
    await page.get_by_label("Key").fill(site.own_key)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.locator("#live")).to_have_attribute("data-state", "on")


def card(page: Page, name: str) -> Locator:
    return page.locator(f".card[data-name='{name}']")


async def test_dropped_pasted_and_chosen_images_are_classified_while_the_page_shows_it(
    page: Page, address: str, organization_page: OrganizationPage
) -> None:
    await sign_in(page, address, organization_page)
    await expect(page.get_by_text("No images yet")).to_be_visible()
    await page.evaluate("window.sameDocument = true")
    await page.evaluate(DROP_FILES, [[["red.png", list(paint("red"))], ["blue ü.png", list(paint("blue"))]]])
    for name, label in (("red.png", "red"), ("blue ü.png", "blue")):
        await expect(card(page, name)).to_have_attribute("data-status", "classified")
        await expect(card(page, name).locator(".label")).to_have_text(label)
        await expect(card(page, name).locator(".bars li")).to_have_count(2)
        await expect(card(page, name).locator("img")).to_have_js_property("complete", True)
        assert await card(page, name).locator("img").evaluate("picture => picture.naturalWidth") > 0
    await expect(page.locator("#tray-title")).to_have_text("2 uploaded")
    await page.evaluate(PASTE_FILE, list(paint("green")))
    await expect(page.locator(".card .label", has_text="green")).to_be_visible()
    await expect(page.locator(".card[data-name^='pasted-']")).to_have_count(1)
    await page.locator("#files").set_input_files(
        {"name": "note.txt", "mimeType": "text/plain", "buffer": b"not an image at all"}
    )
    await expect(card(page, "note.txt")).to_have_attribute("data-status", "failed")
    await expect(card(page, "note.txt").locator(".problem")).not_to_be_empty()
    assert await page.evaluate("window.sameDocument")


async def test_filters_deletion_and_retry(page: Page, address: str, organization_page: OrganizationPage) -> None:
    await organization_page.store_classified("a.png", "red")
    await organization_page.store_classified("b.png", "blue")
    await organization_page.store_classified("c.png", "green", status="failed", error="The image ends too early.")
    await sign_in(page, address, organization_page)
    await expect(page.locator(".card")).to_have_count(3)
    await page.get_by_role("link", name="blue 1").click()
    await expect(page.locator(".card")).to_have_count(1)
    await expect(card(page, "b.png")).to_be_visible()
    await page.go_back()
    await page.get_by_role("link", name="Failed 1").click()
    await expect(card(page, "c.png").locator(".problem")).to_have_text("The image ends too early.")
    await expect(page.locator("#live")).to_have_attribute("data-state", "on")
    await card(page, "c.png").get_by_role("button", name="Try again").click()
    await expect(page.get_by_text("No image matches")).to_be_visible()
    await page.get_by_role("link", name="Show all").click()
    await expect(page.locator("#live")).to_have_attribute("data-state", "on")
    await expect(card(page, "c.png")).to_have_attribute("data-status", "classified")
    page.once("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
    await card(page, "a.png").get_by_role("button", name="Delete").click()
    await expect(card(page, "a.png")).to_have_count(0)


async def test_the_history_of_an_image_is_shown_and_updated_live(
    page: Page, address: str, organization_page: OrganizationPage
) -> None:
    await organization_page.services.upload("a.png", "red")
    await organization_page.services.settled("a.png")
    await sign_in(page, address, organization_page)
    await card(page, "a.png").get_by_role("link", name="a.png").last.click()
    await expect(page.locator(".upload .label").first).to_have_text("red")
    await expect(page.locator("#live")).to_have_attribute("data-state", "on")
    await organization_page.services.upload("a.png", "blue")
    await expect(page.locator(".upload .state .label")).to_have_text("blue")
    version = (await organization_page.services.row("a.png"))["eventId"][:8]
    await expect(page.locator(".superseded")).to_have_text(f"superseded by {version}")
    kinds = await page.locator(".timeline li").evaluate_all("rows => rows.map(row => row.dataset.what)")
    assert kinds[0] == "classified"
    assert {"stored", "superseded", "classified"} <= set(kinds)


async def test_an_answer_that_comes_late_does_not_bring_back_an_older_state(
    page: Page, address: str, organization_page: OrganizationPage
) -> None:
    """The answer with the first state is held back until the second state was written."""
    await sign_in(page, address, organization_page)
    shown: list[str] = []

    def record(status: str) -> None:
        shown.append(status)

    await page.expose_function("record", record)
    await page.evaluate(
        "new MutationObserver(() => { const card = document.querySelector('.card');"
        " if (card) record(card.dataset.status); })"
        ".observe(document.getElementById('shown'), { subtree: true, childList: true, attributes: true })"
    )
    held: list[str] = []

    async def hold_first(route: Route) -> None:
        answer = await route.fetch()
        if not held and 'data-name="a.png"' in await answer.text():
            held.append("a.png")
            await organization_page.services.settled("a.png")
        await route.fulfill(response=answer)

    await page.route(f"**/organizations/{organization_page.own}", hold_first)
    await organization_page.services.upload("a.png", "red")
    await expect(card(page, "a.png")).to_have_attribute("data-status", "classified")
    order = ["queued", "running", "classified"]
    assert [order.index(one) for one in shown] == sorted(order.index(one) for one in shown)
    # The page goes on asking: an answer that is still being passed on is waited for.
    await page.unroute_all(behavior="wait")


async def test_signing_out_ends_the_page_in_every_tab(
    page: Page, address: str, organization_page: OrganizationPage
) -> None:
    await sign_in(page, address, organization_page)
    other = await page.context.new_page()
    await other.goto(f"{address}/organizations/{organization_page.own}")
    await expect(other.locator("#live")).to_have_attribute("data-state", "on")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page).to_have_url(f"{address}/organizations")
    await expect(other.get_by_label("Key")).to_be_visible()
    await other.close()


async def test_the_page_works_on_a_phone_and_in_the_dark(
    browser: Browser, address: str, organization_page: OrganizationPage
) -> None:
    await organization_page.store_classified("a name that is rather long for a phone.png", "red")
    context = await browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark")
    page = await context.new_page()
    await sign_in(page, address, organization_page)
    await expect(page.locator(".card")).to_have_count(1)
    for path in ("", "/uploads/a%20name%20that%20is%20rather%20long%20for%20a%20phone.png"):
        await page.goto(f"{address}/organizations/{organization_page.own}{path}")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert max(int(part) for part in re.findall(r"\d+", ground)) < 40
    await context.close()


async def test_without_scripts_images_are_shown_retried_and_deleted(
    browser: Browser, address: str, organization_page: OrganizationPage
) -> None:
    await organization_page.store_classified("a.png", "red", status="failed", error="Broken.")
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    await page.goto(f"{address}/organizations/{organization_page.own}")
    await page.get_by_label("Key").fill(organization_page.own_key)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("button", name="Try again a.png").click()
    assert page.url.endswith("/uploads/a.png")
    await page.get_by_role("button", name="Delete a.png").click()
    await expect(page.get_by_text("No images yet")).to_be_visible()
    await context.close()


async def test_the_operator_sees_dead_letters_and_signs_out(
    page: Page, address: str, organization_page: OrganizationPage
) -> None:
    store = DeadLetterStore(organization_page.deps.database)
    await store.park(LetterKind.NOTIFICATION, b'{"<b>not</b>": 1}', "Not a notification.", organization_id=None)
    stores = AccessStores.from_database(organization_page.deps.database, AccessSettings())
    accounts = AccountService(stores, PasswordHashing())
    await accounts.add_user("the test", "ada", Role.ADMIN, "nine lives and a ball")
    await page.goto(f"{address}/operator")
    await page.get_by_label("Name").fill("ada")
    await page.get_by_label("Password").fill("nine lives and a ball")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.locator(".letter pre")).to_have_text('{"<b>not</b>": 1}')
    await expect(page.locator(".letter .problem")).to_have_text("Not a notification.")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_label("Password")).to_be_visible()
