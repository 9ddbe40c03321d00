"""Following the matches of the demo until every one of them is settled."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from found_footy.app import App
from found_footy.cli.demo_display import Display
from found_footy.embedded.supervisor import Supervisor
from found_footy.model.fixture import POSTPONED, Room
from found_footy.platform.errors import Unavailable
from found_footy.settings import Settings
from found_footy.web.documents import at, text
from found_footy.web.store import ReadStore
from found_footy.web.views import Match, Stored, kickoff_of, match_view, settle

_REFRESH_SECONDS = 1.0
_MOST_MATCHES = 100
# A match that begins later than this is of another day.
_TODAY = timedelta(hours=1)

Look = Callable[[], Awaitable[None]]
Unfinished = Callable[[], Awaitable[bool]]


@dataclass
class Course:
    """How far the day is; whoever breaks things on purpose looks here for the moment to begin."""

    stored: list[Stored] = field(default_factory=list)
    under_way: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, stored: list[Stored]) -> None:
        self.stored = stored
        if any(event.get("_monitor_complete") for one in stored for event in one.document.get("events", ())):
            self.under_way.set()

    def views(self, settings: Settings) -> list[Match]:
        return [match_view(one, attempts_wanted=settings.pace.attempts) for one in self.stored]


async def follow(
    app: App, supervisor: Supervisor, course: Course, limit: float, look: Look, unfinished: Unfinished | None = None
) -> None:
    """Show the day until every match is settled and nothing is `unfinished`, or the time is up; raises if a program had
    to be given up.
    """
    over = asyncio.create_task(supervisor.wait())
    deadline = time.monotonic() + limit
    store = ReadStore(app.database)
    try:
        with Display(supervisor.status) as display:
            while time.monotonic() < deadline and not over.done() and not await _is_over(course, unfinished):
                await _read(store, course)
                await look()
                display.show(course.views(app.settings))
                await asyncio.wait({over}, timeout=_REFRESH_SECONDS)
        if over.done():
            await over
    finally:
        over.cancel()


async def _is_over(course: Course, unfinished: Unfinished | None) -> bool:
    return settled(course.stored, datetime.now(UTC)) and not (unfinished is not None and await unfinished())


async def _read(store: ReadStore, course: Course) -> None:
    """The fixtures as they are now, or as they were if the database is just being restarted."""
    try:
        course.note(settle(await store.page(None, _MOST_MATCHES)))
    except Unavailable:
        return


def settled(stored: list[Stored], now: datetime) -> bool:
    """Whether the day is over: matches were played, and none is left to be."""
    archived = any(one.room is Room.COMPLETED for one in stored)
    return archived and all(_is_settled(one, now) for one in stored)


def _is_settled(one: Stored, now: datetime) -> bool:
    # Watched or not, a postponed match is kept for the day it will be played on.
    if one.room is Room.COMPLETED or text(at(one.document, "fixture", "status", "short")) in POSTPONED:
        return True
    return one.room is Room.STAGING and kickoff_of(one.document) > now + _TODAY
