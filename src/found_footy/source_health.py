"""Whether the sources of candidates still find clips: a source that answers and finds nothing while others do is broken
without an error.
"""

import time

from found_footy.platform.clock import MonotonicClock, utc_now
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import Database
from found_footy.views.source_store import SourceStore
from found_footy.views.source_views import SourceView
from found_footy.web.deps import DependencyStatus

SOURCES = "sources"
_LIFETIME_SECONDS = 60.0
_REMEDY = "search for one of these goals by hand at that source; its answers may have changed, or it hides results"

logger = ActionLogger(__name__)


class SourceChecker:
    """Reads what each source has found for the goals of the last days; nothing outside is called. A reading is used for
    a minute, because pages ask every few seconds. A suspicion is logged when it begins.
    """

    def __init__(self, database: Database, clock: MonotonicClock = time.monotonic) -> None:
        self._store = SourceStore(database)
        self._clock = clock
        self._views: tuple[SourceView, ...] = ()
        self._until = float("-inf")

    async def check(self) -> DependencyStatus:
        if self._clock() >= self._until:
            views = await self._store.read_sources(utc_now())
            self._report_new_suspicions(views)
            self._views, self._until = views, self._clock() + _LIFETIME_SECONDS
        return describe_sources(self._views)

    def _report_new_suspicions(self, views: tuple[SourceView, ...]) -> None:
        known = {view.name for view in self._views if view.suspicion}
        for view in views:
            if view.suspicion and view.name not in known:
                logger.warning("%s %s", view.name, view.suspicion, action="source_silent", source=view.name)


def describe_sources(views: tuple[SourceView, ...]) -> DependencyStatus:
    suspected = [f"{view.name} {view.suspicion}" for view in views if view.suspicion]
    shares = ", ".join(f"{view.name} {view.found} ({view.right} right)" for view in views)
    usual = f"candidates of the last seven days: {shares}" if views else "no goal was searched for in the last days"
    detail = "; ".join([*suspected, usual])
    return DependencyStatus(SOURCES, not suspected, detail, _REMEDY if suspected else "", required=False)
