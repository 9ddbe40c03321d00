"""Searching with a real browser: pages, shapes, what is not fetched, and the log-in."""

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Error as PlaywrightError

from found_footy.sim.xsite import Mode, Rendition, Standing, Video
from found_footy.xsearch.browser import Chromium
from found_footy.xsearch.errors import SessionExpired
from found_footy.xsearch.harvest import Stop
from found_footy.xsearch.service import Asked, XSearch
from found_footy.xsearch.session import SessionState

if TYPE_CHECKING:
    from tests.conftest import Eventually
    from tests.xsearch.conftest import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAKA = Asked('Saka (Arsenal OR "The Gunners")', timedelta(minutes=3), 100)
SECOND, FRESH, OLD = timedelta(seconds=1), timedelta(minutes=1), timedelta(minutes=30)


def chromium(service: XSearch) -> Chromium:
    browser = service.keeper.present
    assert isinstance(browser, Chromium)
    return browser


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_it_scrolls_through_pages_until_posts_are_too_old(service: XSearch, site: "Site", method: str) -> None:
    site.xsite.method = method
    for number in range(50):
        site.post(number, number * SECOND)
    for number in range(50, 90):
        site.post(number, OLD + number * SECOND)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop, harvest.incomplete) == (50, Stop.OLDER, False)
    assert len({video.tweet_id for video in harvest.videos}) == 50
    assert harvest.pages == site.xsite.requests["timeline"] == 3


async def test_a_goal_of_long_ago_in_a_busy_match_is_reached(service: XSearch, site: "Site") -> None:
    for number in range(150):
        site.post(number, number * timedelta(seconds=20))
    clip = site.post(500, timedelta(minutes=58))
    hour = Asked(SAKA.query, SAKA.max_age, 100, since=clip.posted_at - timedelta(minutes=2))
    harvest = await service.search(hour)
    assert "fan500" in {video.author for video in harvest.videos}
    assert (len(harvest.videos), harvest.stop, harvest.incomplete) == (41, Stop.PAGES, True)
    assert site.xsite.requests["timeline"] <= 4


async def test_it_reads_to_the_end_of_a_short_list(service: XSearch, site: "Site") -> None:
    for number in range(23):
        site.post(number, number * SECOND)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop) == (23, Stop.END)


async def test_only_real_posts_count(service: XSearch, site: "Site") -> None:
    quoted = site.post(1, FRESH, "Rice scores for Arsenal")
    site.shelf.remove(quoted.id)
    site.post(2, FRESH, "Saka Arsenal, see below", videos=(), quoted=quoted)
    site.post(3, FRESH, "Saka Arsenal limited", standing=Standing.LIMITED)
    site.post(4, FRESH, "Saka Arsenal deleted", standing=Standing.TOMBSTONE)
    site.post(5, FRESH, "Saka Arsenal protected", standing=Standing.UNAVAILABLE)
    site.post(6, FRESH, "Saka Arsenal blank", standing=Standing.BLANK)
    site.post(7, FRESH, "Buy Saka Arsenal shirts", promoted=True)
    site.post(8, FRESH, "Haaland City")
    gone = Video("2000000000000000001", (Rendition("https://v/1.mp4", 1, 2, 3),), available=False)
    site.post(9, FRESH, "Saka Arsenal withheld here", videos=(gone,))
    harvest = await service.search(SAKA)
    assert sorted(video.author for video in harvest.videos) == ["fan1", "fan3"]
    assert harvest.stop is Stop.END


async def test_a_clip_comes_with_everything_needed_to_fetch_it(service: XSearch, site: "Site") -> None:
    post = site.post(1, FRESH, "Saka Arsenal — what a goal")
    (video,) = (await service.search(SAKA)).videos
    assert (video.tweet_id, video.author, video.text) == (post.id, "fan1", "Saka Arsenal — what a goal")
    assert video.url == f"{site.url}/fan1/status/{post.id}"
    assert video.posted_at == post.posted_at.replace(microsecond=0)
    assert video.duration_seconds == 20.0
    assert [(v.url, v.width, v.height) for v in video.variants] == [(f"{site.url}/video/1280x720/1.mp4", 1280, 720)]


async def test_no_picture_video_or_font_is_ever_fetched(service: XSearch, site: "Site") -> None:
    for number in range(45):
        site.post(number, number * SECOND)
    assert len((await service.search(SAKA)).videos) == 45
    asked_for = site.xsite.requests
    assert (asked_for["picture"], asked_for["video"], asked_for["font"]) == (0, 0, 0)


async def test_after_a_search_nothing_of_the_site_runs(
    service: XSearch, site: "Site", eventually: "Eventually"
) -> None:
    site.post(1, FRESH)
    await service.search(SAKA)
    tab = await chromium(service).tab()
    await eventually(lambda: tab._page.url == "about:blank")


async def test_the_budget_is_kept_even_if_the_page_wants_more(service: XSearch, site: "Site") -> None:
    for number in range(90):
        site.post(number, number * SECOND)
    for _ in range(service.settings.requests_per_window - 2):
        assert service.account.ledger.try_spend()
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop, harvest.incomplete) == (40, Stop.BUDGET, True)
    assert site.xsite.requests["timeline"] == 2


async def test_a_short_page_that_asks_for_more_by_itself_costs_nothing(
    service: XSearch, site: "Site", eventually: "Eventually"
) -> None:
    site.post(1, FRESH)
    site.post(2, OLD)
    left = service.account.ledger.left()
    await service.search(SAKA)
    tab = await chromium(service).tab()
    await eventually(lambda: tab._page.url == "about:blank")
    assert site.xsite.requests["timeline"] == 1
    assert service.account.ledger.left() == left - 1


async def test_scrolling_while_an_answer_is_awaited_does_not_pay_for_the_next_one(
    service: XSearch, site: "Site", eventually: "Eventually"
) -> None:
    site.post(1, FRESH)
    site.xsite.behave(Mode.HELD)
    tab = await chromium(service).tab()
    await tab.open(f"{site.url}/search?q=Saka&f=live")
    await eventually(site.xsite.reached.is_set)
    await tab.scroll()
    await tab.scroll()
    site.xsite.release()
    # The short page asks for more by itself.
    await eventually(lambda: len(tab._held) == 1)
    assert site.xsite.requests["timeline"] == 1
    await tab.blank()


async def test_the_browser_reaches_no_other_host(service: XSearch, site: "Site") -> None:
    tab = await chromium(service).tab()
    await tab.open(f"{site.url}/home")
    other = site.url.replace("127.0.0.1", "localhost")
    probe = "(url) => fetch(url, {mode: 'no-cors'}).then(() => 'reached', () => 'refused')"
    assert await tab._page.evaluate(probe, f"{site.url}/home") == "reached"
    assert await tab._page.evaluate(probe, f"{other}/home") == "refused"
    await tab.blank()


async def test_the_browser_does_not_pretend_to_be_another(service: XSearch) -> None:
    tab = await chromium(service).tab()
    assert await tab._page.evaluate("navigator.webdriver") is True
    assert "Headless" in await tab._page.evaluate("navigator.userAgent")


async def test_a_crashed_tab_is_replaced(service: XSearch, site: "Site", eventually: "Eventually") -> None:
    site.post(1, FRESH)
    tab = await chromium(service).tab()
    # Opening this address is how Chromium is asked to crash a page; it never answers.
    with pytest.raises(PlaywrightError):
        await tab._page.goto("chrome://crash", timeout=5_000)
    await eventually(lambda: tab.broken)
    assert (await service.search(SAKA)).videos


async def test_cookies_that_the_site_does_not_know_are_reported_as_expired(service: XSearch, site: "Site") -> None:
    assert await service.login.bring("auth_token=stale; ct0=stale") is SessionState.EXPIRED
    with pytest.raises(SessionExpired):
        await service.search(SAKA)


async def test_a_person_can_log_in_at_the_screen(service: XSearch, site: "Site", eventually: "Eventually") -> None:
    site.post(1, FRESH)
    await service.login.bring("auth_token=stale; ct0=stale")
    service.login._settings = service.settings.model_copy(update={"headless": False})
    await service.login.show()
    page = chromium(service)._login
    assert page is not None
    await page.fill("[name=username]", "footy")
    await page.fill("[name=password]", "goal")
    await page.click("button")
    await eventually(lambda: service.account.state is SessionState.AUTHENTICATED, timeout=30)
    assert (await service.search(SAKA)).videos
    assert "auth_token" in (service.settings.data_dir / "cookies.json").read_text()
