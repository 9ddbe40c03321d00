"""Builds notifications from settings; a part of the composition root."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import uuid4

from found_footy.notify.activities import NotifyActivities
from found_footy.notify.channels.base import CallLimits, NotifyChannel
from found_footy.notify.channels.factory import build_channel
from found_footy.notify.recorder import MomentRecorder
from found_footy.notify.sender import OutboxSender, SendingRules
from found_footy.notify.store import NotifyStore
from found_footy.platform.clock import utc_now
from found_footy.platform.mongo import Database
from found_footy.settings import Settings


def build_channels(settings: Settings, stack: AsyncExitStack) -> dict[str, NotifyChannel]:
    limits = CallLimits(settings.notify.timeout, settings.notify.max_bytes, settings.trusted_hosts)
    channels = {name: build_channel(each, limits, utc_now) for name, each in settings.notify.parsed_channels.items()}
    for channel in channels.values():
        stack.push_async_callback(channel.aclose)
    return channels


def build_notify_activities(settings: Settings, database: Database, stack: AsyncExitStack) -> NotifyActivities:
    notify, store = settings.notify, NotifyStore(database)
    rules = SendingRules(notify.lease, notify.send_within, notify.in_doubt == "resend", notify.page_url)
    sender = OutboxSender(store, build_channels(settings, stack), rules, utc_now, lambda: uuid4().hex)
    recorder = MomentRecorder(store, notify.rules, utc_now) if notify.enabled else None
    return NotifyActivities(recorder, sender)


@asynccontextmanager
async def open_channels(settings: Settings) -> AsyncIterator[dict[str, NotifyChannel]]:
    """The channels alone, for a command that tests one."""
    async with AsyncExitStack() as stack:
        yield build_channels(settings, stack)
