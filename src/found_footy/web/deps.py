"""Dependencies of the web process. The composition root builds them; nothing here reads settings or makes clients."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from found_footy.platform.clock import Clock, utc_now
from found_footy.web.settings import WebSettings

# Not at run time: commands that show the state of a dependency need no driver.
if TYPE_CHECKING:
    from found_footy.discovery.sources.manual import ManualClipResult
    from found_footy.platform.mongo import Database
    from found_footy.platform.objects import ObjectStore
    from found_footy.web.accounts.deps import AccessDeps
    from found_footy.web.operator_deps import OperatorDeps
    from found_footy.web.uploads.deps import UploadsDeps
    from found_footy.web.uploads.notification_deps import NotificationDeps

_DAILY_INGEST_TIME = time(0, 5, tzinfo=UTC)


@dataclass(frozen=True)
class DependencyStatus:
    """The result of a real operation against one dependency. The page is served without a dependency that is not
    `required`; without a `vital` one no new goal or clip arrives.
    """

    name: str
    ok: bool
    detail: str = ""
    remedy: str = ""
    required: bool = True
    vital: bool = False

    @property
    def state(self) -> str:
        if self.ok:
            return "ok"
        return "broken" if self.required or self.vital else "degraded"


DependencyProbes = Callable[[], Awaitable[Sequence[DependencyStatus]]]
AddClip = Callable[[str, str, datetime, str], Awaitable["ManualClipResult"]]
"""Adds the clip at a URL to the goal with an id, on behalf of an actor, and writes an audit entry."""


def next_daily_ingest(now: datetime) -> datetime | None:
    """Return the time of the next daily ingest."""
    today = datetime.combine(now.astimezone(UTC).date(), _DAILY_INGEST_TIME)
    return today if today > now else today + timedelta(days=1)


@dataclass(frozen=True)
class WebDeps:
    """`probes` runs a real operation against every dependency; `next_ingest` is shown on an empty page. Without
    `add_clip` no clip can be added over HTTP, without `uploads` no image uploaded, without
    `notifications` no store may tell of its objects, without `operator` the page of errors
    knows nothing of workflows.
    """

    database: "Database"
    objects: "ObjectStore"
    probes: DependencyProbes
    version: str = "unknown"
    commit: str = "unknown"
    simulated: bool = False
    clock: Clock = utc_now
    attempts_wanted: int = 10
    next_ingest: Callable[[datetime], datetime | None] = next_daily_ingest
    settings: WebSettings = field(default_factory=WebSettings)
    add_clip: AddClip | None = None
    uploads: "UploadsDeps | None" = None
    notifications: "NotificationDeps | None" = None
    access: "AccessDeps | None" = None
    operator: "OperatorDeps | None" = None
