"""Fan-out of one change stream to many browsers.

Every message has a position in a sequence. A browser sends the last cursor it knows and gets the messages after it; if
those are no longer in the history it gets one reload message, on which it fetches the whole list. So no change is
missed, and a slow browser costs at most one entry per fixture.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from found_footy.web import metrics


@dataclass(frozen=True)
class LiveMessage:
    """`fixture_id` names the fixture that changed; without one, any may have."""

    position: int
    fixture_id: int | None

    @property
    def is_reload(self) -> bool:
        return self.fixture_id is None


class SubscriberLimitReached(Exception):
    """The limit of subscriptions is reached: in total, or for one address (`is_per_peer`)."""

    def __init__(self, *, is_per_peer: bool) -> None:
        super().__init__("the live stream has no free place")
        self.is_per_peer = is_per_peer


class LiveSubscription:
    """Messages that one browser has not received yet. Several changes of a fixture are merged into one message."""

    def __init__(self, max_pending: int, peer: str = "") -> None:
        self._max_pending = max_pending
        self.peer = peer
        self._pending: dict[int | None, int] = {}
        self._wake_event = asyncio.Event()
        self.closed = False

    def put(self, message: LiveMessage) -> None:
        self._pending.pop(message.fixture_id, None)
        if message.is_reload or len(self._pending) >= self._max_pending:
            self._pending.clear()
            self._pending[None] = message.position
        elif None not in self._pending:
            self._pending[message.fixture_id] = message.position
        else:
            # A reload that is still pending covers this change too.
            self._pending[None] = message.position
        self._wake_event.set()

    def close(self) -> None:
        self.closed = True
        self._wake_event.set()

    async def take(self, max_wait: timedelta) -> list[LiveMessage]:
        """Return everything pending, oldest first; nothing after `max_wait` or once the hub closes."""
        try:
            async with asyncio.timeout(max_wait.total_seconds()):
                await self._wake_event.wait()
        except TimeoutError:
            return []
        self._wake_event.clear()
        pending, self._pending = self._pending, {}
        return [LiveMessage(place, fixture) for fixture, place in pending.items()]


class LiveHub:
    """`epoch` identifies this run of the process; cursors of another run are not valid here."""

    def __init__(
        self,
        epoch: str,
        *,
        max_clients: int,
        max_clients_per_peer: int | None = None,
        history_size: int = 1024,
        max_pending: int = 256,
    ) -> None:
        self._epoch = epoch
        self._max_clients = max_clients
        self._max_clients_per_peer = max_clients_per_peer
        self._max_pending = max_pending
        self._positions = itertools.count(1)
        self._last_position = 0
        self._history: deque[LiveMessage] = deque(maxlen=history_size)
        self._subscriptions: set[LiveSubscription] = set()
        self.is_following = False
        self.closed = False

    @property
    def cursor(self) -> str:
        """The cursor of the last message. Read it before reading the data that it is attached to."""
        return self.format_cursor(self._last_position)

    @property
    def client_count(self) -> int:
        return len(self._subscriptions)

    def format_cursor(self, position: int) -> str:
        return f"{self._epoch}-{position}"

    def is_later(self, one: str, other: str) -> bool:
        """Whether `one` is a later position than `other`. A cursor of another epoch is earlier than all."""
        return self._parse_cursor(one) > self._parse_cursor(other)

    def _parse_cursor(self, cursor: str) -> int:
        epoch, _, digits = cursor.rpartition("-")
        known = epoch == self._epoch and digits.isascii() and digits.isdigit() and len(digits) <= 18
        return int(digits) if known else -1

    def publish_change(self, fixture_id: int) -> None:
        self._publish(fixture_id)

    def publish_reload(self) -> None:
        self._publish(None)

    def _publish(self, fixture_id: int | None) -> None:
        self._last_position = next(self._positions)
        message = LiveMessage(self._last_position, fixture_id)
        self._history.append(message)
        metrics.LIVE_MESSAGES.labels("reload" if message.is_reload else "match").inc()
        for subscription in self._subscriptions:
            subscription.put(message)

    @contextmanager
    def subscribe(self, since: str | None, peer: str = "") -> Iterator[LiveSubscription]:
        """Subscribe, starting with the messages after `since`, a cursor of this hub. Raises SubscriberLimitReached if
        there are too many subscriptions in total or of this peer; those without a peer count only towards the total.
        """
        if self.client_count >= self._max_clients:
            raise SubscriberLimitReached(is_per_peer=False)
        if (
            peer
            and self._max_clients_per_peer is not None
            and self._count_subscriptions(peer) >= self._max_clients_per_peer
        ):
            raise SubscriberLimitReached(is_per_peer=True)
        subscription = LiveSubscription(self._max_pending, peer)
        for message in self._list_missed(since):
            subscription.put(message)
        if self.closed:
            subscription.close()
        self._subscriptions.add(subscription)
        metrics.LIVE_CLIENTS.set(self.client_count)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
            metrics.LIVE_CLIENTS.set(self.client_count)

    def _count_subscriptions(self, peer: str) -> int:
        return sum(one.peer == peer for one in self._subscriptions)

    def _list_missed(self, since: str | None) -> list[LiveMessage]:
        if since is None or since == self.cursor:
            return []
        place = self._parse_cursor(since)
        oldest = self._history[0].position if self._history else self._last_position + 1
        if place < 0 or not oldest - 1 <= place <= self._last_position:
            return [LiveMessage(self._last_position, None)]
        return [message for message in self._history if message.position > place]

    def close(self) -> None:
        """End every stream so that the server can stop; browsers reconnect by themselves."""
        self.closed = True
        for subscription in self._subscriptions:
            subscription.close()
