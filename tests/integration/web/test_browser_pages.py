"""What fingers expect of the pages, in a real browser."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from playwright.async_api import Browser, Page, expect

from found_footy.domain.collections import FixtureCollection
from tests.support.web import matchday, showcase
from tests.support.web.browser import CHROMIUM, PATIENCE_MS, open_page
from tests.support.web.page import PageData

DAY = f"/days/{matchday.NOW:%Y-%m-%d}"
PLAYS = (
    "seconds => new Promise(done => { const look = () =>"
    " document.getElementById('video').currentTime > seconds ? done() : requestAnimationFrame(look); look(); })"
)

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Debian's chromium")


@pytest.fixture
async def page(browser: Browser, address: str) -> AsyncIterator[Page]:
    """Closed before the server of `address` stops."""
    async with open_page(browser) as page:
        yield page


async def test_a_goal_plays_at_once_and_its_page_follows_the_server(
    page: Page, address: str, page_data: PageData
) -> None:
    match = await page_data.store_playable()
    await page.goto(f"{address}/goals/{showcase.GOAL}")
    await page.evaluate(PLAYS, 0.2)
    await expect(page.locator("#live")).to_have_attribute("data-state", "on")
    await page.evaluate("window.sameDocument = true")
    # A second angle and a search arrive while the first one plays.
    second = await page_data.store_clip(matchday.clip(showcase.GOAL, "b" * 32, rank=2))
    goal = match["events"][0]
    goal["_s3_videos"].append(second)
    goal["_telemetry"] = {"attempts": {"download1": showcase.attempt(1, matchday.NOW, found=4)}}
    await page_data.store_fixture(match)
    await expect(page.locator(".angle")).to_have_count(2)
    await expect(page.get_by_text("4 videos found")).to_be_visible()
    assert await page.evaluate("window.sameDocument && !document.getElementById('video').error")
    # A key chooses the angle, and its address can be sent.
    await page.keyboard.press("2")
    await page.wait_for_url("**?clip=*")
    await expect(page.locator("#video source").first).to_have_attribute("src", f"/media/{second['_s3_key']}")
    await page.keyboard.press("h")
    await page.wait_for_url(f"**/goals/{showcase.GOAL}")
    # Sharing copies the address of the goal.
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await expect(page.get_by_role("button", name="Share")).to_be_visible()
    await page.keyboard.press("s")
    await expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == f"{address}/goals/{showcase.GOAL}"
    # The goal is taken back.
    await page_data.store_fixture(match | {"events": [], "removed_events": [goal | {"_removed": True}]})
    await expect(page.locator("video")).to_have_count(0)


async def test_the_reel_plays_through(page: Page, address: str, page_data: PageData) -> None:
    await showcase.store_match_day(page_data)
    await page.goto(f"{address}/reel?match={showcase.FINISHED_MATCH}")
    title = page.locator("#reel-player")
    await expect(title).to_have_text("Harry Kane")
    # The end of a clip brings the next one, which plays.
    await page.evaluate("document.getElementById('video').currentTime = 99")
    await expect(title).to_have_text("Serhou Guirassy")
    await page.keyboard.press("j")
    await expect(title).to_have_text("Jamal Musiala")
    await page.keyboard.press("k")
    await expect(title).to_have_text("Serhou Guirassy")
    assert "at=5100_165_2_Goal_1" in page.url
    await page.evaluate(
        """() => { const stage = document.querySelector(".stage");
        const at = (kind, x) => stage.dispatchEvent(new TouchEvent(kind, { bubbles: true, changedTouches:
            [new Touch({ identifier: 1, target: stage, clientX: x, clientY: 100 })] }));
        at("touchstart", 300); at("touchend", 100); }"""
    )
    await expect(title).to_have_text("Jamal Musiala")
    await page.evaluate(PLAYS, 0.2)
    await page.locator("[data-item='0']").click()
    await expect(title).to_have_text("Harry Kane")
    # A reload stays at the goal that is shown.
    await page.reload()
    await expect(title).to_have_text("Harry Kane")


async def store_arrival(page_data: PageData) -> None:
    """The goal that was being searched for gets a clip."""
    match = await page_data.database[FixtureCollection.ACTIVE].find_one({"_id": showcase.MATCH})
    assert match is not None
    place, goal = next((n, one) for n, one in enumerate(match["events"]) if one["player"]["name"] == "Alexander Isak")
    added_at = matchday.NOW + timedelta(minutes=1)
    clip = await page_data.store_clip(matchday.clip(goal["_event_id"], "d" * 32, added_at=added_at))
    await page_data.database[FixtureCollection.ACTIVE].update_one(
        {"_id": showcase.MATCH}, {"$set": {f"events.{place}._s3_videos": [clip]}}
    )


async def test_the_newest_goal_plays_at_once_and_one_key_plays_the_next(
    page: Page, address: str, page_data: PageData
) -> None:
    await showcase.store_match_day(page_data)
    await page_data.database[FixtureCollection.ACTIVE].update_one(
        {"_id": showcase.MATCH}, {"$set": {"events.1._s3_videos.0.added_at": matchday.NOW}}
    )
    await page.goto(address)
    scorer = page.locator("#reel-player")
    await expect(scorer).to_have_text("Bukayo Saka")
    await page.evaluate(PLAYS, 0.2)
    await page.keyboard.press("j")
    await expect(scorer).not_to_have_text("Bukayo Saka")
    await page.evaluate(PLAYS, 0.2)
    assert page.url.rstrip("/") == address
    await page.keyboard.press("k")
    await expect(scorer).to_have_text("Bukayo Saka")
    # News of the match settle into the list below and do not touch what plays. It rests, so that it does not end here.
    await page.evaluate("document.getElementById('video').pause()")
    await page_data.database[FixtureCollection.ACTIVE].update_one({"_id": showcase.MATCH}, {"$set": {"goals.home": 7}})
    await expect(page.locator(f"#match-{showcase.MATCH} .score span").first).to_have_text("7")
    await expect(scorer).to_have_text("Bukayo Saka")
    # A goal gets its first clip: it is offered, and plays when the present clip ends.
    await store_arrival(page_data)
    news = page.get_by_role("button", name="New: 58' Alexander Isak")
    await expect(news).to_be_visible()
    await expect(scorer).to_have_text("Bukayo Saka")
    await page.evaluate(
        """() => { const video = document.getElementById("video");
        video.dispatchEvent(new Event("ended")); video.pause(); }"""
    )
    await expect(scorer).to_have_text("Alexander Isak")
    await expect(news).to_be_hidden()
    await expect(page.locator("#newest [aria-current]")).to_have_text("58' Alexander Isak")
    await page.keyboard.press("z")
    await expect(scorer).to_be_hidden()


async def test_choices_and_shortcuts_work_on_the_match_day(page: Page, address: str, page_data: PageData) -> None:
    await showcase.store_match_day(page_data)
    await page.goto(f"{address}{DAY}")
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Shortcuts")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await expect(page.locator("[id='goal-5000_42_99_Goal_1'] .scorer a")).to_be_focused()
    # Without spoilers, one match is shown at a time; the choice outlives the page.
    await page.get_by_role("button", name="Hide scores").click()
    live = page.locator(f"#match-{showcase.MATCH}")
    await expect(live.locator(".goals")).to_be_hidden()
    await expect(live.locator(".score")).to_be_hidden()
    await page.reload()
    await expect(live.locator(".goals")).to_be_hidden()
    await live.get_by_role("button", name="Show score and goals").click()
    await expect(live.locator(".goals")).to_be_visible()
    await expect(page.locator(f"#match-{showcase.FINISHED_MATCH} .goals")).to_be_hidden()
    # A change of the match does not hide it again.
    await page_data.database[FixtureCollection.ACTIVE].update_one({"_id": showcase.MATCH}, {"$set": {"goals.home": 7}})
    await expect(live.locator(".score span").first).to_have_text("7")
    await expect(live.locator(".goals")).to_be_visible()
    await page.keyboard.press("z")
    # The theme is the visitor's; it is there before the first paint of the next page.
    before = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await page.get_by_role("button", name="Change to the other theme").click()
    after = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert before != after
    await page.keyboard.press("g")
    await page.keyboard.press("s")
    await page.wait_for_url("**/stats")
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == after


async def test_news_are_marked_and_previews_run_under_the_pointer(
    page: Page, address: str, page_data: PageData
) -> None:
    await showcase.store_match_day(page_data)
    await page.goto(f"{address}/stats")
    last = int((matchday.NOW.timestamp() - 10 * 60) * 1000)
    await page.evaluate("last => localStorage.setItem('visit-last', String(last))", last)
    await page.goto(f"{address}{DAY}")
    await expect(page.locator("#since-last-visit")).to_have_text("1 new goal since your last visit")
    await expect(page.locator(".goal[data-new] .scorer")).to_have_text("Alexander Isak")
    player = page.locator(f"[id='goal-{showcase.GOAL}'] .player").first
    await player.hover()
    await expect(player.locator(".preview")).to_have_attribute(
        "src", f"/media/5000/{showcase.GOAL}/{'a' * 32}.preview.mp4"
    )
    await page.mouse.move(0, 0)
    await expect(player.locator(".preview")).to_have_count(0)
    # The search by its form, from the key to the goal.
    await page.keyboard.press("/")
    await page.wait_for_url("**/search")
    await page.locator("#query").fill("guirassy")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/search?*q=guirassy*")
    # A search is kept in the browser, and forgotten.
    await page.get_by_role("button", name="Save this search").click()
    await page.goto(f"{address}/search")
    await page.get_by_role("list", name="Saved searches").get_by_role("link", name="guirassy").click()
    await page.wait_for_url("**/search?q=guirassy")
    await page.get_by_role("button", name="Forget the search guirassy").click()
    await expect(page.get_by_role("list", name="Saved searches")).to_be_hidden()
    await page.get_by_role("link", name="40' Serhou Guirassy").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Serhou Guirassy")


async def test_angles_play_in_step_by_the_clock_in_the_picture(page: Page, address: str, page_data: PageData) -> None:
    await showcase.store_match_day(page_data)
    await page.goto(f"{address}/goals/{showcase.GOAL}/compare")
    await expect(page.get_by_text("in step by the clock in the picture, +17.0 s")).to_be_visible()
    await page.locator("#position").fill("18")
    # The first angle has ended by then; the second is a second in, the third began with the first.
    times = "[...document.querySelectorAll('#wall video')].map(video => Math.round(video.currentTime))"
    assert await page.evaluate(times) == [3, 1, 3]
    await page.get_by_role("button", name="Play").click()
    await page.evaluate(
        "() => new Promise(done => { const look = () => document.querySelectorAll('#wall video')[1].currentTime > 1.3"
        " ? done() : requestAnimationFrame(look); look(); })"
    )
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("button", name="Play")).to_be_visible()


async def test_pages_are_usable_before_scripts_run(browser: Browser, address: str, page_data: PageData) -> None:
    await showcase.store_match_day(page_data)
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    await page.goto(f"{address}{DAY}")
    await page.get_by_role("link", name="Florian Wirtz").click()
    await expect(page.locator("#video")).to_have_js_property("autoplay", True)
    await page.locator("[data-angle='2']").click()
    await expect(page.locator("#video source").first).to_have_attribute(
        "src", f"/media/5000/{showcase.GOAL}/{'b' * 32}.mp4"
    )
    await page.get_by_role("link", name="Play all goals").click()
    await page.get_by_role("link", name="Next").click()
    await expect(page.locator("#reel-player")).to_have_text("Bukayo Saka")
    await context.close()
