"""The page in a real browser."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from found_footy.domain.collections import FixtureCollection
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from tests.support.web import matchday
from tests.support.web.browser import CHROMIUM, PATIENCE_MS, open_page
from tests.support.web.matchday import Document
from tests.support.web.page import PageData
from tests.support.web.page_videos import video

EVENT = "5000_40_234_Goal_1"
DAY = f"/days/{matchday.NOW:%Y-%m-%d}"

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium")


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    async with open_page(browser) as page:
        yield page


def player(page: Page, goal: str = EVENT) -> Locator:
    return page.locator(f"[id='goal-{goal}'] .player").first


async def plays_past(video: Locator, seconds: float) -> None:
    """Wait until this very element has played so far; one that was swapped or stopped never gets there."""
    await video.evaluate(
        """(video, seconds) => new Promise((done) => {
            const look = () => video.currentTime > seconds ? done() : requestAnimationFrame(look);
            look();
        })""",
        seconds,
    )


async def live(page: Page, address: str) -> None:
    """Open the day of the match, where nothing plays by itself."""
    await page.goto(f"{address}{DAY}")
    await expect(page.locator("#live")).to_have_attribute("data-state", "on")


async def test_a_click_plays_the_clip_in_place(page: Page, address: str, page_data: PageData) -> None:
    await page_data.store_playable()
    await live(page, address)
    await expect(page.locator("article .name")).to_have_text(["Liverpool", "Arsenal"])
    await expect(page.locator(".scorer")).to_have_text("Florian Wirtz")
    shown = player(page)
    assert await shown.locator("video").evaluate("video => video.paused && video.readyState === 0")
    await shown.click()
    await plays_past(shown.locator("video"), 0.5)
    assert page.url == f"{address}{DAY}"
    # Seeking asks for a range of the file.
    await shown.locator("video").evaluate("video => { video.currentTime = 3 }")
    await plays_past(shown.locator("video"), 3.1)


async def test_the_keyboard_plays_a_clip(page: Page, address: str, page_data: PageData) -> None:
    await page_data.store_playable()
    await live(page, address)
    await page.get_by_role("button", name="Play clip 1 of Florian Wirtz").focus()
    await page.keyboard.press("Enter")
    await plays_past(player(page).locator("video"), 0.2)


async def test_a_new_clip_appears_while_another_plays_on(page: Page, address: str, page_data: PageData) -> None:
    match = await page_data.store_playable(content=video(30))
    await live(page, address)
    await page.evaluate("window.sameDocument = true")
    await player(page).click()
    playing = player(page).locator("video")
    await plays_past(playing, 0.3)
    await playing.evaluate(
        "video => { window.breaks = []; for (const kind of ['pause', 'emptied', 'error', 'ended'])"
        " video.addEventListener(kind, () => window.breaks.push(kind)); window.watched = video; }"
    )

    second = await second_goal(page_data, match)
    await expect(page.locator(".goal")).to_have_count(2)
    await expect(player(page, second)).to_be_visible()
    # The other clips of the goal that plays change too: a better one goes before it, a new one behind it.
    better = await page_data.store_clip(matchday.clip(EVENT, "c" * 32, rank=1))
    behind = await page_data.store_clip(matchday.clip(EVENT, "d" * 32, rank=3))
    match["events"][0]["_s3_videos"][0]["rank"] = 2
    match["events"][0]["_s3_videos"] += [better, behind]
    await page_data.store_fixture(match)
    await expect(page.locator(f"[id='goal-{EVENT}'] .clip")).to_have_count(3)
    # And the match ends, which moves it to another part of the page.
    await page_data.store_fixture(match | {"fixture": matchday.fixture(status="FT")["fixture"]})
    await expect(page.locator("article")).to_have_attribute("data-phase", "finished")

    at = await page.evaluate("window.watched.currentTime")
    await page.evaluate(
        "at => new Promise(done => { const look = () =>"
        " window.watched.currentTime > at + 0.5 ? done() : requestAnimationFrame(look); look(); })",
        at,
    )
    assert await page.evaluate("window.breaks") == []
    assert await page.evaluate("document.contains(window.watched) && window.sameDocument")


async def second_goal(page_data: PageData, match: Document) -> str:
    goal = matchday.goal(player=7, minute=66, name="Luis Díaz", _score_after={"home": 2, "away": 0})
    goal["_s3_videos"] = [await page_data.store_clip(matchday.clip(goal["_event_id"], "b" * 32))]
    match["events"].append(goal)
    await page_data.store_fixture(match)
    return str(goal["_event_id"])


async def test_a_clip_that_cannot_be_had_says_so_and_can_be_tried_again(
    browser: Browser, address: str, page_data: PageData
) -> None:
    page = await browser.new_page()
    await page_data.store_playable()
    await page.route("**/*.mp4", lambda route: route.fulfill(status=503))
    await live(page, address)
    await player(page).click()
    await expect(page.get_by_text("This clip cannot be played right now.")).to_be_visible(timeout=PATIENCE_MS)
    await page.unroute_all()
    await page.get_by_role("button", name="Try again").click()
    await plays_past(player(page).locator("video"), 0.2)
    await expect(page.get_by_text("This clip cannot be played right now.")).to_be_hidden()
    await page.close()


async def test_a_removed_goal_hides_its_clip(page: Page, address: str, page_data: PageData) -> None:
    match = await page_data.store_playable()
    await live(page, address)
    await player(page).click()
    await plays_past(player(page).locator("video"), 0.2)
    removed = match["events"].pop() | {"_removed": True}
    await page_data.store_fixture(match | {"removed_events": [removed]})
    await expect(page.locator("s.scorer")).to_have_text("Florian Wirtz")
    await expect(page.locator("video")).to_have_count(0)


async def test_matches_come_and_go_without_a_reload(page: Page, address: str, page_data: PageData) -> None:
    await live(page, address)
    await expect(page.get_by_text("No fixtures yet")).to_be_visible()
    await page_data.store_fixture(matchday.fixture(5000, status="NS"), FixtureCollection.STAGING)
    await expect(page.locator("article")).to_have_attribute("data-phase", "upcoming")
    await expect(page.get_by_text("No fixtures yet")).to_have_count(0)
    await page_data.store_fixture(matchday.fixture(5000), FixtureCollection.ACTIVE)
    await page_data.database[FixtureCollection.STAGING].delete_one({"_id": 5000})
    await expect(page.locator("article")).to_have_attribute("data-phase", "live")
    await expect(page.locator("main h2")).to_have_text("Live now")
    await page_data.database[FixtureCollection.ACTIVE].delete_one({"_id": 5000})
    await expect(page.get_by_text("No fixtures yet")).to_be_visible()


async def test_markup_in_a_name_stays_text_also_when_it_arrives_live(
    page: Page, address: str, page_data: PageData
) -> None:
    nasty = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    await live(page, address)
    await page_data.store_fixture(matchday.fixture(events=[matchday.goal(name=nasty)]))
    await expect(page.locator(".scorer")).to_have_text(nasty)
    assert await page.title() != "owned"
    assert await page.locator("article img, article script").count() == 0


async def test_after_a_restart_of_the_server_the_page_equals_a_fresh_load(
    browser: Browser, deps: WebDeps, page_data: PageData
) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    match = await page_data.store_playable()
    async with serve_app(create_app(deps), deps.settings) as address:
        await live(page, address)
    await expect(page.locator("#live")).to_have_attribute("data-state", "off", timeout=PATIENCE_MS)
    await second_goal(page_data, match)
    await page_data.store_fixture(matchday.fixture(5001))
    port = int(address.rpartition(":")[2])
    async with serve_app(create_app(deps), deps.settings.model_copy(update={"port": port})):
        await expect(page.locator(".goal")).to_have_count(2, timeout=PATIENCE_MS)
        await expect(page.locator("article")).to_have_count(2, timeout=PATIENCE_MS)
        fresh = await context.new_page()
        await fresh.goto(f"{address}{DAY}")
        shown = "document.getElementById('matches').innerText"
        assert await page.evaluate(shown) == await fresh.evaluate(shown)
        await context.close()


async def test_browsers_that_reload_together_spread_their_requests(
    page: Page, deps: WebDeps, page_data: PageData
) -> None:
    """Each waits for a while that it draws by lot."""
    await page_data.store_fixture(matchday.fixture())
    await page.add_init_script(
        "window.waits = []; const real = window.setTimeout;"
        "window.setTimeout = (work, wait, ...rest) => { window.waits.push(wait); return real(work, 0, ...rest); };"
        "Math.random = () => 0.5;"
    )
    app = create_app(deps)
    async with serve_app(app, deps.settings) as address:
        await live(page, address)
        await page.evaluate("window.waits.length = 0")
        async with page.expect_response(f"**/fragments{DAY}"):
            app.state.web.hub.publish_reload()
        assert 40 + 0.5 * 3000 in await page.evaluate("window.waits")
        async with page.expect_response("**/fragments/match/5000"):
            await page_data.database[FixtureCollection.ACTIVE].update_one({"_id": 5000}, {"$set": {"goals.home": 2}})
        assert 40 + 0.5 * 200 in await page.evaluate("window.waits")
        await page.goto("about:blank")
