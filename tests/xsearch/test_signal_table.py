"""Every known behaviour of the site, met by a real browser, and what the service makes of it."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from found_footy.sim.xsite import Mode
from found_footy.xsearch.errors import (
    AccountLocked,
    Blocked,
    ProtocolDrift,
    RateLimited,
    SearchFailed,
    SessionExpired,
    Transient,
    Unconfirmed,
)
from found_footy.xsearch.harvest import Stop
from found_footy.xsearch.service import Asked, XSearch
from found_footy.xsearch.session import SessionState

if TYPE_CHECKING:
    from tests.xsearch.conftest import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAKA = Asked("Saka", timedelta(minutes=3), 50)
FRESH, OLD = timedelta(minutes=1), timedelta(minutes=30)
# Modes in which the page never answers: waiting longer changes nothing.
SILENT = {Mode.LOCKED_TEXT, Mode.EMPTY_SHELL}


def hurried(service: XSearch) -> None:
    service.settings = service.settings.model_copy(update={"answer_timeout": timedelta(seconds=1)})


def posted(site: "Site") -> None:
    site.post(1, FRESH)
    site.post(2, OLD)


@pytest.mark.parametrize(
    ("mode", "failure", "state"),
    [
        (Mode.LOGIN_WALL, SessionExpired, SessionState.EXPIRED),
        (Mode.ONBOARDING, SessionExpired, SessionState.EXPIRED),
        (Mode.UNAUTHORIZED, SessionExpired, SessionState.EXPIRED),
        (Mode.CODE_32, SessionExpired, SessionState.EXPIRED),
        (Mode.FORBIDDEN_EMPTY, SessionExpired, SessionState.EXPIRED),
        (Mode.LOCKED_PAGE, AccountLocked, SessionState.LOCKED),
        (Mode.LOCKED_TEXT, AccountLocked, SessionState.LOCKED),
        (Mode.LOCKED_CODE, AccountLocked, SessionState.LOCKED),
        (Mode.RATE_LIMITED, RateLimited, SessionState.RATE_LIMITED),
        (Mode.CODE_88, RateLimited, SessionState.RATE_LIMITED),
        (Mode.CODE_88_EARLY, Blocked, SessionState.UNKNOWN),
        (Mode.NOT_FOUND_EMPTY, ProtocolDrift, SessionState.UNKNOWN),
        (Mode.SUSPENDED, AccountLocked, SessionState.LOCKED),
        (Mode.FEATURES_NULL, ProtocolDrift, SessionState.UNKNOWN),
        (Mode.NO_INSTRUCTIONS, ProtocolDrift, SessionState.UNKNOWN),
        (Mode.UNREADABLE_POSTS, ProtocolDrift, SessionState.UNKNOWN),
        (Mode.NOT_JSON, Transient, SessionState.UNKNOWN),
        (Mode.LOAD_SHED, Transient, SessionState.UNKNOWN),
        (Mode.TIMEOUT, Transient, SessionState.UNKNOWN),
        (Mode.SERVER_ERROR, Transient, SessionState.UNKNOWN),
        (Mode.PAGE_ERROR, Transient, SessionState.UNKNOWN),
        (Mode.DEGRADED_EMPTY, Transient, SessionState.UNKNOWN),
        (Mode.CLOUDFLARE_PAGE, Blocked, SessionState.UNKNOWN),
        (Mode.CLOUDFLARE_API, Blocked, SessionState.UNKNOWN),
    ],
)
async def test_a_failure_is_named_and_never_an_empty_result(
    service: XSearch, site: "Site", mode: Mode, failure: type[SearchFailed], state: SessionState
) -> None:
    posted(site)
    site.xsite.behave(mode)
    if mode in SILENT:
        hurried(service)
    with pytest.raises(SearchFailed) as caught:
        await service.search(SAKA)
    assert type(caught.value) is failure
    assert service.account.state is state


async def test_the_end_of_a_rate_limit_is_taken_from_the_sites_headers(service: XSearch, site: "Site") -> None:
    site.xsite.behave(Mode.RATE_LIMITED)
    with pytest.raises(RateLimited) as caught:
        await service.search(SAKA)
    assert caught.value.until is not None
    assert caught.value.until > datetime.now(UTC) + timedelta(minutes=10)
    site.xsite.behave(Mode.NORMAL)
    with pytest.raises(RateLimited):
        await service.search(SAKA)
    assert site.xsite.requests["timeline"] == 1


async def test_an_empty_shell_is_bad_luck_twice_and_a_closed_door_after_that(service: XSearch, site: "Site") -> None:
    hurried(service)
    site.xsite.behave(Mode.EMPTY_SHELL)
    for failure in (Transient, Transient, Blocked):
        with pytest.raises(failure):
            await service.search(SAKA)


async def test_no_results_are_a_genuine_nothing(service: XSearch, site: "Site") -> None:
    posted(site)
    site.xsite.behave(Mode.NO_RESULTS)
    harvest = await service.search(SAKA)
    assert (harvest.videos, harvest.stop, harvest.incomplete) == ((), Stop.END, False)
    assert service.account.state is SessionState.AUTHENTICATED


async def test_an_account_that_x_limits_without_a_word_is_called_limited(service: XSearch, site: "Site") -> None:
    posted(site)
    service.settings = service.settings.model_copy(update={"canary_every": timedelta(hours=1)})
    site.xsite.behave(Mode.SILENT_LIMIT)
    with pytest.raises(Unconfirmed):
        await service.search(SAKA)
    assert not (await service.run_canary()).ok
    with pytest.raises(Blocked, match="limited"):
        await service.search(SAKA)


async def test_an_account_that_x_limits_now_and_then_finds_all_the_same(service: XSearch, site: "Site") -> None:
    posted(site)
    site.xsite.behave(Mode.SILENT_AT_TIMES)
    found = [len((await service.search(SAKA)).videos) for _ in range(7)]
    assert found == [1] * 7
    assert site.xsite.requests["search_page"] == 10


@pytest.mark.parametrize("mode", [Mode.NORMAL, Mode.HOISTED, Mode.CT0_ROTATION, Mode.LAST_REQUEST])
async def test_every_sound_shape_of_an_answer_gives_the_clip(service: XSearch, site: "Site", mode: Mode) -> None:
    posted(site)
    site.xsite.behave(mode)
    harvest = await service.search(SAKA)
    assert [video.author for video in harvest.videos] == ["fan1"]
    assert not harvest.incomplete


async def test_the_last_allowed_call_gives_its_result_and_closes_the_budget(service: XSearch, site: "Site") -> None:
    posted(site)
    site.xsite.behave(Mode.LAST_REQUEST)
    assert (await service.search(SAKA)).videos
    with pytest.raises(RateLimited):
        await service.search(SAKA)


async def test_an_answer_in_part_is_asked_for_once_more(service: XSearch, site: "Site") -> None:
    for number in range(3):
        site.post(number, FRESH)
    site.post(9, OLD)
    site.xsite.behave(Mode.DEGRADED, Mode.NORMAL)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.incomplete) == (3, False)
    assert site.xsite.requests["search_page"] == 2


async def test_an_answer_that_stays_partial_is_kept_and_marked(service: XSearch, site: "Site") -> None:
    for number in range(3):
        site.post(number, FRESH)
    site.xsite.behave(Mode.DEGRADED)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop, harvest.incomplete) == (1, Stop.DEGRADED, True)
    assert site.xsite.requests["search_page"] == 2


async def test_a_second_page_that_fails_keeps_the_first(service: XSearch, site: "Site") -> None:
    for number in range(30):
        site.post(number, timedelta(seconds=60 + number))
    site.xsite.behave(Mode.SECOND_PAGE_ERROR)
    harvest = await service.search(SAKA)
    assert (len(harvest.videos), harvest.stop, harvest.incomplete) == (20, Stop.FAILED, True)


async def test_cookies_cleared_by_the_site_do_not_empty_the_cookie_file(service: XSearch, site: "Site") -> None:
    stored = (service.settings.data_dir / "cookies.json").read_text()
    assert "auth_token" in stored
    site.xsite.behave(Mode.COOKIES_CLEARED)
    with pytest.raises(SessionExpired):
        await service.search(SAKA)
    await service.turns.settled()
    browser = service.keeper.present
    assert browser is not None
    assert await browser.cookies() == ()
    assert (service.settings.data_dir / "cookies.json").read_text() == stored


async def test_a_rotated_csrf_cookie_is_stored_and_works(service: XSearch, site: "Site") -> None:
    posted(site)
    before = (service.settings.data_dir / "cookies.json").read_text()
    site.xsite.behave(Mode.CT0_ROTATION, Mode.NORMAL)
    assert (await service.search(SAKA)).videos
    assert (await service.search(SAKA)).videos
    await service.turns.settled()
    assert (service.settings.data_dir / "cookies.json").read_text() != before
