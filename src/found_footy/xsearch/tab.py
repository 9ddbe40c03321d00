"""The tab that searches: sees the answers that the page receives, and stops the calls it must not make."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from playwright.async_api import BrowserContext, CDPSession, Page, Request, Response

from found_footy.xsearch import metrics
from found_footy.xsearch.driving import STEP_SECONDS, driving
from found_footy.xsearch.errors import Transient
from found_footy.xsearch.search import Event, Moved, Withheld
from found_footy.xsearch.signals import Answer, View, is_timeline, judge_document

logger = logging.getLogger(__name__)
T = TypeVar("T")

# Pictures, videos and fonts are never fetched. Scripts pass untouched, and stay in the browser's cache.
_BLOCKED = ("Image", "Media", "Font")
_PATTERNS = [{"urlPattern": "*", "resourceType": kind} for kind in _BLOCKED] + [{"urlPattern": "*/SearchTimeline*"}]
_CHALLENGES = ("arkoselabs", "funcaptcha")
_BLANK = "about:blank"
_LOOK = """() => {
  const has = (id) => document.querySelector(`[data-testid="${id}"]`) !== null;
  return {
    text: (document.body?.innerText ?? "").slice(0, 4000),
    loggedIn: has("SideNav_AccountSwitcher_Button") || has("SideNav_NewTweet_Button"),
    articles: document.querySelectorAll('article[data-testid="tweet"]').length,
    emptyState: has("emptyState"),
    errorDetail: has("error-detail"),
  };
}"""


@dataclass(frozen=True)
class TabRules:
    """`allow` takes a search call from the budget; `heard` is told the headers of every answer to one."""

    allow: Callable[[], bool]
    heard: Callable[[Mapping[str, str]], None]
    page_timeout: timedelta
    answer_timeout: timedelta
    answer_limit: int


class BrowserTab:
    """Implements `Tab` on a Playwright page. Build with `create`."""

    def __init__(self, page: Page, cdp: CDPSession, rules: TabRules) -> None:
        self._page = page
        self._cdp = cdp
        self._rules = rules
        # An answer takes its place in the order of events when it begins to arrive, and is read when its turn comes.
        self._events: asyncio.Queue[Event | Transient | asyncio.Task[Answer]] = asyncio.Queue()
        self._tasks: set[asyncio.Task[Any]] = set()
        # A page that shows little asks for more by itself. Each call costs, so it gets those that the search wants:
        # one when it opens, one more with every scroll. Others are held until then, and dropped with the page.
        self._call_due = False
        self._call_under_way = False
        self._held: deque[str] = deque()
        self.broken = False

    @classmethod
    async def create(cls, context: BrowserContext, page: Page, rules: TabRules) -> "BrowserTab":
        cdp = await context.new_cdp_session(page)
        tab = cls(page, cdp, rules)
        cdp.on("Fetch.requestPaused", tab._paused)
        page.on("response", tab._responded)
        page.on("requestfailed", tab._gone_wrong)
        page.on("framenavigated", lambda frame: tab._moved(frame.url) if frame == page.main_frame else None)
        page.on("crash", lambda _: tab.lose("the page crashed"))
        page.on("close", lambda _: tab.lose("the page was closed"))
        await cdp.send("Fetch.enable", {"patterns": _PATTERNS})
        return tab

    def lose(self, why: str) -> None:
        """The tab is of no use any more; whoever waits for it is told."""
        self.broken = True
        self._events.put_nowait(Transient(why))

    async def open(self, url: str) -> None:
        if self._page.url != _BLANK:
            # An answer to the page that is being left must not be taken for one to the next.
            await self.blank()
        self._forget_calls()
        self._want_a_call()
        limit = self._rules.page_timeout.total_seconds()
        async with driving("the page did not open", limit + STEP_SECONDS):
            response = await self._page.goto(url, wait_until="commit", timeout=limit * 1000)
        if response and (failure := judge_document(response.status, response.headers)):
            raise failure

    async def event(self, within: float) -> Event | None:
        if self.broken and self._events.empty():
            raise Transient("the browser is gone")
        try:
            async with asyncio.timeout(max(0.0, within)):
                happened = await self._events.get()
        except TimeoutError:
            return None
        if isinstance(happened, Transient):
            raise happened
        return await happened if isinstance(happened, asyncio.Task) else happened

    async def scroll(self) -> None:
        # A scroll that comes while an answer is on its way, or waits to be read, must not pay for the one after it.
        if not self._call_under_way and self._events.empty():
            self._want_a_call()
        await self._evaluate("() => window.scrollTo(0, document.documentElement.scrollHeight)")

    async def view(self) -> View:
        seen = await self._evaluate(_LOOK)
        return View(
            url=self._page.url,
            text=str(seen["text"]),
            logged_in=bool(seen["loggedIn"]),
            articles=int(seen["articles"]),
            empty_state=bool(seen["emptyState"]),
            error_detail=bool(seen["errorDetail"]),
            challenge=any(word in frame.url for frame in self._page.frames for word in _CHALLENGES),
        )

    async def blank(self) -> None:
        """Leave the site, so that nothing of it runs any more."""
        self._forget_calls()
        try:
            async with driving("the page cannot be left"):
                await self._page.goto(_BLANK)
        except Transient as failure:
            self.lose(failure.message)

    async def close(self) -> None:
        """Close the page; one that is gone already is as good."""
        try:
            async with driving("the page cannot be closed"):
                await self._page.close()
        except Transient as failure:
            logger.info("a page was left behind", extra={"action": "close_tab", "error": failure.message})

    async def _evaluate(self, script: str) -> Any:
        async with driving("the page cannot be read"):
            return await self._page.evaluate(script)

    def _moved(self, url: str) -> None:
        self._events.put_nowait(Moved(url))

    def _paused(self, event: dict[str, Any]) -> None:
        request = event["request"]
        if is_timeline(request["url"], request["method"]):
            self._held.append(event["requestId"])
            self._let_through()
        else:
            self._spawn(self._resume(event["requestId"], passes=event.get("resourceType") not in _BLOCKED))

    def _forget_calls(self) -> None:
        self._events = asyncio.Queue()
        self._call_due = self._call_under_way = False
        self._held.clear()

    def _want_a_call(self) -> None:
        self._call_due = True
        self._let_through()

    def _let_through(self) -> None:
        if self._call_due and self._held:
            self._call_due, self._call_under_way = False, self._take_from_budget()
            self._spawn(self._resume(self._held.popleft(), passes=self._call_under_way))

    def _gone_wrong(self, request: Request) -> None:
        """A call that the page gave up brings no answer, so the next one may take its place."""
        if self._call_under_way and is_timeline(request.url, request.method):
            self._call_under_way = False
            self._want_a_call()

    def _take_from_budget(self) -> bool:
        try:
            allowed = self._rules.allow()
        except OSError:
            # What cannot be written down must not be spent.
            logger.exception("the budget cannot be kept", extra={"action": "budget_unwritable"})
            allowed = False
        (metrics.CALLS if allowed else metrics.WITHHELD).inc()
        if not allowed:
            self._events.put_nowait(Withheld())
        return allowed

    async def _resume(self, request_id: str, *, passes: bool) -> None:
        method = "Fetch.continueRequest" if passes else "Fetch.failRequest"
        reason = {} if passes else {"errorReason": "BlockedByClient"}
        try:
            async with driving("a request went away"):
                await self._cdp.send(method, {"requestId": request_id, **reason})
        except Transient as failure:
            # The page has moved on and the request with it.
            logger.debug("a request went away", extra={"action": "resume_request", "error": failure.message})

    def _responded(self, response: Response) -> None:
        request: Request = response.request
        if is_timeline(response.url, request.method):
            self._call_under_way = False
            self._events.put_nowait(self._spawn(self._read(response)))

    async def _read(self, response: Response) -> Answer:
        headers = {name.lower(): value for name, value in response.headers.items()}
        self._rules.heard(headers)
        return Answer(response.status, headers, await self._body(response))

    async def _body(self, response: Response) -> bytes | None:
        try:
            async with driving("an answer was lost", self._rules.answer_timeout.total_seconds()):
                body = await response.body()
        except Transient as failure:
            logger.info("an answer was lost", extra={"action": "read_answer", "error": failure.message})
            return None
        return body if len(body) <= self._rules.answer_limit else None

    def _spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
