"""Stand-ins for the browser: a tab that plays a script, and a browser that has such a tab."""

import asyncio
import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from found_footy.xsearch.results.responses import PageSnapshot, TimelineResponse
from found_footy.xsearch.search_run import TabEvent
from found_footy.xsearch.session.cookies import Cookie, CookieJar
from tests.support.xsearch.scripted_service import Make, ScriptedService

NOW = datetime(2026, 11, 15, 15, 0, tzinfo=UTC)
SITE = "https://x.com"
HOME = PageSnapshot(f"{SITE}/home", logged_in=True)


def post_id(age: timedelta, number: int = 0) -> str:
    return str((2_000_000_000_000 - int(age.total_seconds()) * 1000) << 22 | number)


def entry(age: timedelta, number: int) -> dict[str, Any]:
    at = NOW - age
    identity = post_id(age, number)
    variants = [{"content_type": "video/mp4", "bitrate": 1, "url": f"https://video.twimg.com/{number}.mp4"}]
    media = [{"type": "video", "video_info": {"duration_millis": 9000, "variants": variants}}]
    legacy = {
        "created_at": at.strftime("%a %b %d %H:%M:%S +0000 %Y"),
        "full_text": "goal",
        "extended_entities": {"media": media},
    }
    return {
        "entryId": f"tweet-{identity}",
        "content": {"itemContent": {"tweet_results": {"result": {"rest_id": identity, "legacy": legacy}}}},
    }


def page(ages: Iterable[timedelta] = (), cursor: str | None = "next", first: int = 0, **more: Any) -> TimelineResponse:
    """An answer with one post of each age, and `more` beside its data."""
    entries = [entry(age, first + number) for number, age in enumerate(ages)]
    if cursor:
        entries.append({"entryId": "cursor-bottom-0", "content": {"cursorType": "Bottom", "value": cursor}})
    timeline = {"instructions": [{"type": "TimelineAddEntries", "entries": entries}]}
    body = {"data": {"search_by_raw_query": {"search_timeline": {"timeline": timeline}}}, **more}
    return TimelineResponse(200, {"content-type": "application/json"}, json.dumps(body).encode())


@dataclass
class ScriptedTab:
    """Plays one list of events per opened page. An exception in place of an event is raised; None is silence."""

    script: list[list[TabEvent | BaseException | None]] = field(default_factory=list)
    seen: PageSnapshot = HOME
    opened: list[str] = field(default_factory=list)
    scrolls: int = 0
    hold: asyncio.Event | None = None
    _events: "deque[TabEvent | BaseException | None]" = field(default_factory=deque)

    async def open(self, url: str) -> None:
        self.opened.append(url)
        if url.endswith("/home"):
            return
        self._events = deque(self.script.pop(0) if self.script else [])
        if self.hold:
            await self.hold.wait()

    async def next_event(self, timeout_seconds: float) -> TabEvent | None:
        await asyncio.sleep(0)
        happened = self._events.popleft() if self._events else None
        if isinstance(happened, BaseException):
            raise happened
        return happened

    async def scroll(self) -> None:
        self.scrolls += 1

    async def take_snapshot(self) -> PageSnapshot:
        return self.seen


SESSION: CookieJar = (Cookie("auth_token", "a", ".x.com"), Cookie("ct0", "c", ".x.com"))


class StandInBrowser:
    """A browser with a scripted tab and a plain list of cookies."""

    def __init__(self, tab: ScriptedTab, jar: CookieJar = SESSION) -> None:
        self.lost = asyncio.Event()
        self.scripted = tab
        self.jar = jar
        self.rested = 0
        self.closed = False
        self.login_shown = False
        self.answers: list[BaseException | None] = []

    async def ping(self) -> None:
        """As scripted in `answers`, then always well."""
        if self.answers and (failure := self.answers.pop(0)):
            raise failure

    async def get_tab(self) -> ScriptedTab:
        return self.scripted

    async def leave_site(self) -> None:
        self.rested += 1

    async def get_cookies(self) -> CookieJar:
        return self.jar

    async def add_cookies(self, jar: CookieJar) -> None:
        self.jar = (*self.jar, *jar)

    async def clear_cookies(self) -> None:
        self.jar = ()

    async def show_login_page(self) -> None:
        self.login_shown = True

    async def hide_login_page(self) -> None:
        self.login_shown = False

    async def close(self) -> None:
        self.closed = True


@dataclass(frozen=True)
class StandIns:
    """What the tests of this folder build with."""

    now = NOW
    site = SITE
    session = SESSION
    home = HOME
    page = staticmethod(page)
    post_id = staticmethod(post_id)
    tab = ScriptedTab
    browser = StandInBrowser


@pytest.fixture
def stand_ins() -> StandIns:
    return StandIns()


@pytest.fixture
def make(stand_ins: StandIns, tmp_path: Path) -> Make:
    def build(*scripts: list[Any], **settings: Any) -> ScriptedService:
        return ScriptedService(stand_ins, tmp_path, [stand_ins.browser(stand_ins.tab(list(scripts)))], **settings)

    return build
