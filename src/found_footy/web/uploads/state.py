"""The components of the uploads' routes in one running web process."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from found_footy.platform.http.access_tokens import (
    MAX_WRONG_TOKENS,
    WRONG_TOKEN_WINDOW,
    AttemptWindow,
    caller_key,
)
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Database
from found_footy.views.uploads_store import UploadReadStore
from found_footy.web.settings import WebSettings
from found_footy.web.uploads.deps import UploadsDeps
from found_footy.web.uploads.feed import UploadFeed

logger = ActionLogger(__name__)
# Four organizations that use all of their own places leave none in total; more than that is more than a disk takes.
_ORGANIZATIONS_AT_ONCE = 4


class WrongKeyLimit:
    """A caller that sent ten wrong keys within a minute is refused until the oldest of them is a minute old."""

    def __init__(self) -> None:
        self._attempts = AttemptWindow(MAX_WRONG_TOKENS, WRONG_TOKEN_WINDOW.total_seconds())

    def seconds_until_retry(self, host: str, now: float) -> float:
        return self._attempts.seconds_until_retry(caller_key(host), now)

    def record_wrong_key(self, host: str, now: float) -> None:
        caller = caller_key(host)
        left = self._attempts.record_attempt(caller, now)
        logger.warning("wrong key from %s", caller, action="organization_key_refused", caller=caller, tries_left=left)


class UploadSlots:
    """Bounds the images that are being received: per organization, so that one does not keep the others out, and in
    total.
    """

    def __init__(self, per_organization: int) -> None:
        self._per_organization = per_organization
        self._total = _ORGANIZATIONS_AT_ONCE * per_organization
        self._taken: dict[str, int] = {}

    @contextmanager
    def take(self, organization_id: str) -> Iterator[bool]:
        """Yield whether there is a place, which is taken for the block."""
        own = self._taken.get(organization_id, 0)
        if own >= self._per_organization or sum(self._taken.values()) >= self._total:
            yield False
            return
        self._taken[organization_id] = own + 1
        try:
            yield True
        finally:
            self._taken[organization_id] -= 1
            if not self._taken[organization_id]:
                del self._taken[organization_id]


@dataclass(frozen=True)
class UploadsState:
    deps: UploadsDeps
    store: UploadReadStore
    feed: UploadFeed
    slots: UploadSlots
    wrong_keys: WrongKeyLimit = field(default_factory=WrongKeyLimit)

    @classmethod
    def from_deps(cls, deps: UploadsDeps, database: Database, settings: WebSettings) -> "UploadsState":
        feed = UploadFeed(
            secrets.token_hex(4),
            max_clients=settings.live_clients,
            max_clients_per_organization=settings.live_clients_per_peer,
        )
        return cls(deps, UploadReadStore(database), feed, UploadSlots(settings.uploads_at_once))
