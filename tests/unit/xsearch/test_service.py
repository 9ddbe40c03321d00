"""The service around a stand-in browser: sessions, budget, pauses, canary, restarts."""

import asyncio
from collections.abc import Awaitable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from found_footy.platform.errors import BadInput, Conflict
from found_footy.xsearch import status_report
from found_footy.xsearch.browser.supervisor import BrowserState
from found_footy.xsearch.errors import TransientFailure, XAccountLocked, XBlocked, XRateLimited, XSessionExpired
from found_footy.xsearch.results.responses import PageSnapshot, TimelineResponse
from found_footy.xsearch.search_run import NavigationEvent
from found_footy.xsearch.service import SearchParameters
from found_footy.xsearch.session.state import SessionState
from tests.support.xsearch.scripted_service import NO_TIME, Make, run_service, wait_for_state

if TYPE_CHECKING:
    from tests.conftest import Eventually
    from tests.support.xsearch.stand_in_browser import StandIns

FRESH, OLD = timedelta(minutes=1), timedelta(minutes=30)
SAKA = SearchParameters("Saka", timedelta(minutes=3), 20)
LOGIN = NavigationEvent("https://x.com/i/flow/login")


async def test_a_stored_login_is_tried_at_the_start_without_using_a_call(make: Make, eventually: "Eventually") -> None:
    scripted_service = make()
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        assert scripted_service.started[0].scripted.opened == ["https://x.com/home"]
        assert service.account.budget_ledger.left() == 40


async def test_without_any_login_the_site_is_not_called(make: Make, eventually: "Eventually") -> None:
    scripted_service = make()
    scripted_service.browsers[0].jar = ()
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.EXPIRED)
        with pytest.raises(XSessionExpired, match="nobody"):
            await service.search(SAKA)
        assert scripted_service.started[0].scripted.opened == []


async def test_a_search_gives_videos_and_leaves_the_site_afterwards(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    scripted_service = make([stand_ins.page([FRESH, OLD])])
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        rested = scripted_service.started[0].rested
        assert len((await service.search(SAKA)).videos) == 1
        await eventually(lambda: scripted_service.started[0].rested == rested + 1)
        assert (service.history[0].outcome, service.last_success) == ("ok", stand_ins.now)


async def test_an_expired_session_is_remembered_and_the_cookie_file_kept(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    scripted_service = make([LOGIN], [stand_ins.page([FRESH, OLD])])
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        scripted_service.started[0].jar = ()
        for _ in range(2):
            with pytest.raises(XSessionExpired):
                await service.search(SAKA)
        assert len(scripted_service.started[0].scripted.opened) == 2
        assert scripted_service.file.load() == stand_ins.session
        scripted_service.clock.advance(minutes=6)
        assert (await service.search(SearchParameters("Saka", timedelta(minutes=10), 20))).videos


async def test_new_cookies_replace_the_old_and_end_the_pause(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    scripted_service = make([XAccountLocked("x")], [stand_ins.page([FRESH, OLD])])
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        with pytest.raises(XAccountLocked):
            await service.search(SAKA)
        assert service.account.state is SessionState.LOCKED
        assert await service.login.import_cookies("auth_token=new; ct0=fresh") is SessionState.AUTHENTICATED
        assert {cookie.value for cookie in scripted_service.started[0].jar} == {"new", "fresh"}
        assert {cookie.value for cookie in scripted_service.file.load()} == {"new", "fresh"}
        assert (await service.search(SAKA)).videos


async def test_useless_cookies_change_nothing(make: Make, stand_ins: "StandIns", eventually: "Eventually") -> None:
    scripted_service = make()
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        with pytest.raises(BadInput):
            await service.login.import_cookies("lang=en")
        assert scripted_service.file.load() == stand_ins.session
        assert service.account.state is SessionState.AUTHENTICATED


async def test_the_rate_limit_of_the_site_pauses_the_budget_until_its_reset(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    until = stand_ins.now + timedelta(minutes=9)
    scripted_service = make([TimelineResponse(429, {"x-rate-limit-reset": str(int(until.timestamp()))}, b"")])
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        for _ in range(2):
            with pytest.raises(XRateLimited) as limited:
                await service.search(SAKA)
            assert limited.value.until == until
        assert (service.account.state, service.account.budget_ledger.left()) == (SessionState.RATE_LIMITED, 0)
        scripted_service.clock.advance(minutes=9)
        assert (service.account.state, service.account.budget_ledger.left()) == (SessionState.UNKNOWN, 40)


async def test_a_search_without_budget_is_refused_before_the_browser_is_used(
    make: Make, eventually: "Eventually"
) -> None:
    scripted_service = make(requests_per_window=1)
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        assert service.account.budget_ledger.try_spend()
        with pytest.raises(XRateLimited) as limited:
            await service.search(SAKA)
        assert limited.value.until == scripted_service.clock.now + timedelta(minutes=15)
        assert len(scripted_service.started[0].scripted.opened) == 1


async def test_the_third_empty_page_in_a_row_means_a_blocked_account(make: Make, eventually: "Eventually") -> None:
    scripted_service = make([None], [None], [None])
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        scripted_service.started[0].scripted.seen = PageSnapshot("https://x.com/search")
        for failure in (TransientFailure, TransientFailure, XBlocked):
            with pytest.raises(failure):
                await service.search(SAKA)
        assert status_report.health_report(service)["session"]["problem"] == "blocked"


async def test_a_partial_result_after_a_rate_limit_still_pauses_the_budget(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    scripted_service = make([stand_ins.page([FRESH]), TimelineResponse(429, {}, b"")])
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        harvest = await service.search(SAKA)
        assert (len(harvest.videos), harvest.is_incomplete) == (1, True)
        with pytest.raises(XRateLimited):
            await service.search(SAKA)
        assert service.history[0].outcome == "incomplete"


async def test_a_cancelled_search_uses_no_call(make: Make, eventually: "Eventually") -> None:
    async def gone() -> bool:
        return False

    scripted_service = make()
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        with pytest.raises(TransientFailure, match="disconnected"):
            await service.search(SAKA, gone)
        assert len(scripted_service.started[0].scripted.opened) == 1


async def test_a_lost_browser_is_started_again_with_its_cookies(
    make: Make, stand_ins: "StandIns", eventually: "Eventually", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("found_footy.xsearch.browser.supervisor._FIRST_RESTART_DELAY", 0.01)
    scripted_service = make()
    scripted_service.browsers.append(stand_ins.browser(stand_ins.tab([[stand_ins.page([FRESH, OLD])]]), jar=()))
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        scripted_service.started[0].lost.set()
        await eventually(
            lambda: len(scripted_service.started) == 2 and service.supervisor.state is BrowserState.RUNNING
        )
        assert scripted_service.started[0].closed
        assert scripted_service.started[1].jar == stand_ins.session
        assert (await service.search(SAKA)).videos
        assert status_report.health_report(service)["browser"]["restarts"] == 1


async def test_a_search_with_a_temporary_failure_probes_the_browser(
    make: Make, stand_ins: "StandIns", eventually: "Eventually", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("found_footy.xsearch.browser.supervisor._FIRST_RESTART_DELAY", 0.01)
    scripted_service = make([TransientFailure("the page did not open")], browser_check=timedelta(hours=1))
    scripted_service.browsers.append(stand_ins.browser(stand_ins.tab([[stand_ins.page([FRESH, OLD])]])))
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        scripted_service.started[0].answers = [TransientFailure("no answer")] * 2
        with pytest.raises(TransientFailure):
            await service.search(SAKA)
        await eventually(lambda: len(scripted_service.started) == 2)
        assert (await service.search(SAKA)).videos


async def test_a_browser_that_does_not_start_is_reported_and_tried_again(
    make: Make, stand_ins: "StandIns", eventually: "Eventually", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("found_footy.xsearch.browser.supervisor._FIRST_RESTART_DELAY", 0.01)
    scripted_service = make(page_timeout=NO_TIME)
    waiting, scripted_service.browsers = scripted_service.browsers, []
    async with run_service(scripted_service) as service:
        await eventually(lambda: service.supervisor.state is BrowserState.FAILED)
        with pytest.raises(TransientFailure, match="no such file"):
            await service.search(SAKA)
        assert status_report.health_report(service)["status"] == "degraded"
        scripted_service.browsers = waiting
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)


async def test_logging_in_at_the_screen_is_noticed(make: Make, stand_ins: "StandIns", eventually: "Eventually") -> None:
    scripted_service = make(headless=False)
    scripted_service.browsers[0].jar = ()
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.EXPIRED)
        await service.login.show_login_page()
        assert scripted_service.started[0].login_shown
        scripted_service.started[0].jar = stand_ins.session
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        await eventually(lambda: not scripted_service.started[0].login_shown)
        assert scripted_service.file.load() == stand_ins.session


async def test_a_browser_without_a_screen_cannot_be_logged_in_at(make: Make) -> None:
    async with run_service(make()) as service:
        with pytest.raises(Conflict):
            await service.login.show_login_page()


async def test_a_broken_cookie_file_does_not_keep_the_service_from_starting(
    make: Make, eventually: "Eventually"
) -> None:
    scripted_service = make()
    scripted_service.browsers[0].jar = ()
    (scripted_service.settings.data_dir / "cookies.json").write_text("{")
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.EXPIRED)
        assert await service.login.import_cookies("auth_token=new; ct0=fresh") is SessionState.AUTHENTICATED


async def test_stopping_lets_the_search_under_way_finish(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    scripted_service = make([stand_ins.page([FRESH, OLD])])
    await scripted_service.service.start()
    await wait_for_state(scripted_service.service, eventually, SessionState.AUTHENTICATED)
    go_on = scripted_service.started[0].scripted.hold = asyncio.Event()
    search: Awaitable[Any] = asyncio.create_task(scripted_service.service.search(SAKA))
    await eventually(lambda: scripted_service.service.throttle.is_busy)
    scripted_service.service.drain()
    with pytest.raises(TransientFailure, match="stopping"):
        await scripted_service.service.search(SAKA)
    go_on.set()
    assert (await search).videos
    await scripted_service.service.stop()
    assert scripted_service.started[0].closed
