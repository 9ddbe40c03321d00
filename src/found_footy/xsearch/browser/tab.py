"""The tab that searches: captures the answers that the page receives, and holds back calls that must not be made."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from playwright.async_api import BrowserContext, CDPSession, Page, Request, Response

from found_footy.platform.logs import ActionLogger
from found_footy.xsearch import metrics
from found_footy.xsearch.browser.timeouts import STEP_TIMEOUT_SECONDS, step_timeout
from found_footy.xsearch.errors import TransientFailure
from found_footy.xsearch.results.responses import PageSnapshot, TimelineResponse, classify_document, is_timeline_call
from found_footy.xsearch.search_run import NavigationEvent, TabEvent, WithheldCallEvent

logger = ActionLogger(__name__)
T = TypeVar("T")

# Pictures, videos and fonts are never loaded. Scripts are not intercepted, so the browser's cache keeps them.
_BLOCKED_RESOURCE_TYPES = ("Image", "Media", "Font")
_INTERCEPT_PATTERNS = [{"urlPattern": "*", "resourceType": kind} for kind in _BLOCKED_RESOURCE_TYPES] + [
    {"urlPattern": "*/SearchTimeline*"}
]
_CHALLENGE_HOSTS = ("arkoselabs", "funcaptcha")
_BLANK_URL = "about:blank"
_SNAPSHOT_SCRIPT = """() => {
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
class TabOptions:
    """`try_spend` takes a search call from the budget; `apply_headers` gets the headers of every answer to one."""

    try_spend: Callable[[], bool]
    apply_headers: Callable[[Mapping[str, str]], None]
    page_timeout: timedelta
    answer_timeout: timedelta
    answer_limit: int


class PlaywrightTab:
    """Implements `SearchTab` on a Playwright page. Build with `create`."""

    def __init__(self, page: Page, cdp: CDPSession, options: TabOptions) -> None:
        self._page = page
        self._cdp = cdp
        self._options = options
        # An answer is queued when it begins to arrive, which fixes its order, and read when it is dequeued.
        self._events: asyncio.Queue[TabEvent | TransientFailure | asyncio.Task[TimelineResponse]] = asyncio.Queue()
        self._tasks: set[asyncio.Task[Any]] = set()
        # A page with few results loads more by itself. Each call costs budget, so the page gets only those that the
        # search requests: one when it opens, one more with every scroll. Others are held until then, and dropped with
        # the page.
        self._call_due = False
        self._call_under_way = False
        self._held_requests: deque[str] = deque()
        self.is_broken = False

    @classmethod
    async def create(cls, context: BrowserContext, page: Page, options: TabOptions) -> "PlaywrightTab":
        cdp = await context.new_cdp_session(page)
        tab = cls(page, cdp, options)
        cdp.on("Fetch.requestPaused", tab._on_request_paused)
        page.on("response", tab._on_response)
        page.on("requestfailed", tab._on_request_failed)
        page.on("framenavigated", lambda frame: tab._on_navigated(frame.url) if frame == page.main_frame else None)
        page.on("crash", lambda _: tab.mark_broken("the page crashed"))
        page.on("close", lambda _: tab.mark_broken("the page was closed"))
        await cdp.send("Fetch.enable", {"patterns": _INTERCEPT_PATTERNS})
        return tab

    def mark_broken(self, why: str) -> None:
        """Mark the tab as unusable and wake whoever waits for an event."""
        self.is_broken = True
        self._events.put_nowait(TransientFailure(why))

    async def open(self, url: str) -> None:
        if self._page.url != _BLANK_URL:
            # An answer to the old page must not be taken for one to the new page.
            await self.open_blank()
        self._reset_calls()
        self._request_call()
        limit = self._options.page_timeout.total_seconds()
        async with step_timeout("the page did not open", limit + STEP_TIMEOUT_SECONDS):
            response = await self._page.goto(url, wait_until="commit", timeout=limit * 1000)
        if response and (failure := classify_document(response.status, response.headers)):
            raise failure

    async def next_event(self, timeout_seconds: float) -> TabEvent | None:
        if self.is_broken and self._events.empty():
            raise TransientFailure("the browser has exited")
        try:
            async with asyncio.timeout(max(0.0, timeout_seconds)):
                event = await self._events.get()
        except TimeoutError:
            return None
        if isinstance(event, TransientFailure):
            raise event
        return await event if isinstance(event, asyncio.Task) else event

    async def scroll(self) -> None:
        # A scroll while an answer is arriving or queued must not request another call.
        if not self._call_under_way and self._events.empty():
            self._request_call()
        await self._evaluate("() => window.scrollTo(0, document.documentElement.scrollHeight)")

    async def take_snapshot(self) -> PageSnapshot:
        seen = await self._evaluate(_SNAPSHOT_SCRIPT)
        return PageSnapshot(
            url=self._page.url,
            text=str(seen["text"]),
            logged_in=bool(seen["loggedIn"]),
            articles=int(seen["articles"]),
            empty_state=bool(seen["emptyState"]),
            error_detail=bool(seen["errorDetail"]),
            challenge=any(word in frame.url for frame in self._page.frames for word in _CHALLENGE_HOSTS),
        )

    async def open_blank(self) -> None:
        """Open a blank page, so that nothing of the site runs any more."""
        self._reset_calls()
        try:
            async with step_timeout("the page cannot be left"):
                await self._page.goto(_BLANK_URL)
        except TransientFailure as failure:
            self.mark_broken(failure.message)

    async def close(self) -> None:
        """Close the page; one that is already gone is no error."""
        try:
            async with step_timeout("the page cannot be closed"):
                await self._page.close()
        except TransientFailure as failure:
            logger.info("a page was not closed", action="close_tab", error=failure.message)

    async def _evaluate(self, script: str) -> Any:
        async with step_timeout("the page cannot be read"):
            return await self._page.evaluate(script)

    def _on_navigated(self, url: str) -> None:
        self._events.put_nowait(NavigationEvent(url))

    def _on_request_paused(self, event: dict[str, Any]) -> None:
        request = event["request"]
        if is_timeline_call(request["url"], request["method"]):
            self._held_requests.append(event["requestId"])
            self._release_held_call()
        else:
            self._spawn(
                self._resume_request(
                    event["requestId"], passes=event.get("resourceType") not in _BLOCKED_RESOURCE_TYPES
                )
            )

    def _reset_calls(self) -> None:
        self._events = asyncio.Queue()
        self._call_due = self._call_under_way = False
        self._held_requests.clear()

    def _request_call(self) -> None:
        self._call_due = True
        self._release_held_call()

    def _release_held_call(self) -> None:
        if self._call_due and self._held_requests:
            self._call_due, self._call_under_way = False, self._spend_budget()
            self._spawn(self._resume_request(self._held_requests.popleft(), passes=self._call_under_way))

    def _on_request_failed(self, request: Request) -> None:
        """A call that the page aborted brings no answer, so the next one may replace it."""
        if self._call_under_way and is_timeline_call(request.url, request.method):
            self._call_under_way = False
            self._request_call()

    def _spend_budget(self) -> bool:
        try:
            allowed = self._options.try_spend()
        except OSError:
            # A call that cannot be recorded must not be made.
            logger.exception("the budget cannot be recorded", action="budget_unwritable")
            allowed = False
        (metrics.SEARCH_CALLS if allowed else metrics.WITHHELD_CALLS).inc()
        if not allowed:
            self._events.put_nowait(WithheldCallEvent())
        return allowed

    async def _resume_request(self, request_id: str, *, passes: bool) -> None:
        method = "Fetch.continueRequest" if passes else "Fetch.failRequest"
        reason = {} if passes else {"errorReason": "BlockedByClient"}
        try:
            async with step_timeout("a request was cancelled"):
                await self._cdp.send(method, {"requestId": request_id, **reason})
        except TransientFailure as failure:
            # The page has navigated, which ended the request.
            logger.debug("a request was cancelled", action="resume_request", error=failure.message)

    def _on_response(self, response: Response) -> None:
        request: Request = response.request
        if is_timeline_call(response.url, request.method):
            self._call_under_way = False
            self._events.put_nowait(self._spawn(self._read_response(response)))

    async def _read_response(self, response: Response) -> TimelineResponse:
        headers = {name.lower(): value for name, value in response.headers.items()}
        self._options.apply_headers(headers)
        return TimelineResponse(response.status, headers, await self._read_body(response))

    async def _read_body(self, response: Response) -> bytes | None:
        try:
            async with step_timeout("an answer was lost", self._options.answer_timeout.total_seconds()):
                body = await response.body()
        except TransientFailure as failure:
            logger.info("an answer was lost", action="read_answer", error=failure.message)
            return None
        return body if len(body) <= self._options.answer_limit else None

    def _spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
