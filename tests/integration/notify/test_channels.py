"""Every channel against a receiver that speaks its wire form."""

import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from starlette.responses import JSONResponse, Response

from found_footy.notify.channels.base import CallLimits, ChannelMessage, NotifyChannel
from found_footy.notify.channels.factory import build_channel
from found_footy.notify.errors import MessageGone, MessageRejected, UnknownOutcome
from found_footy.notify.facts import MessageText, build_facts
from found_footy.notify.moments import Moment
from found_footy.notify.settings import decode_base64url, parse_channels
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Denied, RateLimited, Refused, Unavailable, Unreachable
from tests.support.loopback_services import host_of
from tests.support.notify import receivers
from tests.support.notify.goals import AT, EVENT_ID, fixture, goal
from tests.support.notify.receivers import BrowserKeys, Receiver
from tests.support.patience import PATIENCE

FACTS = build_facts(fixture(goal()), EVENT_ID)
TEXT = MessageText("Goal: Arsenal 1–0 Tottenham", "45' B. Saka *_[x](y) @everyone", "https://footy.example/clips/c.mp4")
MESSAGE = ChannelMessage("message-1", EVENT_ID, TEXT, AT, (Moment.CONFIRMED,), FACTS)
LATER = replace(MESSAGE, id="message-2", text=replace(TEXT, title="Disallowed: Arsenal 1–0 Tottenham"))
BROWSER = BrowserKeys(ec.derive_private_key(12345, ec.SECP256R1()))
SENDER_KEY = base64.urlsafe_b64encode((54321).to_bytes(32, "big")).rstrip(b"=").decode()


@dataclass(frozen=True)
class ChannelCase:
    name: str
    serve: Callable[[], AbstractContextManager[Receiver]]
    settings: Callable[[str], dict[str, Any]]
    secrets: tuple[str, ...]


def push_settings(base: str) -> dict[str, Any]:
    keys = {name: base64.urlsafe_b64encode(value).decode() for name, value in KEYS.items()}
    subscription = {"endpoint": f"{base}/push/subscription-secret", "expirationTime": None, "keys": keys}
    return {"kind": "webpush", "subscription": subscription, "private_key": SENDER_KEY, "contact": "mailto:a@b.example"}


KEYS = {"p256dh": BROWSER.public, "auth": BROWSER.auth}
DISCORD = ChannelCase(
    "discord",
    receivers.discord_server,
    lambda base: {"kind": "discord", "url": f"{base}/api/webhooks/1/discordtoken"},
    ("discordtoken",),
)
TELEGRAM = ChannelCase(
    "telegram",
    receivers.telegram_server,
    lambda base: {"kind": "telegram", "token": receivers.TOKEN, "chat": receivers.CHAT, "api_url": base},
    (receivers.TOKEN,),
)
WEBHOOK = ChannelCase(
    "webhook",
    receivers.webhook_server,
    lambda base: {"kind": "webhook", "url": f"{base}/hooks/pathsecret", "secret": f"whsec_{receivers.SECRET}"},
    ("pathsecret", receivers.SECRET),
)
PUSH = ChannelCase(
    "webpush", lambda: receivers.push_server(BROWSER), push_settings, ("subscription-secret", SENDER_KEY)
)
HTTP_CASES = [DISCORD, TELEGRAM, WEBHOOK, PUSH]


@asynccontextmanager
async def opened(settings: dict[str, Any], trusted: list[str]) -> AsyncIterator[NotifyChannel]:
    channel = build_channel(
        parse_channels(json.dumps({"x": settings}))["x"], CallLimits(PATIENCE, 64 * 1024, trusted), utc_now
    )
    try:
        yield channel
    finally:
        await channel.aclose()


@asynccontextmanager
async def connected(case: ChannelCase) -> AsyncIterator[tuple[NotifyChannel, Receiver]]:
    with case.serve() as receiver:
        async with opened(case.settings(receiver.base), [host_of(receiver.base)]) as channel:
            yield channel, receiver


async def test_discord_takes_one_message_and_its_edits() -> None:
    async with connected(DISCORD) as (channel, receiver):
        message_id = await channel.send(MESSAGE)
        assert message_id == "1"
        await channel.edit(message_id, LATER)
        assert list(receiver.messages) == ["1"]
        assert receiver.messages["1"].startswith("**Disallowed\\: Arsenal 1–0 Tottenham**\n")
        assert "\\*\\_\\[x\\]\\(y\\) \\@everyone" in receiver.messages["1"]
        assert receiver.bodies[0]["allowed_mentions"] == {"parse": []}
        # The role of a rule is mentioned, and nobody whom a name seems to mention.
        await channel.send(replace(MESSAGE, text=replace(TEXT, role="12345")))
        assert receiver.messages["2"].startswith("<@&12345>\n**Goal\\: Arsenal")
        assert receiver.bodies[-1]["allowed_mentions"] == {"parse": [], "roles": ["12345"]}
        with pytest.raises(MessageGone):
            await channel.edit("77", LATER)


async def test_telegram_takes_one_message_and_its_edits() -> None:
    async with connected(TELEGRAM) as (channel, receiver):
        message_id = await channel.send(MESSAGE)
        assert message_id == "1"
        await channel.edit(message_id, LATER)
        await channel.edit(message_id, LATER)  # "message is not modified" is what was wanted
        assert receiver.messages == {"1": LATER.text.whole}
        assert "parse_mode" not in receiver.bodies[0]
        with pytest.raises(MessageGone):
            await channel.edit("77", LATER)


async def test_a_webhook_is_signed_and_repeats_its_id() -> None:
    async with connected(WEBHOOK) as (channel, receiver):
        for _ in range(2):
            assert await channel.send(MESSAGE) is None
        assert receiver.messages == {"message-1": TEXT.title}
        body = receiver.bodies[0]
        assert (body["type"], body["goal_id"], body["moments"]) == ("goal", EVENT_ID, ["confirmed"])
        assert body["goal"]["player"] == "B. Saka"


async def test_a_webhook_with_another_secret_is_refused_by_its_receiver() -> None:
    other = base64.b64encode(b"another secret of 24 bytes or more").decode()
    with receivers.webhook_server() as receiver:
        settings = {**WEBHOOK.settings(receiver.base), "secret": f"whsec_{other}"}
        async with opened(settings, [host_of(receiver.base)]) as channel:
            with pytest.raises(Denied, match="wrong signature"):
                await channel.send(MESSAGE)


async def test_a_browser_decrypts_push_messages_and_shows_one_per_goal() -> None:
    async with connected(PUSH) as (channel, receiver):
        for message in (MESSAGE, LATER):
            await channel.send(message)
        assert receiver.messages == {EVENT_ID: f"{LATER.text.title}\n{LATER.text.body}"}
        assert len({headers["topic"] for headers in receiver.headers}) == 1
        await channel.send(replace(MESSAGE, text=replace(TEXT, body="ö" * 10_000)))
        receiver.answers.append(Response(status_code=410))
        with pytest.raises(MessageRejected, match="subscribe again"):
            await channel.send(MESSAGE)


@pytest.mark.parametrize("case", HTTP_CASES, ids=lambda case: case.name)
async def test_answers_become_typed_errors_that_show_what_was_said_but_no_secret(case: ChannelCase) -> None:
    async with connected(case) as (channel, receiver):
        said = {"message": f"no: {case.secrets[0]}", "description": "no"}
        expected: list[tuple[Response, type[Exception]]] = [
            (JSONResponse(said, 400), MessageRejected),
            (JSONResponse(said, 401), Denied),
            (JSONResponse(said, 503), Unavailable),
            (JSONResponse(said, 429, {"retry-after": "9"}), RateLimited),
            (Response(b"x" * 100_000), UnknownOutcome),
        ]
        for answer, kind in expected:
            receiver.answers.append(answer)
            with pytest.raises(kind) as raised:
                await channel.send(MESSAGE)
            assert not [secret for secret in case.secrets if secret in str(raised.value)]
            if kind is RateLimited:
                assert isinstance(raised.value, RateLimited)
                assert raised.value.retry_after == 9
            elif kind is not UnknownOutcome:
                assert f"status {answer.status_code}: " in str(raised.value)
                assert "no" in str(raised.value)


@pytest.mark.parametrize(
    ("case", "body"),
    [(DISCORD, {"retry_after": 41.5}), (TELEGRAM, {"parameters": {"retry_after": 41.5}})],
    ids=lambda each: getattr(each, "name", ""),
)
async def test_a_wait_in_the_body_is_obeyed(case: ChannelCase, body: dict[str, Any]) -> None:
    async with connected(case) as (channel, receiver):
        receiver.answers.append(JSONResponse(body, 429))
        with pytest.raises(RateLimited) as raised:
            await channel.send(MESSAGE)
        assert raised.value.retry_after == 41.5


@pytest.mark.parametrize("case", HTTP_CASES, ids=lambda case: case.name)
async def test_private_addresses_are_refused_and_a_dead_host_is_told_apart_from_a_lost_answer(
    case: ChannelCase,
) -> None:
    with case.serve() as receiver:
        base = receiver.base
        async with opened(case.settings(base), []) as channel:
            with pytest.raises(Refused, match="not public") as raised:
                await channel.send(MESSAGE)
            assert not [secret for secret in case.secrets if secret in str(raised.value)]
        assert not receiver.calls
    async with opened(case.settings(base), [host_of(base)]) as channel:
        with pytest.raises(Unreachable) as unreachable:
            await channel.send(MESSAGE)
        assert not [secret for secret in case.secrets if secret in str(unreachable.value)]


async def test_apprise_sends_to_what_the_owner_allows_and_says_why_it_fails() -> None:
    """One after the other: each call starts a process."""
    with receivers.apprise_server() as receiver:
        place = host_of(receiver.base)
        settings = {"kind": "apprise", "url": f"json://{place}/inbox"}
        async with opened(settings, [place]) as channel:
            await channel.send(MESSAGE)
            assert receiver.messages == {"1": f"{TEXT.title}\n{TEXT.body}\n{TEXT.link}"}
            receiver.answers.append(Response(status_code=418))
            with pytest.raises(Unavailable, match="418"):
                await channel.send(MESSAGE)
        async with opened(settings, []) as channel:
            with pytest.raises(Refused, match=r"127\.0\.0\.1 is not a public address"):
                await channel.send(MESSAGE)
        assert len(receiver.calls) == 2
    async with opened({"kind": "apprise", "url": "pigeon://loft"}, []) as channel:
        with pytest.raises(MessageRejected, match="not usable"):
            await channel.send(MESSAGE)


def test_the_receivers_key_is_read_with_and_without_padding() -> None:
    padded = base64.urlsafe_b64encode(BROWSER.auth).decode()
    assert decode_base64url(padded) == decode_base64url(padded.rstrip("=")) == BROWSER.auth
