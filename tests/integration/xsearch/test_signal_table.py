"""Every known behaviour of the site, met by a real browser, and what the service makes of it."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from found_footy.xsearch.errors import (
    SearchFailed,
    TransientFailure,
    UnconfirmedEmptyAnswer,
    XAccountLocked,
    XBlocked,
    XProtocolDrift,
    XRateLimited,
    XSessionExpired,
)
from found_footy.xsearch.results.search_results import StopReason
from found_footy.xsearch.service import SearchParameters, XSearchService
from found_footy.xsearch.session.state import SessionState
from found_footy_sim.x import XSiteMode

if TYPE_CHECKING:
    from tests.integration.xsearch.conftest import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAKA = SearchParameters("Saka", timedelta(minutes=3), 50)
FRESH, OLD = timedelta(minutes=1), timedelta(minutes=30)
# Modes in which the page never answers: waiting longer changes nothing.
SILENT = {XSiteMode.LOCKED_TEXT, XSiteMode.EMPTY_SHELL}


def hurried(service: XSearchService) -> None:
    service.settings = service.settings.model_copy(update={"answer_timeout": timedelta(seconds=1)})


def posted(site: "Site") -> None:
    site.post(1, FRESH)
    site.post(2, OLD)


@pytest.mark.parametrize(
    ("mode", "failure", "state"),
    [
        (XSiteMode.LOGIN_WALL, XSessionExpired, SessionState.EXPIRED),
        (XSiteMode.ONBOARDING, XSessionExpired, SessionState.EXPIRED),
        (XSiteMode.UNAUTHORIZED, XSessionExpired, SessionState.EXPIRED),
        (XSiteMode.CODE_32, XSessionExpired, SessionState.EXPIRED),
        (XSiteMode.FORBIDDEN_EMPTY, XSessionExpired, SessionState.EXPIRED),
        (XSiteMode.LOCKED_PAGE, XAccountLocked, SessionState.LOCKED),
        (XSiteMode.LOCKED_TEXT, XAccountLocked, SessionState.LOCKED),
        (XSiteMode.LOCKED_CODE, XAccountLocked, SessionState.LOCKED),
        (XSiteMode.RATE_LIMITED, XRateLimited, SessionState.RATE_LIMITED),
        (XSiteMode.CODE_88, XRateLimited, SessionState.RATE_LIMITED),
        (XSiteMode.CODE_88_EARLY, XBlocked, SessionState.UNKNOWN),
        (XSiteMode.NOT_FOUND_EMPTY, XProtocolDrift, SessionState.UNKNOWN),
        (XSiteMode.SUSPENDED, XAccountLocked, SessionState.LOCKED),
        (XSiteMode.FEATURES_NULL, XProtocolDrift, SessionState.UNKNOWN),
        (XSiteMode.NO_INSTRUCTIONS, XProtocolDrift, SessionState.UNKNOWN),
        (XSiteMode.UNREADABLE_POSTS, XProtocolDrift, SessionState.UNKNOWN),
        (XSiteMode.NOT_JSON, TransientFailure, SessionState.UNKNOWN),
        (XSiteMode.LOAD_SHED, TransientFailure, SessionState.UNKNOWN),
        (XSiteMode.TIMEOUT, TransientFailure, SessionState.UNKNOWN),
        (XSiteMode.SERVER_ERROR, TransientFailure, SessionState.UNKNOWN),
        (XSiteMode.PAGE_ERROR, TransientFailure, SessionState.UNKNOWN),
        (XSiteMode.DEGRADED_EMPTY, TransientFailure, SessionState.UNKNOWN),
        (XSiteMode.CLOUDFLARE_PAGE, XBlocked, SessionState.UNKNOWN),
        (XSiteMode.CLOUDFLARE_API, XBlocked, SessionState.UNKNOWN),
    ],
)
async def test_a_failure_is_named_and_never_an_empty_result(
    service: XSearchService, site: "Site", mode: XSiteMode, failure: type[SearchFailed], state: SessionState
) -> None:
    posted(site)
    site.xsite.set_modes(mode)
    if mode in SILENT:
        hurried(service)
    with pytest.raises(SearchFailed) as caught:
        await service.search(SAKA)
    assert type(caught.value) is failure
    assert service.account.state is state


async def test_the_end_of_a_rate_limit_is_taken_from_the_sites_headers(service: XSearchService, site: "Site") -> None:
    site.xsite.set_modes(XSiteMode.RATE_LIMITED)
    with pytest.raises(XRateLimited) as caught:
        await service.search(SAKA)
    assert caught.value.until is not None
    assert caught.value.until > datetime.now(UTC) + timedelta(minutes=10)
    site.xsite.set_modes(XSiteMode.NORMAL)
    with pytest.raises(XRateLimited):
        await service.search(SAKA)
    assert site.xsite.requests["timeline"] == 1


async def test_an_empty_page_is_a_temporary_failure_twice_and_a_blocked_account_after_that(
    service: XSearchService, site: "Site"
) -> None:
    hurried(service)
    site.xsite.set_modes(XSiteMode.EMPTY_SHELL)
    for failure in (TransientFailure, TransientFailure, XBlocked):
        with pytest.raises(failure):
            await service.search(SAKA)


async def test_no_results_shown_by_the_page_are_an_empty_result(service: XSearchService, site: "Site") -> None:
    posted(site)
    site.xsite.set_modes(XSiteMode.NO_RESULTS)
    harvest = await service.search(SAKA)
    assert (harvest.videos, harvest.stop, harvest.is_incomplete) == ((), StopReason.END, False)
    assert service.account.state is SessionState.AUTHENTICATED


async def test_an_account_that_x_limits_silently_is_recognized_as_limited(
    service: XSearchService, site: "Site"
) -> None:
    posted(site)
    service.settings = service.settings.model_copy(update={"canary_every": timedelta(hours=1)})
    site.xsite.set_modes(XSiteMode.SILENT_LIMIT)
    with pytest.raises(UnconfirmedEmptyAnswer):
        await service.search(SAKA)
    assert not (await service.run_canary()).ok
    with pytest.raises(XBlocked, match="restricted"):
        await service.search(SAKA)


async def test_an_account_that_x_limits_now_and_then_still_finds_videos(service: XSearchService, site: "Site") -> None:
    posted(site)
    site.xsite.set_modes(XSiteMode.SILENT_AT_TIMES)
    found = [len((await service.search(SAKA)).videos) for _ in range(7)]
    assert found == [1] * 7
    assert site.xsite.requests["search_page"] == 10


@pytest.mark.parametrize("mode", [XSiteMode.NORMAL, XSiteMode.HOISTED, XSiteMode.CT0_ROTATION, XSiteMode.LAST_REQUEST])
async def test_every_sound_shape_of_an_answer_gives_the_clip(
    service: XSearchService, site: "Site", mode: XSiteMode
) -> None:
    posted(site)
    site.xsite.set_modes(mode)
    harvest = await service.search(SAKA)
    assert [video.author for video in harvest.videos] == ["fan1"]
    assert not harvest.is_incomplete


async def test_the_last_allowed_call_gives_its_result_and_exhausts_the_budget(
    service: XSearchService, site: "Site"
) -> None:
    posted(site)
    site.xsite.set_modes(XSiteMode.LAST_REQUEST)
    assert (await service.search(SAKA)).videos
    with pytest.raises(XRateLimited):
        await service.search(SAKA)


async def test_a_partial_answer_is_requested_once_more(service: XSearchService, site: "Site") -> None:
    for number in range(3):
        site.post(number, FRESH)
    site.post(9, OLD)
    site.xsite.set_modes(XSiteMode.DEGRADED, XSiteMode.NORMAL)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.is_incomplete) == (3, False)
    assert site.xsite.requests["search_page"] == 2


async def test_an_answer_that_stays_partial_is_kept_and_marked(service: XSearchService, site: "Site") -> None:
    for number in range(3):
        site.post(number, FRESH)
    site.xsite.set_modes(XSiteMode.DEGRADED)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop, harvest.is_incomplete) == (1, StopReason.DEGRADED, True)
    assert site.xsite.requests["search_page"] == 2


async def test_a_second_page_that_fails_keeps_the_first(service: XSearchService, site: "Site") -> None:
    for number in range(30):
        site.post(number, timedelta(seconds=60 + number))
    site.xsite.set_modes(XSiteMode.SECOND_PAGE_ERROR)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop, harvest.is_incomplete) == (20, StopReason.FAILED, True)


async def test_cookies_cleared_by_the_site_do_not_empty_the_cookie_file(service: XSearchService, site: "Site") -> None:
    stored = (service.settings.data_dir / "cookies.json").read_text()
    assert "auth_token" in stored
    site.xsite.set_modes(XSiteMode.COOKIES_CLEARED)
    with pytest.raises(XSessionExpired):
        await service.search(SAKA)
    await service.throttle.wait_for_cleanup()
    browser = service.supervisor.running_browser
    assert browser is not None
    assert await browser.get_cookies() == ()
    assert (service.settings.data_dir / "cookies.json").read_text() == stored


async def test_a_rotated_csrf_cookie_is_stored_and_works(service: XSearchService, site: "Site") -> None:
    posted(site)
    before = (service.settings.data_dir / "cookies.json").read_text()
    site.xsite.set_modes(XSiteMode.CT0_ROTATION, XSiteMode.NORMAL)
    assert (await service.search(SAKA)).videos
    assert (await service.search(SAKA)).videos
    await service.throttle.wait_for_cleanup()
    assert (service.settings.data_dir / "cookies.json").read_text() != before
