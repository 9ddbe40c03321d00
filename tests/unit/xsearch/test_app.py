"""The service on the wire."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.xsearch.app import create_app
from found_footy.xsearch.browser.base import SearchBrowser
from found_footy.xsearch.browser.chromium import resolver_rules
from found_footy.xsearch.errors import (
    SearchFailed,
    TransientFailure,
    XAccountLocked,
    XBlocked,
    XProtocolDrift,
    XRateLimited,
    XSessionExpired,
)
from found_footy.xsearch.records import SearchRecord
from found_footy.xsearch.results.search_results import SearchResults, StopReason
from found_footy.xsearch.service import SearchParameters, XSearchService
from found_footy.xsearch.session.budget_ledger import BudgetLedger
from found_footy.xsearch.session.cookie_file import CookieFile
from found_footy.xsearch.session.state import SessionState
from found_footy.xsearch.settings import XSearchSettings

if TYPE_CHECKING:
    from tests.conftest import Eventually
    from tests.support.xsearch.stand_in_browser import StandIns

SESSION_ROWS = [{"name": name, "value": "new-secret", "domain": ".x.com"} for name in ("auth_token", "ct0")]
COOKIES = "auth_token=new-secret; ct0=fresh-secret"


def service_in(stand_ins: "StandIns", folder: Path, **settings: Any) -> XSearchService:
    chosen = XSearchSettings(data_dir=folder, canary_every=timedelta(0), **settings)

    async def launch() -> SearchBrowser:
        return stand_ins.browser(stand_ins.tab())

    ledger = BudgetLedger(folder / "budget.json", 40, timedelta(minutes=15), lambda: stand_ins.now)
    cookie_file = CookieFile(folder / "cookies.json", chosen.site)
    return XSearchService(chosen, launch, ledger, cookie_file, clock=lambda: stand_ins.now)


def client_of(service: XSearchService, host: str = "127.0.0.1", name: str = "localhost") -> httpx.AsyncClient:
    """A client at `host` that knows the service under `name`."""
    transport = httpx.ASGITransport(create_app(service), client=(host, 5000))
    return httpx.AsyncClient(transport=transport, base_url=f"http://{name}:8888")


@pytest.fixture
async def service(stand_ins: "StandIns", tmp_path: Path, eventually: "Eventually") -> AsyncIterator[XSearchService]:
    service = service_in(stand_ins, tmp_path)
    await service.start()
    await eventually(lambda: service.account.state is SessionState.AUTHENTICATED)
    yield service
    await service.stop()


@pytest.fixture
async def client(service: XSearchService) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(service) as client:
        yield client


def answering(
    service: XSearchService, answer: SearchResults | SearchFailed, monkeypatch: pytest.MonkeyPatch
) -> list[SearchParameters]:
    asked: list[SearchParameters] = []

    async def search(what: SearchParameters, _: object) -> SearchResults:
        asked.append(what)
        if isinstance(answer, SearchFailed):
            raise answer
        return answer

    monkeypatch.setattr(service, "search", search)
    return asked


async def test_a_search_answers_with_the_videos_it_found(
    service: XSearchService, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = ClipCandidate(
        "https://x.com/fan/status/2070000000000000111",
        "2070000000000000111",
        "fan",
        datetime(2026, 11, 15, 14, 58, tzinfo=UTC),
        17.2,
        "Saka!",
        (VideoVariant("https://v/1.mp4", 9, 1280, 720),),
    )
    asked = answering(service, SearchResults((video,), 1, 20, stop=StopReason.OLDER), monkeypatch)
    body = {
        "query": " Saka Arsenal ",
        "max_age_minutes": 3,
        "limit": 5,
        "exclude": ["https://x.com/a/status/2070000000000000999", "2070000000000000888", "rubbish"],
    }
    answer = await client.post("/search", json=body)
    assert answer.json() == {
        "videos": [
            {
                "url": "https://x.com/fan/status/2070000000000000111",
                "tweet_id": "2070000000000000111",
                "author": "fan",
                "posted_at": "2026-11-15T14:58:00+00:00",
                "duration_seconds": 17.2,
                "text": "Saka!",
                "variants": [{"url": "https://v/1.mp4", "bitrate": 9, "width": 1280, "height": 720}],
            }
        ],
        "incomplete": False,
        "stop": "older",
        "pages": 1,
        "posts": 20,
        "rejected_ids": 0,
    }
    known = frozenset({"2070000000000000999/1", "2070000000000000888"})
    assert asked == [SearchParameters("Saka Arsenal", timedelta(minutes=3), 5, known)]


async def test_how_far_back_to_search_may_be_a_time(
    service: XSearchService, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(service, SearchResults(stop=StopReason.END), monkeypatch)
    await client.post("/search", json={"query": "Saka", "since": "2026-11-15T15:39:00+01:00"})
    assert asked == [
        SearchParameters("Saka", timedelta(minutes=3), 30, since=datetime(2026, 11, 15, 14, 39, tzinfo=UTC))
    ]


@pytest.mark.parametrize(
    ("since", "minutes"),
    [(None, 3), (timedelta(minutes=20), 20), (timedelta(minutes=1), 3), (timedelta(days=90), 7 * 1440)],
)
def test_a_time_is_relative_to_when_the_search_is_made(
    stand_ins: "StandIns", since: timedelta | None, minutes: int
) -> None:
    asked = SearchParameters("Saka", timedelta(minutes=3), 30, since=stand_ins.now - since if since else None)
    assert asked.cutoff(stand_ins.now) == stand_ins.now - timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (XSessionExpired("log in"), 503, "session_expired"),
        (XAccountLocked("unlock"), 503, "account_locked"),
        (XRateLimited("wait"), 429, "rate_limited"),
        (XProtocolDrift("new shape"), 503, "protocol_drift"),
        (XBlocked("kept out"), 503, "blocked"),
        (TransientFailure("stumbled"), 503, "transient"),
    ],
)
async def test_every_failure_has_its_name_in_the_answer(
    service: XSearchService,
    client: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    failure: SearchFailed,
    status: int,
    code: str,
) -> None:
    answering(service, failure, monkeypatch)
    answer = await client.post("/search", json={"query": "Saka"})
    assert (answer.status_code, answer.json()["error"]) == (status, code)
    assert answer.json()["detail"] == failure.message


async def test_a_failure_says_when_to_retry(
    service: XSearchService, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, stand_ins: "StandIns"
) -> None:
    answering(service, XRateLimited("wait", stand_ins.now + timedelta(seconds=90)), monkeypatch)
    answer = await client.post("/search", json={"query": "Saka"})
    assert (answer.json()["retry_after"], answer.headers["retry-after"]) == (90.0, "91")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": "   "},
        {"query": "x" * 501},
        {"query": "a", "max_age_minutes": 0},
        {"query": "a", "limit": 0},
        {"query": "a", "since": "2026-11-15T15:39:00"},
        {"query": "a", "since": "yesterday"},
        {"query": "a", "limit": 1000},
        {"query": "a", "exclude": ["x"] * 5001},
    ],
)
async def test_a_malformed_request_is_refused(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    assert (await client.post("/search", json=body)).status_code == 422


async def test_health_reports_everything_that_a_pool_needs(client: httpx.AsyncClient) -> None:
    health = (await client.get("/health")).json()
    assert (health["status"], health["session"]["state"], health["browser"]["state"]) == (
        "ok",
        "authenticated",
        "running",
    )
    assert (health["budget"]["left"], health["budget"]["limit"]) == (40, 40)
    assert health["queue"] == {"searching": False, "waiting": 0, "next_turn_seconds": 0.0, "draining": False}
    assert {"canary", "last_success", "version", "commit"} <= set(health)


async def test_figures_are_current_when_they_are_read(client: httpx.AsyncClient) -> None:
    text = (await client.get("/metrics")).text
    assert "found_footy_xsearch_budget_left 40.0" in text
    assert 'found_footy_xsearch_session{state="authenticated"} 1.0' in text


@pytest.mark.parametrize(
    "body",
    [
        {"text": COOKIES},
        SESSION_ROWS,
        {"cookies": SESSION_ROWS, "origins": []},
    ],
    ids=["text", "list", "storage state"],
)
async def test_cookies_are_imported_and_the_session_tried(client: httpx.AsyncClient, body: Any) -> None:
    answer = await client.post("/session", json=body)
    assert (answer.status_code, answer.json()["state"]) == (200, "authenticated")
    assert "secret" not in answer.text
    assert "secret" not in (await client.get("/page")).text + (await client.get("/session")).text


@pytest.mark.parametrize("body", [{"text": "lang=en"}, {}, [], 5, {"text": "auth_token=secret; lang=en"}])
async def test_cookies_without_a_session_are_refused_without_quoting_them(client: httpx.AsyncClient, body: Any) -> None:
    answer = await client.post("/session", json=body)
    assert (answer.status_code, answer.json()["error"]) == (422, "bad_input")
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("kind", "content", "status"),
    [
        ("text/plain", b'{"text": "a=b"}', 415),
        ("application/json", b"{", 422),
        ("application/json", b'"' + b"x" * 1_000_001 + b'"', 413),
    ],
)
async def test_what_is_not_json_or_too_large_is_refused(
    client: httpx.AsyncClient, kind: str, content: bytes, status: int
) -> None:
    answer = await client.post("/session", content=content, headers={"content-type": kind})
    assert answer.status_code == status


async def test_a_foreign_page_cannot_change_the_session(client: httpx.AsyncClient) -> None:
    for origin, status in (("https://evil.example", 403), ("null", 403), ("http://localhost:8888", 200)):
        answer = await client.post("/session", json={"text": COOKIES}, headers={"origin": origin})
        assert answer.status_code == status


async def test_logging_in_by_hand_without_a_screen_is_refused_with_the_reason(client: httpx.AsyncClient) -> None:
    answer = await client.post("/session/login")
    assert answer.status_code == 409
    assert "screen" in answer.json()["detail"]


async def test_the_page_shows_state_and_searches_and_escapes_what_was_searched(
    service: XSearchService, client: httpx.AsyncClient, stand_ins: "StandIns"
) -> None:
    service.history.appendleft(SearchRecord(stand_ins.now, "<script>alert(1)</script>", "session_expired", "log in"))
    assert (await client.get("/")).headers["content-security-policy"].startswith("default-src 'self'")
    answer = await client.get("/page")
    assert "&lt;script&gt;alert(1)" in answer.text
    assert "<script>alert" not in answer.text
    assert "session expired" in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    for name, status in (("page.css", 200), ("page.js", 200), ("page.html", 404), ("..%2Fapp.py", 404)):
        assert (await client.get(f"/assets/{name}")).status_code == status


def test_the_browser_may_reach_the_site_and_no_other_host() -> None:
    rules = resolver_rules("https://x.com", ("*.twimg.com", "challenges.cloudflare.com"))
    assert rules == (
        "MAP * ~NOTFOUND , EXCLUDE x.com , EXCLUDE *.twimg.com , EXCLUDE challenges.cloudflare.com , EXCLUDE twimg.com"
    )
