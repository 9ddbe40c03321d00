"""The canary, and accounts that X shows nothing without a word: no goal's attempt is spent on them."""

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from found_footy.discovery.sources.x_wire import parse_service_health
from found_footy.xsearch import status_report
from found_footy.xsearch.errors import TransientFailure, XBlocked
from found_footy.xsearch.records import CanaryRecord
from found_footy.xsearch.results.responses import TimelineResponse
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


@pytest.mark.parametrize(
    ("ages", "media", "ok"), [([FRESH], "video", True), ([FRESH], "hologram", False), ([], "video", False)]
)
async def test_the_canary_must_find_a_video(
    make: Make, stand_ins: "StandIns", eventually: "Eventually", ages: list[timedelta], media: str, ok: bool
) -> None:
    answer = stand_ins.page(ages, cursor=None)
    assert answer.body is not None
    changed = answer.body.replace(b'"type": "video"', f'"type": "{media}"'.encode())
    scripted_service = make([TimelineResponse(answer.status, answer.headers, changed)])
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        assert (await service.run_canary()).ok is ok
        assert status_report.health_report(service)["canary"]["ok"] is ok


ON_DOUBT = timedelta(hours=1)  # a canary that is sent only when there is doubt


async def test_an_account_that_is_shown_nothing_is_limited_and_uses_no_attempt(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    nothing = [stand_ins.page(cursor=None)]
    scripted_service = make(*[nothing] * 8, canary_every=ON_DOUBT)
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        with pytest.raises(TransientFailure, match="may show this account nothing"):
            await service.search(SAKA)
        await eventually(lambda: service.canary)
        assert service.canary is not None
        assert service.canary.detail.startswith("blocked: X shows this account no posts")
        with pytest.raises(XBlocked, match="restricted"):
            await service.search(SAKA)
        standing = parse_service_health(status_report.health_report(service))
        assert (standing.healthy, standing.state) == (False, "blocked")
        assert "restricted" in standing.detail
        scripted_service.clock.advance(minutes=11)
        assert parse_service_health(status_report.health_report(service)).healthy is False


async def test_an_empty_answer_of_an_account_that_was_shown_posts_is_nothing_found(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    nothing, something = [stand_ins.page(cursor=None)], [stand_ins.page([FRESH], cursor=None)]
    scripted_service = make(nothing, nothing, something, nothing, nothing, nothing, nothing, canary_every=ON_DOUBT)
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        with pytest.raises(TransientFailure):
            await service.search(SAKA)
        standing = parse_service_health(status_report.health_report(service))
        assert (standing.healthy, standing.state) == (False, "authenticated")
        assert "is unknown" in standing.detail
        await eventually(lambda: service.canary)
        assert status_report.health_report(service)["status"] == "ok"
        assert (await service.search(SAKA)).posts == 0
        scripted_service.clock.advance(minutes=16)
        with pytest.raises(TransientFailure):
            await service.search(SAKA)


async def test_an_account_that_is_shown_nothing_now_and_then_is_asked_more_often(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    nothing, something = [stand_ins.page(cursor=None)], [stand_ins.page([FRESH, OLD])]
    scripted_service = make(nothing, something, nothing, nothing, something, canary_every=ON_DOUBT)
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        assert (await service.search(SAKA)).videos
        assert status_report.health_report(service)["answers"]["doubtful"]
        assert (await service.search(SAKA)).videos


async def test_another_account_does_not_inherit_the_limit_of_the_last_one(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    nothing = [stand_ins.page(cursor=None)]
    scripted_service = make(nothing, nothing, canary_every=ON_DOUBT)
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        assert not (await service.run_canary()).ok
        scripted_service.clock.advance(seconds=1)
        await service.login.import_cookies("auth_token=new; ct0=fresh")
        assert status_report.health_report(service)["status"] == "ok"


async def test_a_canary_that_failed_is_sent_again_sooner(
    make: Make, stand_ins: "StandIns", eventually: "Eventually"
) -> None:
    nothing, something = [stand_ins.page(cursor=None)], [stand_ins.page([FRESH], cursor=None)]
    scripted_service = make(nothing, nothing, nothing, nothing, something, canary_every=ON_DOUBT, pause_blocked=NO_TIME)
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        with pytest.raises(TransientFailure):
            await service.search(SAKA)
        await eventually(lambda: service.canary and service.canary.ok)
        assert status_report.health_report(service)["status"] == "ok"


async def test_the_canary_reports_a_failure_and_respects_a_pause(make: Make, eventually: "Eventually") -> None:
    scripted_service = make([LOGIN])
    async with run_service(scripted_service) as service:
        await wait_for_state(service, eventually, SessionState.AUTHENTICATED)
        for _ in range(2):
            assert (await service.run_canary()).detail.startswith("session_expired")
        assert len(scripted_service.started[0].scripted.opened) == 2


async def test_a_canary_that_cannot_be_recorded_is_followed_by_the_next(
    make: Make,
    stand_ins: "StandIns",
    eventually: "Eventually",
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    scripted_service = make([stand_ins.page([FRESH], cursor=None)], canary_every=timedelta(milliseconds=30))
    truly, full = scripted_service.service.run_canary, [OSError(28, "No space left on device")]

    async def once_full() -> CanaryRecord:
        if full:
            raise full.pop()
        return await truly()

    monkeypatch.setattr(scripted_service.service, "run_canary", once_full)
    async with run_service(scripted_service) as service:
        await eventually(lambda: service.canary)
    assert "the canary could not be sent" in caplog.text


async def test_the_canary_is_sent_periodically(make: Make, stand_ins: "StandIns", eventually: "Eventually") -> None:
    scripted_service = make([stand_ins.page([FRESH], cursor=None)], canary_every=timedelta(milliseconds=30))
    async with run_service(scripted_service) as service:
        await eventually(lambda: service.canary)
        assert service.canary
