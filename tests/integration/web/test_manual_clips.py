"""A clip can be added by those who may, and by no page that they happen to look at."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr
from temporalio.client import Client

from found_footy.archive.moderation.audit_log import AUDIT, AuditLog
from found_footy.audited_clips import AuditedManualClips
from found_footy.discovery.sources.manual import ManualClipResult, ManualClipService
from found_footy.discovery.store import DiscoveryStore
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.messages import PipelinePace, TaskQueues
from found_footy.platform.errors import Unavailable
from found_footy.platform.http.access_tokens import MAX_WRONG_TOKENS
from found_footy.platform.mongo import Database
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from tests.support.patience import PATIENCE_SECONDS
from tests.support.web import matchday
from tests.support.web.page import PageData

POST = "https://x.com/fan/status/2089000000000000001"
HERE, ELSEWHERE = "127.0.0.1", "203.0.113.9"
TOKEN = "open sesame, and close again"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@dataclass(frozen=True)
class ManualAdditions:
    """Adds clips to a goal through the page, with the database and Temporal."""

    deps: WebDeps
    page_data: PageData
    temporal: Client
    fixture_id: int

    @property
    def event_id(self) -> str:
        return f"{self.fixture_id}_40_234_Goal_1"

    async def asks(
        self, json: Any = None, *, event: str = "", came_from: str = HERE, deps: WebDeps | None = None, **request: Any
    ) -> httpx.Response:
        """With the token, unless the request says otherwise."""
        transport = httpx.ASGITransport(create_app(deps or self.deps), client=(came_from, 4711))
        body: dict[str, Any] = {} if "content" in request else {"json": {"url": POST} if json is None else json}
        headers = BEARER | request.pop("headers", {})
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            path = f"/api/v1/goals/{event or self.event_id}/clips"
            return await client.post(path, **body, headers={k: v for k, v in headers.items() if v}, **request)

    async def links(self) -> list[str]:
        row = await self.page_data.database[FixtureCollection.ACTIVE].find_one({"_id": self.fixture_id})
        return [link["url"] for event in (row or {})["events"] for link in event.get("_discovered_videos") or ()]

    async def lines(self) -> list[dict[str, Any]]:
        return await self.page_data.database[AUDIT].find().sort("at", 1).to_list()


@pytest.fixture
async def additions(
    deps: WebDeps, database: Database, page_data: PageData, temporal: Client, queues: TaskQueues
) -> ManualAdditions:
    manual = ManualClipService(DiscoveryStore(database), temporal, PipelinePace(queues=queues))
    clips = AuditedManualClips(manual, AuditLog(database))
    fixture_id = uuid4().int % 10**12
    await page_data.store_fixture(matchday.fixture(fixture_id, events=[matchday.goal(fixture_id)]))
    settings = deps.settings.model_copy(update={"admin_token": SecretStr(TOKEN)})
    return ManualAdditions(replace(deps, add_clip=clips.add, settings=settings), page_data, temporal, fixture_id)


def without_token(deps: WebDeps) -> WebDeps:
    return replace(deps, settings=deps.settings.model_copy(update={"admin_token": None}))


async def test_a_clip_is_recorded_and_its_download_started_once(additions: ManualAdditions) -> None:
    first = await additions.asks()
    assert first.status_code == 202
    reported = first.json()
    assert (reported["event_id"], reported["urls"]) == (additions.event_id, [POST])
    download = additions.temporal.get_workflow_handle(reported["download_id"])
    started = (await download.describe()).run_id
    again = await additions.asks({"url": f"{POST}?s=20"})
    assert (again.status_code, again.json()) == (202, reported)
    assert (await download.describe()).run_id == started
    assert await additions.links() == [POST]
    await download.terminate("the test is over")


REFUSED: list[tuple[str, dict[str, Any], int]] = [
    ("a form, which any page may send", {"content": b'{"url":"x"}', "headers": {"content-type": "text/plain"}}, 415),
    ("no type at all", {"content": b'{"url":"x"}'}, 415),
    ("a page of another site", {"headers": {"origin": "https://evil.example"}}, 403),
    ("a page of nowhere", {"headers": {"origin": "null"}}, 403),
    ("a page of another site, as the browser says", {"headers": {"sec-fetch-site": "cross-site"}}, 403),
    ("another machine without the token", {"came_from": ELSEWHERE, "headers": {"authorization": ""}}, 401),
    ("this machine without the token", {"headers": {"authorization": ""}}, 401),
    ("too much", {"json": {"url": "x" * 5_000}}, 413),
    ("no JSON", {"content": b"{", "headers": {"content-type": "application/json"}}, 422),
    ("no address", {"json": {}}, 422),
    ("an address that is no text", {"json": {"url": ["a"]}}, 422),
    ("more than an address", {"json": {"url": POST, "event": "$where"}}, 422),
    ("an endless address", {"json": {"url": "https://v/" + "x" * 2_000}}, 422),
    ("no web address", {"json": {"url": "file:///etc/passwd.mp4"}}, 400),
    (
        "half a character",
        {"content": b'{"url":"https://v/\\ud83d.mp4"}', "headers": {"content-type": "application/json"}},
        422,
    ),
    ("a page that is no clip", {"json": {"url": "https://example.org/watch"}}, 400),
    ("a goal that is none", {"event": "1_1_1_Goal_1"}, 404),
    ("no goal", {"event": "$where"}, 422),
]


async def test_a_refused_addition_is_a_problem_and_stores_nothing(additions: ManualAdditions) -> None:
    for what, request, status in REFUSED:
        answer = await additions.asks(**request)
        assert answer.status_code == status, (what, answer.text)
        assert answer.headers["content-type"] == "application/problem+json", what
        assert answer.json()["detail"], what
    assert await additions.links() == []


async def test_a_body_of_unknown_length_is_not_read(additions: ManualAdditions) -> None:
    async def drip() -> AsyncIterator[bytes]:
        yield b"{"

    answer = await additions.asks(content=drip(), headers={"content-type": "application/json"})
    assert answer.status_code == 411


async def test_a_caller_with_the_token_may_add_from_anywhere_and_nobody_else(additions: ManualAdditions) -> None:
    for wrong in ("", "Bearer open", f"Basic {TOKEN}", "Bearer öpen sesame, and close again", TOKEN):
        headers = {"authorization": wrong.encode() if wrong else b""}
        for machine in (HERE, ELSEWHERE):
            answer = await additions.asks(came_from=machine, headers=headers)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer"), wrong
    assert await additions.links() == []
    for machine in (HERE, ELSEWHERE):
        answer = await additions.asks(came_from=machine)
        assert answer.status_code == 202
        await additions.temporal.get_workflow_handle(answer.json()["download_id"]).terminate("the test is over")


@pytest.mark.parametrize("sent", ["", f"Bearer {TOKEN}", "Bearer "])
async def test_without_a_token_set_nobody_may_add_by_one_and_the_answer_says_what_to_do(
    additions: ManualAdditions, sent: str
) -> None:
    """Least of all this machine: what a proxy here passes on for strangers looks just like that."""
    for machine in (HERE, "::1", ELSEWHERE):
        answer = await additions.asks(
            came_from=machine, deps=without_token(additions.deps), headers={"authorization": sent}
        )
        assert answer.status_code == 401
        assert "API key" in answer.json()["detail"]
    assert await additions.links() == []
    assert await additions.lines() == []


async def test_a_token_does_not_authorize_other_sites(additions: ManualAdditions) -> None:
    assert (await additions.asks(headers={"origin": "https://evil.example"})).status_code == 403


async def test_a_caller_who_guesses_must_wait_and_the_others_need_not(additions: ManualAdditions) -> None:
    transport = httpx.ASGITransport(create_app(additions.deps), client=(ELSEWHERE, 4711))
    path = f"/api/v1/goals/{additions.event_id}/clips"
    async with httpx.AsyncClient(transport=transport, base_url="http://footy.test") as client:
        for guess in range(MAX_WRONG_TOKENS):
            wrong = {"authorization": f"Bearer {guess}"}
            assert (await client.post(path, json={"url": POST}, headers=wrong)).status_code == 401
        blocked = await client.post(path, json={"url": POST}, headers=BEARER)
        assert blocked.status_code == 429
        assert 0 < int(blocked.headers["retry-after"]) <= 60
        # By whichever way: the figures and the details of health would tell a right guess too.
        assert (await client.get("/metrics", headers=BEARER)).status_code == 429
        assert (await client.get("/readyz", headers=BEARER)).json().keys() == {"status"}
    assert await additions.links() == []


async def test_a_page_of_another_site_locks_nobody_out(additions: ManualAdditions) -> None:
    """What it can have a browser send without asking first: pictures and forms, never a token."""
    transport = httpx.ASGITransport(create_app(additions.deps), client=(ELSEWHERE, 4711))
    path = f"/api/v1/goals/{additions.event_id}/clips"
    foreign = {"origin": "https://evil.example", "sec-fetch-site": "cross-site", "content-type": "text/plain"}
    async with httpx.AsyncClient(transport=transport, base_url="http://footy.test") as client:
        for _ in range(MAX_WRONG_TOKENS):
            assert (await client.post(path, content=b"{}", headers=foreign)).status_code == 403
            assert (await client.get("/metrics", headers=foreign)).status_code == 401
        assert (await client.get("/metrics", headers=BEARER)).status_code == 200


async def test_the_audit_entry_is_written_before_a_clip_is_added(additions: ManualAdditions) -> None:
    seen: list[list[dict[str, Any]]] = []
    answer = await additions.asks(came_from=ELSEWHERE)
    await additions.temporal.get_workflow_handle(answer.json()["download_id"]).terminate("the test is over")
    (line,) = await additions.lines()
    assert (line["what"], line["clips"], line["event_id"]) == ("add-clip", [POST], additions.event_id)
    assert (line["by"], line["state"]) == (f"token, from {ELSEWHERE}", "done")

    class Watching(ManualClipService):
        async def add_clip(self, *_: Any) -> ManualClipResult:
            seen.append(await additions.lines())
            # The nightly sweep finishes what was cut short; this only a person can.
            assert await AuditLog(additions.page_data.database).find_unfinished() == []
            raise Unavailable("Temporal", "out")

    watching = AuditedManualClips(Watching.__new__(Watching), AuditLog(additions.page_data.database))
    refused = await additions.asks({"url": f"{POST}1"}, deps=replace(additions.deps, add_clip=watching.add))
    assert refused.status_code == 503
    assert [line["state"] for line in seen[0]] == ["done", "intended"]
    failed = (await additions.lines())[-1]
    assert (failed["state"], failed["told"]) == ("failed", {"reason": "Temporal: out"})


async def test_no_clip_is_added_to_a_goal_that_is_not_in_play(additions: ManualAdditions) -> None:
    goal = matchday.goal(additions.fixture_id)
    await additions.page_data.store_fixture(
        matchday.fixture(additions.fixture_id, removed_events=[goal | {"_removed": True}])
    )
    removed = await additions.asks()
    assert (removed.status_code, "removed" in removed.json()["detail"]) == (409, True)
    await additions.page_data.store_fixture(
        matchday.fixture(additions.fixture_id, events=[goal], status="FT"), FixtureCollection.COMPLETED
    )
    archived = await additions.asks()
    assert (archived.status_code, "archived" in archived.json()["detail"]) == (409, True)


async def test_a_goal_is_found_under_the_id_it_had(additions: ManualAdditions) -> None:
    moved = matchday.goal(additions.fixture_id) | {"_moved_to": f"{additions.fixture_id}_40_7_Goal_1"}
    given = matchday.goal(additions.fixture_id, player=7)
    await additions.page_data.store_fixture(
        matchday.fixture(additions.fixture_id, events=[given], removed_events=[moved])
    )
    answer = await additions.asks()
    assert (answer.status_code, answer.json()["event_id"]) == (202, given["_event_id"])
    await additions.temporal.get_workflow_handle(answer.json()["download_id"]).terminate("the test is over")


async def test_an_outage_is_reported_as_an_outage(additions: ManualAdditions) -> None:
    async def out(*_: Any) -> ManualClipResult:
        raise Unavailable("Temporal", "the clip was recorded but not fetched")

    answer = await additions.asks(deps=replace(additions.deps, add_clip=out))
    assert (answer.status_code, answer.json()["system"]) == (503, "Temporal")
    nothing: Callable[..., Any] | None = None
    assert (await additions.asks(deps=replace(additions.deps, add_clip=nothing))).status_code == 503


async def test_the_real_server_accepts_a_clip_with_the_token(additions: ManualAdditions) -> None:
    async with serve_app(create_app(additions.deps), additions.deps.settings) as address, httpx.AsyncClient() as client:
        path = f"{address}/api/v1/goals/{additions.event_id}/clips"
        bare = await client.post(path, json={"url": POST}, headers={"origin": address})
        taken = await client.post(path, json={"url": POST}, headers={"origin": address} | BEARER)
        read = await client.get(path)
    assert (bare.status_code, taken.status_code, read.status_code) == (401, 202, 405)
    await additions.temporal.get_workflow_handle(taken.json()["download_id"]).terminate("the test is over")


async def test_an_unauthorized_caller_is_refused_before_the_body_is_sent(additions: ManualAdditions) -> None:
    """The answer comes, and the connection ends, though not a byte of the body was sent."""
    async with serve_app(create_app(additions.deps), additions.deps.settings) as address:
        host, port = address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"POST /api/v1/goals/{additions.event_id}/clips HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "Content-Length: 4000\r\n\r\n".encode()
        )
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer = await reader.read()
        writer.close()
    assert answer.startswith(b"HTTP/1.1 401 ")
