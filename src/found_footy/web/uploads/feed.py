"""Tells browsers that an organization's uploads have changed; each then fetches the list again.

Every change has a position. A browser sends the cursor of the list that it shows, and is told at once if the
organization has changed since, so no change between the list and the stream is missed.
"""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from found_footy.web.hub import SubscriberLimitReached


class FeedSubscription:
    """Whether the organization has changed since the browser was last told; many changes are one."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self.closed = False

    def notify(self) -> None:
        self._changed.set()

    def close(self) -> None:
        self.closed = True
        self._changed.set()

    async def wait(self, max_wait: timedelta) -> bool:
        """Return whether there is a change to tell; False after `max_wait` or once the feed closes."""
        try:
            async with asyncio.timeout(max_wait.total_seconds()):
                await self._changed.wait()
        except TimeoutError:
            return False
        self._changed.clear()
        return not self.closed


class UploadFeed:
    """`epoch` identifies this run of the process; a cursor of another run counts as changed since."""

    def __init__(self, epoch: str, *, max_clients: int, max_clients_per_organization: int) -> None:
        self._epoch = epoch
        self._max_clients = max_clients
        self._max_per_organization = max_clients_per_organization
        self._positions = itertools.count(1)
        self._last_reload = 0
        self._changed_at: dict[str, int] = {}
        self._subscriptions: dict[str, set[FeedSubscription]] = {}
        self.is_following = False
        self.closed = False

    def format_cursor(self, organization_id: str) -> str:
        """Return the position of the last change. Read it before reading the data that it is attached to."""
        return f"{self._epoch}-{max(self._last_reload, self._changed_at.get(organization_id, 0))}"

    def publish_change(self, organization_id: str) -> None:
        self._changed_at[organization_id] = next(self._positions)
        for subscription in self._subscriptions.get(organization_id, ()):
            subscription.notify()

    def publish_reload(self) -> None:
        """Any organization may have changed."""
        self._last_reload = next(self._positions)
        for subscription in itertools.chain.from_iterable(self._subscriptions.values()):
            subscription.notify()

    @contextmanager
    def subscribe(self, organization_id: str, since: str | None) -> Iterator[FeedSubscription]:
        """Raises SubscriberLimitReached: the streams of one organization are limited, and all of them."""
        own = self._subscriptions.get(organization_id, set())
        total = sum(map(len, self._subscriptions.values()))
        if total >= self._max_clients or len(own) >= self._max_per_organization:
            raise SubscriberLimitReached(is_per_peer=total < self._max_clients)
        subscription = FeedSubscription()
        if since != self.format_cursor(organization_id):
            subscription.notify()
        if self.closed:
            subscription.close()
        self._subscriptions.setdefault(organization_id, set()).add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions[organization_id].discard(subscription)
            if not self._subscriptions[organization_id]:
                del self._subscriptions[organization_id]

    def close(self) -> None:
        """End every stream so that the server can stop."""
        self.closed = True
        for subscription in itertools.chain.from_iterable(self._subscriptions.values()):
            subscription.close()
