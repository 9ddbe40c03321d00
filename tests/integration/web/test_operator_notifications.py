"""The operator's page of notifications: channels and their rules, the real error of a test, browsers that subscribe."""

import base64
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta

import httpx
import pytest

from found_footy.notify.errors import MessageRejected
from found_footy.notify.moments import Moment
from found_footy.notify.push_store import PushSubscriptionStore, channel_name
from found_footy.notify.rules import NotifyRule
from found_footy.platform.http.session_tokens import compute_csrf_token
from found_footy.platform.temporal.failures import FailedWorkflow
from found_footy.web.deps import WebDeps
from found_footy.web.operator_deps import NotificationsPageDeps, OperatorDeps
from found_footy.web.session_cookies import USER_COOKIE
from tests.support.access.accounts import open_admin_session
from tests.support.web.matchday import NOW
from tests.support.web.page import PageData, open_client

PAGE = "/operator/notifications"
ENDPOINT = "https://push.example/subscription-secret"
KEYS = {
    "endpoint": ENDPOINT,
    "p256dh": base64.urlsafe_b64encode(b"\x04" * 65).decode(),
    "auth": base64.urlsafe_b64encode(b"a" * 16).decode(),
}
RULES = (NotifyRule(channels=("fans",), teams=("Arsenal", 47), moments=(Moment.CONFIRMED,)),)


async def no_workflows(since: datetime, limit: int) -> list[FailedWorkflow]:
    return []


async def no_restart(workflow_id: str, run_id: str, reason: str) -> str:
    return ""


async def send_test(name: str) -> None:
    if name != "fans":
        raise MessageRejected("telegram", "status 400: chat not found <b>")


def build_operator(push_key: str = "BPublicKey") -> OperatorDeps:
    channels = {"fans": "discord", "phone": "telegram"}
    return OperatorDeps(no_workflows, no_restart, NotificationsPageDeps(channels, RULES, push_key, send_test))


@pytest.fixture
def signed_deps(deps: WebDeps) -> WebDeps:
    return replace(deps, operator=build_operator())


@pytest.fixture
async def operator(signed_deps: WebDeps) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(signed_deps) as client:
        client.cookies.set(USER_COOKIE, await open_admin_session(signed_deps))
        yield client


async def act(client: httpx.AsyncClient, word: str, **fields: str) -> httpx.Response:
    csrf = compute_csrf_token(client.cookies[USER_COOKIE])
    return await client.post(f"{PAGE}/{word}", data={"csrf_token": csrf, **fields})


async def test_without_signing_in_nothing_is_shown_or_done(operator: httpx.AsyncClient, page_data: PageData) -> None:
    for word in ("test", "subscribe", "unsubscribe"):
        assert (await operator.post(f"{PAGE}/{word}", data={"csrf_token": "0", **KEYS})).status_code == 403
    operator.cookies.clear()
    shown = await operator.get(PAGE)
    assert (shown.status_code, "fans" in shown.text) == (401, False)
    for word in ("test", "subscribe", "unsubscribe"):
        assert (await operator.post(f"{PAGE}/{word}", data=KEYS)).status_code == 401
    assert await PushSubscriptionStore(page_data.database).list_all() == []


async def test_channels_are_shown_with_what_they_are_told(operator: httpx.AsyncClient) -> None:
    text = (await operator.get(PAGE)).text
    assert "Arsenal, 47: goal confirmed" in text
    assert "no rule names it, so it is told nothing" in text


async def test_a_test_shows_the_channels_own_error(operator: httpx.AsyncClient) -> None:
    assert "fans: the test message was sent." in (await act(operator, "test", channel="fans")).text
    failed = await act(operator, "test", channel="phone")
    assert "phone: telegram: status 400: chat not found &lt;b&gt;" in failed.text


async def test_a_browser_subscribes_changes_its_rule_and_is_removed(
    operator: httpx.AsyncClient, page_data: PageData
) -> None:
    store, chosen = PushSubscriptionStore(page_data.database), {"teams": "Arsenal, 47", "moments": "confirmed"}
    agent = {"user-agent": "Mozilla/5.0 (Android 15; Mobile) Firefox/140.0"}
    operator.headers.update(agent)
    shown = await act(operator, "subscribe", **KEYS, **chosen)
    assert "Firefox on Android" in shown.text
    (row,) = await store.list_all()
    assert (row["_id"], row["rule"]["teams"]) == (channel_name(ENDPOINT), ["Arsenal", 47])
    assert row["rule"]["moments"] == ["confirmed"]
    assert "Firefox" not in (await act(operator, "unsubscribe", channel=row["_id"])).text
    assert await store.list_all() == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"endpoint": "javascript:alert(1)"}, "Not subscribed"),
        ({"endpoint": ""}, "Not subscribed"),
        ({"auth": "AAAA"}, "the key auth of the browser has another size"),
        ({"p256dh": "***"}, "is not base64url"),
        ({"moments": "kickoff"}, "Not subscribed"),
        ({"teams": ",".join("abcdefghijklmnopqrstuvwxyz")}, "at most 20 names"),
        ({"players": "\u202e"}, "neither an id nor a name"),
    ],
)
async def test_what_no_browser_gives_is_refused(
    operator: httpx.AsyncClient, page_data: PageData, changes: dict[str, str], said: str
) -> None:
    answer = await act(operator, "subscribe", **(KEYS | changes))
    assert said in answer.text
    assert await PushSubscriptionStore(page_data.database).list_all() == []


async def test_without_a_key_no_browser_can_subscribe(signed_deps: WebDeps) -> None:
    async with open_client(replace(signed_deps, operator=build_operator(push_key=""))) as client:
        client.cookies.set(USER_COOKIE, await open_admin_session(signed_deps))
        assert "FOOTY_NOTIFY__PUSH_KEY" in (await client.get(PAGE)).text
        assert (await act(client, "subscribe", **KEYS)).status_code == 404


async def test_a_channel_says_what_became_of_its_last_message(operator: httpx.AsyncClient, page_data: PageData) -> None:
    rows = [
        {
            "_id": "fans:1",
            "channel": "fans",
            "wanted_at": NOW,
            "failure": "status 404 <b>",
            "open": True,
        },
        {"_id": "fans:0", "channel": "fans", "wanted_at": NOW - timedelta(hours=1), "failure": None, "open": False},
        {"_id": "phone:1", "channel": "phone", "wanted_at": NOW, "open": False},
    ]
    assert "Last message" not in (await operator.get(PAGE)).text
    await page_data.database["notify_outbox"].insert_many(rows)
    text = (await operator.get(PAGE)).text
    assert re.findall(r"Last message: ([^<]*)<", text) == ["status 404 &lt;b&gt;", "sent"]
