"""One stream of changes in, many browsers out.

Every message has a place in a sequence. A browser says the last place it knows and gets what came after; when that is
no longer known it gets one `reload`, which makes it take the whole list afresh. So nothing is ever missed, and a slow
browser costs at most one entry per match.
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
class Message:
    """`fixture_id` names the match that changed; without one, everything may have."""

    place: int
    fixture_id: int | None

    @property
    def is_reload(self) -> bool:
        return self.fixture_id is None


class NoPlace(Exception):
    """As many follow as may: in all, or `of_peer` from one address."""

    def __init__(self, *, of_peer: bool) -> None:
        super().__init__("no place in the live stream")
        self.of_peer = of_peer


class Subscription:
    """What one browser has not been told yet. Several changes of a match are one message."""

    def __init__(self, limit: int, peer: str = "") -> None:
        self._limit = limit
        self.peer = peer
        self._pending: dict[int | None, int] = {}
        self._wake = asyncio.Event()
        self.closed = False

    def put(self, message: Message) -> None:
        self._pending.pop(message.fixture_id, None)
        if message.is_reload or len(self._pending) >= self._limit:
            self._pending.clear()
            self._pending[None] = message.place
        elif None not in self._pending:
            self._pending[message.fixture_id] = message.place
        else:
            # A reload that has not gone out yet covers this change too.
            self._pending[None] = message.place
        self._wake.set()

    def close(self) -> None:
        self.closed = True
        self._wake.set()

    async def take(self, patience: timedelta) -> list[Message]:
        """Everything pending, oldest first; nothing when patience ran out or the hub closed."""
        try:
            async with asyncio.timeout(patience.total_seconds()):
                await self._wake.wait()
        except TimeoutError:
            return []
        self._wake.clear()
        pending, self._pending = self._pending, {}
        return [Message(place, fixture) for fixture, place in pending.items()]


class Hub:
    """`epoch` names this life of the process: places of another life mean nothing here."""

    def __init__(
        self, epoch: str, *, capacity: int, per_peer: int | None = None, history: int = 1024, pending: int = 256
    ) -> None:
        self._epoch = epoch
        self._capacity = capacity
        self._per_peer = per_peer
        self._pending = pending
        self._places = itertools.count(1)
        self._last = 0
        self._history: deque[Message] = deque(maxlen=history)
        self._subscriptions: set[Subscription] = set()
        self.following = False
        self.closed = False

    @property
    def cursor(self) -> str:
        """Where the stream stands. Read it before reading the data that it shall vouch for."""
        return self.name(self._last)

    @property
    def clients(self) -> int:
        return len(self._subscriptions)

    def name(self, place: int) -> str:
        return f"{self._epoch}-{place}"

    def is_later(self, one: str, other: str) -> bool:
        """Whether a cursor names a later place than another one. One of another life names none."""
        return self._place(one) > self._place(other)

    def _place(self, cursor: str) -> int:
        epoch, _, digits = cursor.rpartition("-")
        known = epoch == self._epoch and digits.isascii() and digits.isdigit() and len(digits) <= 18
        return int(digits) if known else -1

    def changed(self, fixture_id: int) -> None:
        self._publish(fixture_id)

    def reload(self) -> None:
        self._publish(None)

    def _publish(self, fixture_id: int | None) -> None:
        self._last = next(self._places)
        message = Message(self._last, fixture_id)
        self._history.append(message)
        metrics.LIVE_MESSAGES.labels("reload" if message.is_reload else "match").inc()
        for subscription in self._subscriptions:
            subscription.put(message)

    @contextmanager
    def subscribed(self, since: str | None, peer: str = "") -> Iterator[Subscription]:
        """A subscription that begins with what came after `since`, a cursor of this hub. NoPlace if there are too many,
        or too many of a peer; those without a name are counted in all only.
        """
        if self.clients >= self._capacity:
            raise NoPlace(of_peer=False)
        if peer and self._per_peer is not None and self._of(peer) >= self._per_peer:
            raise NoPlace(of_peer=True)
        subscription = Subscription(self._pending, peer)
        for message in self._missed(since):
            subscription.put(message)
        if self.closed:
            subscription.close()
        self._subscriptions.add(subscription)
        metrics.LIVE_CLIENTS.set(self.clients)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
            metrics.LIVE_CLIENTS.set(self.clients)

    def _of(self, peer: str) -> int:
        return sum(one.peer == peer for one in self._subscriptions)

    def _missed(self, since: str | None) -> list[Message]:
        if since is None or since == self.cursor:
            return []
        place = self._place(since)
        oldest = self._history[0].place if self._history else self._last + 1
        if place < 0 or not oldest - 1 <= place <= self._last:
            return [Message(self._last, None)]
        return [message for message in self._history if message.place > place]

    def close(self) -> None:
        """End every stream, so that the server can stop; browsers come back by themselves."""
        self.closed = True
        for subscription in self._subscriptions:
            subscription.close()
