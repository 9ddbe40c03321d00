"""Builds notifications from settings; a part of the composition root."""

from contextlib import AsyncExitStack
from uuid import uuid4

from pydantic import SecretStr

from found_footy.domain.notify_documents import PushSubscriptionDocument
from found_footy.notify.activities import NotifyActivities
from found_footy.notify.channels.base import CallLimits, ChannelMessage, NotifyChannel
from found_footy.notify.channels.factory import build_channel, derive_public_key
from found_footy.notify.facts import MessageText
from found_footy.notify.push_channels import PushChannels
from found_footy.notify.push_store import PushSubscriptionStore
from found_footy.notify.recorder import MomentRecorder
from found_footy.notify.sender import OutboxSender, SendingRules
from found_footy.notify.settings import WebPushChannel, WebPushKeys, WebPushSubscription
from found_footy.notify.store import NotifyStore
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import ConfigError
from found_footy.platform.mongo import Database
from found_footy.settings import Settings
from found_footy.web.operator_deps import NotificationsPageDeps


def build_channels(settings: Settings, stack: AsyncExitStack) -> dict[str, NotifyChannel]:
    limits = CallLimits(settings.notify.timeout, settings.notify.max_bytes, settings.trusted_hosts)
    channels = {name: build_channel(each, limits, utc_now) for name, each in settings.notify.parsed_channels.items()}
    for channel in channels.values():
        stack.push_async_callback(channel.aclose)
    return channels


def build_push_channels(settings: Settings, database: Database) -> PushChannels | None:
    """None where browsers cannot subscribe. Raises ConfigError if the library is missing."""
    notify = settings.notify
    if not notify.takes_subscriptions:
        return None
    limits = CallLimits(notify.timeout, notify.max_bytes, settings.trusted_hosts)
    return PushChannels(
        PushSubscriptionStore(database),
        lambda subscription: build_channel(_build_push_settings(settings, subscription), limits, utc_now),
    )


def _build_push_settings(settings: Settings, subscription: PushSubscriptionDocument) -> WebPushChannel:
    keys = WebPushKeys(p256dh=subscription["p256dh"], auth=SecretStr(subscription["auth"]))
    return WebPushChannel(
        kind="webpush",
        subscription=WebPushSubscription(endpoint=subscription["endpoint"], keys=keys),
        private_key=settings.notify.push_key,
        contact=settings.notify.push_contact,
    )


def build_notify_activities(settings: Settings, database: Database, stack: AsyncExitStack) -> NotifyActivities:
    notify, store = settings.notify, NotifyStore(database)
    rules = SendingRules(notify.lease, notify.send_within, notify.in_doubt == "resend", notify.page_url, notify.rules)
    push = build_push_channels(settings, database)
    if push is not None:
        stack.push_async_callback(push.aclose)
    sender = OutboxSender(
        store,
        build_channels(settings, stack),
        rules,
        utc_now,
        lambda: uuid4().hex,
        push.load_channels if push else None,
    )
    browsers = PushSubscriptionStore(database).load_rules if push else None
    recorder = MomentRecorder(store, notify.rules, utc_now, browsers) if notify.is_enabled else None
    return NotifyActivities(recorder, sender)


async def send_test_message(settings: Settings, database: Database | None, name: str) -> None:
    """Send a test message to a channel, or to a browser that subscribed. Raises the channel's own error, and
    ConfigError if there is no such channel.
    """
    text = MessageText("Found Footy: test message", "This channel works.", settings.notify.page_url)
    message = ChannelMessage(uuid4().hex, "test", text, utc_now())
    async with AsyncExitStack() as stack:
        channels: dict[str, NotifyChannel] = build_channels(settings, stack)
        push = build_push_channels(settings, database) if database is not None else None
        if push is not None:
            stack.push_async_callback(push.aclose)
            channels |= await push.load_channels()
        if name not in channels:
            known = ", ".join(sorted(channels)) or "none"
            raise ConfigError(f"there is no channel {name}; FOOTY_NOTIFY__CHANNELS has {known}")
        await channels[name].send(message)


def build_notifications_page(settings: Settings, database: Database) -> NotificationsPageDeps:
    """What the operator's page of notifications shows and does."""
    notify = settings.notify
    return NotificationsPageDeps(
        channels={name: one.kind for name, one in notify.parsed_channels.items()},
        rules=notify.rules,
        push_key=derive_public_key(notify.push_key.get_secret_value()) if notify.takes_subscriptions else "",
        send_test=lambda name: send_test_message(settings, database, name),
    )
