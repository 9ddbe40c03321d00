"""The operator's page of errors over a real database: what it lists, who may see it, what its forms do."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import link_field_name
from found_footy.platform.errors import Conflict, Unavailable
from found_footy.platform.http.session_tokens import compute_csrf_token
from found_footy.platform.temporal.failures import FailedWorkflow
from found_footy.web.deps import WebDeps
from found_footy.web.operator_deps import OperatorDeps
from found_footy.web.session_cookies import USER_COOKIE
from tests.support.access.accounts import open_admin_session
from tests.support.web import matchday
from tests.support.web.matchday import NOW
from tests.support.web.page import PageData, open_client

FORM = {"content-type": "application/x-www-form-urlencoded"}
LINK = "https://x.com/fan/status/1?a=<script>"
GOAL = "5000_40_234_Goal_1"


class RecordedWorkflows:
    """Failed workflows as Temporal would list them; `restarted` are those that were run again."""

    def __init__(self) -> None:
        self.restarted: list[str] = []
        self.failure: Exception | None = None

    async def list_failed(self, since: datetime, limit: int) -> list[FailedWorkflow]:
        if self.failure:
            raise self.failure
        return [FailedWorkflow("upload-1", "run-1", "UploadWorkflow", "failed", "the disk is full", NOW)]

    async def restart(self, workflow_id: str, run_id: str, reason: str) -> str:
        if self.restarted:
            raise Conflict("the workflow has run again since")
        self.restarted.append(f"{workflow_id} {run_id}")
        return "run-2"


@pytest.fixture
def workflows() -> RecordedWorkflows:
    return RecordedWorkflows()


@pytest.fixture
async def operator(deps: WebDeps, workflows: RecordedWorkflows) -> AsyncIterator[httpx.AsyncClient]:
    """A client that is signed in."""
    known = OperatorDeps(workflows.list_failed, workflows.restart)
    async with open_client(replace(deps, operator=known)) as client:
        client.cookies.set(USER_COOKIE, await open_admin_session(deps))
        yield client


async def post(client: httpx.AsyncClient, path: str, **fields: str) -> httpx.Response:
    return await client.post(path, data=fields, headers=FORM)


async def act(client: httpx.AsyncClient, word: str, key: str) -> httpx.Response:
    csrf = compute_csrf_token(client.cookies[USER_COOKIE])
    return await post(client, f"/operator/errors/{word}", csrf_token=csrf, key=key)


async def store_failed_clip(page_data: PageData, **changes: Any) -> str:
    """A goal one of whose links could not be checked, twice; returns the key of the error."""
    note = {"url": LINK, "outcome": "vision_unavailable", "reason": "the reader is <b>down</b>", "retry": "always"}
    attempts = {
        f"download{number}": {
            "attempt": number,
            "searched_at": NOW - timedelta(minutes=10 - number),
            "links": [LINK],
            "clips": {link_field_name(LINK): note | changes},
        }
        for number in (1, 2)
    }
    goal = matchday.goal(_telemetry={"attempts": attempts}, _discovered_videos=[{"url": LINK, "taken": True}])
    await page_data.store_fixture(matchday.fixture(events=[goal]))
    return f"clip:{GOAL}:{link_field_name(LINK)}"


async def test_without_signing_in_nothing_is_shown_or_done(operator: httpx.AsyncClient, page_data: PageData) -> None:
    key = await store_failed_clip(page_data)
    csrf = compute_csrf_token(operator.cookies[USER_COOKIE])
    for word in ("retry", "dismiss"):
        answer = await post(operator, f"/operator/errors/{word}", csrf_token="0", key=key)
        assert answer.status_code == 403
    operator.cookies.clear()
    shown = await operator.get("/operator/errors", headers={"accept": "text/html"})
    assert (shown.status_code, shown.headers["location"]) == (303, "/sign-in?next=%2Foperator%2Ferrors")
    for word in ("retry", "dismiss"):
        answer = await post(operator, f"/operator/errors/{word}", csrf_token=csrf, key=key)
        assert answer.status_code == 401
    stored = await page_data.database[FixtureCollection.ACTIVE].find_one({"_id": 5000})
    assert stored is not None
    assert "_open_links" not in stored["events"][0]


async def test_each_failure_is_listed_with_its_cause_and_tries(
    operator: httpx.AsyncClient, page_data: PageData
) -> None:
    await store_failed_clip(page_data)
    text = (await operator.get("/operator/errors")).text
    assert "Florian Wirtz 23&#39;, Liverpool – Arsenal: x.com" in text
    assert "Not checked yet: the reader is &lt;b&gt;down&lt;/b&gt;" in text
    assert "2 tries" in text
    assert "UploadWorkflow upload-1" in text
    assert "the disk is full" in text


async def test_a_clip_is_tried_again_once_and_leaves_the_list(operator: httpx.AsyncClient, page_data: PageData) -> None:
    key = await store_failed_clip(page_data)
    assert (await act(operator, "retry", key)).status_code == 303
    stored = await page_data.database[FixtureCollection.ACTIVE].find_one({"_id": 5000})
    assert stored is not None
    assert stored["events"][0]["_open_links"] == [LINK]
    assert stored["events"][0]["_retry_at"] == NOW
    assert "Wirtz" not in (await operator.get("/operator/errors")).text
    assert (await act(operator, "retry", key)).status_code == 404
    audit = await page_data.database["audit"].find({"what": "retry"}).to_list()
    assert [(row["what"], row["clips"], row["state"]) for row in audit] == [("retry", [key], "done")]


async def test_what_is_dismissed_comes_back_with_the_next_failure(
    operator: httpx.AsyncClient, page_data: PageData
) -> None:
    key = await store_failed_clip(page_data)
    assert (await act(operator, "dismiss", key)).status_code == 303
    assert "Wirtz" not in (await operator.get("/operator/errors")).text
    newest = "events.0._telemetry.attempts.download2.searched_at"
    await page_data.database[FixtureCollection.ACTIVE].update_one({"_id": 5000}, {"$set": {newest: NOW}})
    assert "Wirtz" in (await operator.get("/operator/errors")).text


async def test_a_file_at_fault_is_not_tried_again_by_hand(operator: httpx.AsyncClient, page_data: PageData) -> None:
    key = await store_failed_clip(page_data, outcome="download_failed", retry="few")
    assert (await act(operator, "retry", key)).status_code == 409


async def test_a_workflow_is_run_again(operator: httpx.AsyncClient, workflows: RecordedWorkflows) -> None:
    assert (await act(operator, "retry", "workflow:upload-1")).status_code == 303
    assert workflows.restarted == ["upload-1 run-1"]


async def test_a_workflow_that_runs_again_already_is_left_alone(
    operator: httpx.AsyncClient, workflows: RecordedWorkflows, page_data: PageData
) -> None:
    workflows.restarted.append("by somebody else")
    assert (await act(operator, "retry", "workflow:upload-1")).status_code == 409
    (row,) = await page_data.database["audit"].find({"what": "retry"}).to_list()
    assert row["state"] == "failed"
    assert "UploadWorkflow" in (await operator.get("/operator/errors")).text


async def test_a_message_is_sent_again(operator: httpx.AsyncClient, page_data: PageData) -> None:
    facts = {"home": "Liverpool", "away": "Arsenal", "minute": "23'", "player": "Wirtz", "event_id": GOAL}
    entry = {
        "_id": f"friends:{GOAL}",
        "channel": "friends",
        "goal": GOAL,
        "facts": facts,
        "created_at": NOW,
        "wanted_at": NOW,
        "wanted": ["a"],
        "failed": ["a"],
        "failure": "status 404",
        "open": False,
    }
    await page_data.database["notify_outbox"].insert_one(entry)
    assert "status 404" in (await operator.get("/operator/errors")).text
    assert (await act(operator, "retry", f"message:friends:{GOAL}")).status_code == 303
    stored = await page_data.database["notify_outbox"].find_one({})
    assert stored is not None
    assert (stored["open"], stored["failed"]) == (True, [])
    assert "status 404" not in (await operator.get("/operator/errors")).text


async def test_the_page_says_which_system_could_not_be_asked(
    operator: httpx.AsyncClient, workflows: RecordedWorkflows
) -> None:
    workflows.failure = Unavailable("Temporal", "no connection")
    text = (await operator.get("/operator/errors")).text
    assert "Not everything is known: Temporal: no connection" in text
    assert "Nothing else failed" in text
