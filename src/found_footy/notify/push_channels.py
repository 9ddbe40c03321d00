"""The channels of browsers that subscribed on the page: built as they come, closed as they go."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from found_footy.domain.notify_documents import PushSubscriptionDocument
from found_footy.notify.channels.base import ChannelMessage, NotifyChannel
from found_footy.notify.errors import SubscriptionEnded
from found_footy.notify.outbox import ChannelTraits
from found_footy.notify.push_store import PushSubscriptionStore
from found_footy.platform.logs import ActionLogger

logger = ActionLogger(__name__)
BuildChannel = Callable[[PushSubscriptionDocument], NotifyChannel]


class PushChannels:
    def __init__(self, store: PushSubscriptionStore, build: BuildChannel) -> None:
        self._store = store
        self._build = build
        self._built: dict[str, tuple[PushSubscriptionDocument, BrowserChannel]] = {}

    async def load_channels(self) -> Mapping[str, NotifyChannel]:
        """The channels of the browsers that are subscribed now; one whose keys changed is built anew."""
        rows = {one["_id"]: one for one in await self._store.list_all()}
        for name, (row, channel) in list(self._built.items()):
            if name not in rows or _keys_of(rows[name]) != _keys_of(row):
                del self._built[name]
                await channel.aclose()
        for name, row in rows.items():
            if name not in self._built:
                self._built[name] = row, BrowserChannel(name, self._build(row), self._store)
        return {name: channel for name, (_, channel) in self._built.items()}

    async def aclose(self) -> None:
        for _, channel in self._built.values():
            await channel.aclose()
        self._built.clear()


class BrowserChannel(NotifyChannel):
    """Sends to one browser; one that no longer takes messages is removed."""

    traits: ClassVar[ChannelTraits] = ChannelTraits(edits=False, repeatable=True)

    def __init__(self, name: str, channel: NotifyChannel, store: PushSubscriptionStore) -> None:
        self._name = name
        self._channel = channel
        self._store = store

    async def send(self, message: ChannelMessage) -> str | None:
        try:
            return await self._channel.send(message)
        except SubscriptionEnded:
            await self._store.remove(self._name)
            logger.info("the browser %s takes no more messages", self._name, action="browser_removed")
            raise

    async def edit(self, message_id: str, message: ChannelMessage) -> None:
        await self._channel.edit(message_id, message)

    async def aclose(self) -> None:
        await self._channel.aclose()


def _keys_of(row: PushSubscriptionDocument) -> tuple[str, str, str]:
    return row["endpoint"], row["p256dh"], row["auth"]
