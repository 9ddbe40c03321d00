"""Searching with a real browser: pages, shapes, what is not fetched, and the log-in."""

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Error as PlaywrightError

from found_footy.xsearch.browser.chromium import ChromiumBrowser
from found_footy.xsearch.errors import XSessionExpired
from found_footy.xsearch.results.search_results import StopReason
from found_footy.xsearch.service import SearchParameters, XSearchService
from found_footy.xsearch.session.state import SessionState
from found_footy_sim.x import PostVisibility, VideoRendition, XSiteMode, XVideo

if TYPE_CHECKING:
    from tests.conftest import Eventually
    from tests.integration.xsearch.conftest import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAKA = SearchParameters('Saka (Arsenal OR "The Gunners")', timedelta(minutes=3), 100)
SECOND, FRESH, OLD = timedelta(seconds=1), timedelta(minutes=1), timedelta(minutes=30)


def chromium(service: XSearchService) -> ChromiumBrowser:
    browser = service.supervisor.running_browser
    assert isinstance(browser, ChromiumBrowser)
    return browser


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_it_scrolls_through_pages_until_posts_are_too_old(
    service: XSearchService, site: "Site", method: str
) -> None:
    site.xsite.method = method
    for number in range(50):
        site.post(number, number * SECOND)
    for number in range(50, 90):
        site.post(number, OLD + number * SECOND)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop, harvest.is_incomplete) == (50, StopReason.OLDER, False)
    assert len({video.tweet_id for video in harvest.videos}) == 50
    assert harvest.pages == site.xsite.requests["timeline"] == 3


async def test_a_search_reaches_a_goal_of_long_ago_in_a_busy_match(service: XSearchService, site: "Site") -> None:
    for number in range(150):
        site.post(number, number * timedelta(seconds=20))
    clip = site.post(500, timedelta(minutes=58))
    hour = SearchParameters(SAKA.query, SAKA.max_age, 100, since=clip.posted_at - timedelta(minutes=2))
    harvest = await service.search(hour)
    assert "fan500" in {video.author for video in harvest.videos}
    assert (len(harvest.videos), harvest.stop, harvest.is_incomplete) == (41, StopReason.PAGES, True)
    assert site.xsite.requests["timeline"] <= 4


async def test_it_reads_to_the_end_of_a_short_list(service: XSearchService, site: "Site") -> None:
    for number in range(23):
        site.post(number, number * SECOND)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop) == (23, StopReason.END)


async def test_only_real_posts_count(service: XSearchService, site: "Site") -> None:
    quoted = site.post(1, FRESH, "Rice scores for Arsenal")
    site.post_list.remove(quoted.id)
    site.post(2, FRESH, "Saka Arsenal, see below", videos=(), quoted=quoted)
    site.post(3, FRESH, "Saka Arsenal limited", visibility=PostVisibility.LIMITED)
    site.post(4, FRESH, "Saka Arsenal deleted", visibility=PostVisibility.TOMBSTONE)
    site.post(5, FRESH, "Saka Arsenal protected", visibility=PostVisibility.UNAVAILABLE)
    site.post(6, FRESH, "Saka Arsenal blank", visibility=PostVisibility.BLANK)
    site.post(7, FRESH, "Buy Saka Arsenal shirts", promoted=True)
    site.post(8, FRESH, "Haaland City")
    gone = XVideo("2000000000000000001", (VideoRendition("https://v/1.mp4", 1, 2, 3),), available=False)
    site.post(9, FRESH, "Saka Arsenal withheld here", videos=(gone,))
    harvest = await service.search(SAKA)
    assert sorted(video.author for video in harvest.videos) == ["fan1", "fan3"]
    assert harvest.stop is StopReason.END


async def test_a_clip_comes_with_everything_needed_to_fetch_it(service: XSearchService, site: "Site") -> None:
    post = site.post(1, FRESH, "Saka Arsenal — what a goal")
    (video,) = (await service.search(SAKA)).videos
    assert (video.tweet_id, video.author, video.text) == (post.id, "fan1", "Saka Arsenal — what a goal")
    assert video.url == f"{site.url}/fan1/status/{post.id}"
    assert video.posted_at == post.posted_at.replace(microsecond=0)
    assert video.duration_seconds == 20.0
    assert [(v.url, v.width, v.height) for v in video.variants] == [(f"{site.url}/video/1280x720/1.mp4", 1280, 720)]


async def test_no_picture_video_or_font_is_ever_fetched(service: XSearchService, site: "Site") -> None:
    for number in range(45):
        site.post(number, number * SECOND)
    assert len((await service.search(SAKA)).videos) == 45
    asked_for = site.xsite.requests
    assert (asked_for["picture"], asked_for["video"], asked_for["font"]) == (0, 0, 0)


async def test_after_a_search_nothing_of_the_site_runs(
    service: XSearchService, site: "Site", eventually: "Eventually"
) -> None:
    site.post(1, FRESH)
    await service.search(SAKA)
    tab = await chromium(service).get_tab()
    await eventually(lambda: tab._page.url == "about:blank")


async def test_the_budget_is_kept_even_if_the_page_requests_more(service: XSearchService, site: "Site") -> None:
    for number in range(90):
        site.post(number, number * SECOND)
    for _ in range(service.settings.requests_per_window - 2):
        assert service.account.budget_ledger.try_spend()
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop, harvest.is_incomplete) == (40, StopReason.BUDGET, True)
    assert site.xsite.requests["timeline"] == 2


async def test_a_short_page_that_asks_for_more_by_itself_costs_nothing(
    service: XSearchService, site: "Site", eventually: "Eventually"
) -> None:
    site.post(1, FRESH)
    site.post(2, OLD)
    left = service.account.budget_ledger.left()
    await service.search(SAKA)
    tab = await chromium(service).get_tab()
    await eventually(lambda: tab._page.url == "about:blank")
    assert site.xsite.requests["timeline"] == 1
    assert service.account.budget_ledger.left() == left - 1


async def test_scrolling_while_an_answer_is_awaited_does_not_count_for_the_next_one(
    service: XSearchService, site: "Site", eventually: "Eventually"
) -> None:
    site.post(1, FRESH)
    site.xsite.set_modes(XSiteMode.HELD)
    tab = await chromium(service).get_tab()
    await tab.open(f"{site.url}/search?q=Saka&f=live")
    await eventually(site.xsite.search_reached.is_set)
    await tab.scroll()
    await tab.scroll()
    site.xsite.release_search()
    # The short page asks for more by itself.
    await eventually(lambda: len(tab._held_requests) == 1)
    assert site.xsite.requests["timeline"] == 1
    await tab.open_blank()


async def test_the_browser_reaches_no_other_host(service: XSearchService, site: "Site") -> None:
    tab = await chromium(service).get_tab()
    await tab.open(f"{site.url}/home")
    other = site.url.replace("127.0.0.1", "localhost")
    probe = "(url) => fetch(url, {mode: 'no-cors'}).then(() => 'reached', () => 'refused')"
    assert await tab._page.evaluate(probe, f"{site.url}/home") == "reached"
    assert await tab._page.evaluate(probe, f"{other}/home") == "refused"
    await tab.open_blank()


async def test_the_browser_does_not_pretend_to_be_another(service: XSearchService) -> None:
    tab = await chromium(service).get_tab()
    assert await tab._page.evaluate("navigator.webdriver") is True
    assert "Headless" in await tab._page.evaluate("navigator.userAgent")


async def test_a_crashed_tab_is_replaced(service: XSearchService, site: "Site", eventually: "Eventually") -> None:
    site.post(1, FRESH)
    tab = await chromium(service).get_tab()
    # Opening this address is how Chromium is asked to crash a page; it never answers.
    with pytest.raises(PlaywrightError):
        await tab._page.goto("chrome://crash", timeout=5_000)
    await eventually(lambda: tab.is_broken)
    assert (await service.search(SAKA)).videos


async def test_cookies_that_the_site_does_not_know_are_reported_as_expired(
    service: XSearchService, site: "Site"
) -> None:
    assert await service.login.import_cookies("auth_token=stale; ct0=stale") is SessionState.EXPIRED
    with pytest.raises(XSessionExpired):
        await service.search(SAKA)


async def test_a_person_can_log_in_at_the_screen(
    service: XSearchService, site: "Site", eventually: "Eventually"
) -> None:
    site.post(1, FRESH)
    await service.login.import_cookies("auth_token=stale; ct0=stale")
    service.login._settings = service.settings.model_copy(update={"headless": False})
    await service.login.show_login_page()
    page = chromium(service)._login_page
    assert page is not None
    await page.fill("[name=username]", "footy")
    await page.fill("[name=password]", "goal")
    await page.click("button")
    await eventually(lambda: service.account.state is SessionState.AUTHENTICATED, timeout=30)
    assert (await service.search(SAKA)).videos
    assert "auth_token" in (service.settings.data_dir / "cookies.json").read_text()
