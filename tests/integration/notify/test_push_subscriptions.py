"""Browsers that subscribed on the page, on MongoDB and with a real push service: told by their own rules, removed when
they are gone.
"""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import SecretStr
from starlette.responses import Response

from found_footy.domain.collections import FixtureCollection
from found_footy.domain.notify_documents import PushSubscriptionDocument
from found_footy.notify import push_store
from found_footy.notify.channels.base import CallLimits, NotifyChannel
from found_footy.notify.channels.factory import build_channel, derive_public_key
from found_footy.notify.moments import Moment
from found_footy.notify.push_channels import PushChannels
from found_footy.notify.push_store import PushSubscriptionStore, channel_name
from found_footy.notify.recorder import MomentRecorder
from found_footy.notify.rules import NotifyRule
from found_footy.notify.sender import OutboxSender, SendingRules
from found_footy.notify.settings import WebPushChannel, WebPushKeys, WebPushSubscription
from found_footy.notify.store import NotifyStore
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import BadInput
from found_footy.platform.mongo import Database
from tests.support.loopback_services import host_of
from tests.support.notify.goals import EVENT_ID, fixture, goal
from tests.support.notify.receivers import BrowserKeys, Receiver, push_server
from tests.support.notify.runner import LEASE, LOOK_BACK

BROWSER = BrowserKeys(ec.derive_private_key(12345, ec.SECP256R1()))
SENDER_KEY = base64.urlsafe_b64encode((54321).to_bytes(32, "big")).rstrip(b"=").decode()
ALL = NotifyRule(channels=("push",))


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def subscription(base: str) -> WebPushSubscription:
    keys = WebPushKeys(p256dh=encode(BROWSER.public), auth=SecretStr(encode(BROWSER.auth)))
    return WebPushSubscription(endpoint=f"{base}/push/subscription-secret", keys=keys)


class BrowserRunner:
    """Recorder and sender as a worker builds them, with subscriptions alone."""

    def __init__(self, database: Database, base: str) -> None:
        self.database, self.store = database, PushSubscriptionStore(database)
        limits = CallLimits(timedelta(seconds=30), 64 * 1024, [host_of(base)])

        def build(row: PushSubscriptionDocument) -> NotifyChannel:
            keys = WebPushKeys(p256dh=row["p256dh"], auth=SecretStr(row["auth"]))
            settings = WebPushChannel(
                kind="webpush",
                subscription=WebPushSubscription(endpoint=row["endpoint"], keys=keys),
                private_key=SecretStr(SENDER_KEY),
                contact="mailto:a@b.example",
            )
            return build_channel(settings, limits, utc_now)

        self.channels = PushChannels(self.store, build)
        outbox = NotifyStore(database)
        rules = SendingRules(LEASE, timedelta(hours=12), False, None)
        self.sender = OutboxSender(outbox, {}, rules, utc_now, lambda: uuid4().hex, self.channels.load_channels)
        self.recorder = MomentRecorder(outbox, (), utc_now, self.store.load_rules)

    async def run(self) -> int:
        await self.recorder.record_new(LOOK_BACK)
        return (await self.sender.send_due()).sent

    async def put_goal(self, **fields: Any) -> None:
        await self.recorder.record_new(LOOK_BACK)  # switches notifications on: earlier goals are not told
        now = utc_now()
        document = fixture(goal(_first_seen=now, _due_at=now, **fields), kickoff=now)
        await self.database[FixtureCollection.ACTIVE].replace_one({"_id": document["_id"]}, document, upsert=True)


@asynccontextmanager
async def open_browser(database: Database) -> AsyncIterator[tuple[BrowserRunner, Receiver]]:
    with push_server(BROWSER) as receiver:
        runner = BrowserRunner(database, receiver.base)
        yield runner, receiver
        await runner.channels.aclose()


async def test_a_browser_that_subscribes_while_the_worker_runs_is_told(database: Database) -> None:
    async with open_browser(database) as (runner, receiver):
        assert await runner.run() == 0
        await runner.store.add(subscription(receiver.base), ALL, "Firefox", utc_now())
        await runner.put_goal()
        assert await runner.run() == 1
        assert list(receiver.messages) == [EVENT_ID]
        assert await runner.run() == 0


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (NotifyRule(channels=("push",), teams=("Tottenham",)), 1),
        (NotifyRule(channels=("push",), teams=("Chelsea",)), 0),
        (NotifyRule(channels=("push",), moments=(Moment.FIRST_CLIP,)), 0),
        (NotifyRule(channels=("push",), leagues=(39,), players=("Saka",)), 1),
    ],
)
async def test_each_browser_has_rules_of_its_own(database: Database, rule: NotifyRule, told: int) -> None:
    async with open_browser(database) as (runner, receiver):
        await runner.store.add(subscription(receiver.base), rule, "Firefox", utc_now())
        await runner.put_goal()
        assert await runner.run() == told


async def test_a_browser_that_is_gone_is_removed_and_not_asked_again(database: Database) -> None:
    async with open_browser(database) as (runner, receiver):
        await runner.store.add(subscription(receiver.base), ALL, "Firefox", utc_now())
        await runner.put_goal()
        receiver.answers.append(Response(status_code=410))
        assert await runner.run() == 0
        assert await runner.store.list_all() == []
        assert await runner.run() == 0
        assert len(receiver.calls) == 1


async def test_subscribing_again_changes_the_rule_and_adds_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, browser = PushSubscriptionStore(database), subscription("https://push.example")
    await store.add(browser, ALL, "Firefox", utc_now())
    await store.add(browser, NotifyRule(channels=("push",), teams=("Arsenal", 47)), "Firefox", utc_now())
    (row,) = await store.list_all()
    assert row["rule"]["teams"] == ["Arsenal", 47]
    assert [rule.channels for rule in await store.load_rules()] == [(channel_name(browser.endpoint),)]
    monkeypatch.setattr(push_store, "MAX_SUBSCRIPTIONS", 1)
    with pytest.raises(BadInput, match="remove one first"):
        await store.add(subscription("https://other.example"), ALL, "Firefox", utc_now())
    assert await store.remove(row["_id"])
    assert not await store.remove(row["_id"])


def test_the_key_that_browsers_subscribe_with_belongs_to_the_private_one() -> None:
    owner = BrowserKeys(ec.derive_private_key(54321, ec.SECP256R1()))
    assert derive_public_key(SENDER_KEY) == encode(owner.public)
