"""Follows the matches of the demo until every one of them is complete."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from found_footy.app import AppContext
from found_footy.domain.collections import POSTPONED_STATUSES, FixtureCollection
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Unavailable
from found_footy.settings import Settings
from found_footy.views.field_readers import get_nested, read_text
from found_footy.views.fixture_views import (
    FixtureView,
    StoredFixture,
    build_fixture_view,
    pick_current_copies,
    read_kickoff,
)
from found_footy.views.store import ReadStore
from found_footy_sim.demo.display import DemoDisplay

_REFRESH_SECONDS = 1.0
_MAX_FIXTURES = 100
# A match that begins later than this belongs to another day.
_SAME_DAY_HORIZON = timedelta(hours=1)

TakeSample = Callable[[], Awaitable[None]]
UnfinishedCheck = Callable[[], Awaitable[bool]]


@dataclass
class DayProgress:
    """Progress of the day; fault injectors wait on it for the time to begin."""

    fixtures: list[StoredFixture] = field(default_factory=list)
    search_started: asyncio.Event = field(default_factory=asyncio.Event)

    def update(self, stored: list[StoredFixture]) -> None:
        self.fixtures = stored
        if any(event.get("_monitor_complete") for one in stored for event in one.document.get("events", ())):
            self.search_started.set()

    def match_views(self, settings: Settings) -> list[FixtureView]:
        return [build_fixture_view(one, attempts_wanted=settings.pace.attempts) for one in self.fixtures]


async def follow_day(
    app: AppContext,
    supervisor: Supervisor,
    progress: DayProgress,
    limit: float,
    take_sample: TakeSample,
    unfinished: UnfinishedCheck | None = None,
) -> None:
    """Display the day until every match is complete and nothing is `unfinished`, or the time limit is reached. Raises
    if the supervisor gave up a program.
    """
    over = asyncio.create_task(supervisor.wait())
    deadline = time.monotonic() + limit
    store = ReadStore(app.database)
    try:
        with DemoDisplay(supervisor.list_statuses) as display:
            while time.monotonic() < deadline and not over.done() and not await _is_day_over(progress, unfinished):
                await _refresh_progress(store, progress)
                await take_sample()
                display.show(progress.match_views(app.settings))
                await asyncio.wait({over}, timeout=_REFRESH_SECONDS)
        if over.done():
            await over
    finally:
        over.cancel()


async def _is_day_over(progress: DayProgress, unfinished: UnfinishedCheck | None) -> bool:
    return is_day_settled(progress.fixtures, utc_now()) and not (unfinished is not None and await unfinished())


async def _refresh_progress(store: ReadStore, progress: DayProgress) -> None:
    """Read the current fixtures; keep the previous ones while the database is restarting."""
    try:
        progress.update(pick_current_copies(await store.list_newest(None, _MAX_FIXTURES)))
    except Unavailable:
        return


def is_day_settled(stored: list[StoredFixture], now: datetime) -> bool:
    """Whether the day is over: matches were played, and none is still to be played."""
    archived = any(one.collection is FixtureCollection.COMPLETED for one in stored)
    return archived and all(_is_fixture_settled(one, now) for one in stored)


def _is_fixture_settled(one: StoredFixture, now: datetime) -> bool:
    # Active or not, a postponed match is kept for the day it will be played on.
    if (
        one.collection is FixtureCollection.COMPLETED
        or read_text(get_nested(one.document, "fixture", "status", "short")) in POSTPONED_STATUSES
    ):
        return True
    return one.collection is FixtureCollection.STAGING and read_kickoff(one.document) > now + _SAME_DAY_HORIZON
