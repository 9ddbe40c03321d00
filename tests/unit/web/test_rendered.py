"""A page is made once for all who ask, and never given to who knows of a later change."""

import asyncio
import gzip
import threading
from collections.abc import Callable
from datetime import timedelta
from http import HTTPStatus

import pytest

from found_footy.platform.errors import Unavailable
from found_footy.web import page_cache
from found_footy.web.hub import LiveHub
from found_footy.web.page_cache import PageCache
from found_footy.web.problems import ProblemError
from tests.support.patience import PATIENCE_SECONDS

AT_ONCE, LONG = timedelta(0), timedelta(seconds=10 * PATIENCE_SECONDS)


class CountingRenderer:
    """Renders the content that is current when it is called, and counts."""

    def __init__(self, reuse: timedelta = AT_ONCE, *, following: bool = True) -> None:
        self.hub = LiveHub("life", max_clients=1)
        self.hub.is_following = following
        self.rendered = PageCache(self.hub, reuse)
        self.printed = 0

    async def make(self) -> Callable[[], bytes]:
        news = self.hub.cursor
        await asyncio.sleep(0)

        def write() -> bytes:
            self.printed += 1
            return news.encode()

        return write

    async def page(self, key: str = "page", seen: str | None = None) -> str:
        kept = await self.rendered.get(key, self.make, seen)
        assert gzip.decompress(kept.gzipped) == kept.body
        return kept.body.decode()


async def test_requests_at_once_share_the_page_that_was_rendered_for_the_first() -> None:
    renderer = CountingRenderer()
    assert set(await asyncio.gather(*(renderer.page() for _ in range(50)))) == {"life-0"}
    assert renderer.printed == 1


async def test_an_unchanged_page_is_rendered_once() -> None:
    renderer = CountingRenderer()
    for _ in range(3):
        assert await renderer.page() == "life-0"
    renderer.hub.publish_change(7)
    for _ in range(3):
        assert await renderer.page() == "life-1"
    assert renderer.printed == 2


async def test_an_outdated_page_is_served_for_a_while_but_not_to_browsers_that_know_the_change() -> None:
    renderer = CountingRenderer(timedelta(milliseconds=50))
    await renderer.page()
    renderer.rendered._reuse_seconds = LONG.total_seconds()
    renderer.hub.publish_change(7)
    assert await renderer.page() == "life-0"
    assert await renderer.page(seen="life-0") == "life-0"
    assert await renderer.page(seen="another-99") == "life-0"
    renderer.rendered._reuse_seconds = 0.001
    assert await renderer.page(seen="life-1") == "life-1"
    assert renderer.printed == 2


async def test_a_plain_request_gets_the_previous_page_while_the_next_is_rendered() -> None:
    renderer, going = CountingRenderer(timedelta(milliseconds=1)), asyncio.Event()
    await renderer.page()
    renderer.hub.publish_change(7)
    await asyncio.sleep(0.01)  # what was made is overtaken, and no longer good enough by itself

    async def slow() -> Callable[[], bytes]:
        write = await renderer.make()
        await going.wait()
        return write

    for _ in range(20):
        assert (await renderer.rendered.get("page", slow)).body == b"life-0"
    heard = asyncio.create_task(renderer.rendered.get("page", slow, "life-1"))
    await asyncio.sleep(0)
    going.set()
    assert (await heard).body == b"life-1"
    assert await renderer.page() == "life-1"
    assert renderer.printed == 2
    await renderer.rendered.aclose()


async def test_a_page_that_could_not_be_renewed_is_logged_and_still_served(caplog: pytest.LogCaptureFixture) -> None:
    renderer = CountingRenderer(timedelta(milliseconds=1))
    await renderer.page()
    renderer.hub.publish_change(7)

    async def fails() -> Callable[[], bytes]:
        raise Unavailable("MongoDB", "no primary")

    while not [record for record in caplog.records if vars(record).get("action") == "page_not_renewed"]:
        assert (await renderer.rendered.get("page", fails)).body == b"life-0"
        await asyncio.sleep(0.01)
    assert await renderer.page(seen="life-1") == "life-1"
    await renderer.rendered.aclose()


async def test_a_page_whose_subject_is_gone_is_shown_no_longer(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    renderer = CountingRenderer(timedelta(milliseconds=1))
    await renderer.page()
    renderer.hub.publish_change(7)

    async def is_gone() -> Callable[[], bytes]:
        raise ProblemError(HTTPStatus.NOT_FOUND, "no longer stored here")

    async with asyncio.timeout(PATIENCE_SECONDS):
        while not [record for record in caplog.records if vars(record).get("action") == "page_removed"]:
            assert (await renderer.rendered.get("page", is_gone)).body == b"life-0"
            await asyncio.sleep(0.01)
    with pytest.raises(ProblemError, match="no longer stored here"):
        await renderer.rendered.get("page", is_gone)
    assert renderer.rendered._cached_bytes == 0
    await renderer.rendered.aclose()


async def test_a_page_that_is_too_old_is_not_shown_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = CountingRenderer(timedelta(milliseconds=1))
    await renderer.page()
    renderer.hub.publish_change(7)
    await asyncio.sleep(0.01)
    monkeypatch.setattr(page_cache, "_MAX_STALE_SECONDS", -1.0)
    monkeypatch.setattr(page_cache, "_MAX_AGE_SECONDS", -1.0)
    assert await renderer.page() == "life-1"


async def test_what_is_being_renewed_ends_with_the_server() -> None:
    renderer = CountingRenderer(timedelta(milliseconds=1))
    await renderer.page()
    renderer.hub.publish_change(7)
    await asyncio.sleep(0.01)

    async def for_ever() -> Callable[[], bytes]:
        await asyncio.Event().wait()
        raise AssertionError

    await renderer.rendered.get("page", for_ever)
    await renderer.rendered.aclose()
    assert not renderer.rendered._refresh_tasks


async def test_changes_in_a_row_do_not_make_a_page_each() -> None:
    """Who has to have the latest one waits until the one before was good for its time."""
    renderer, began = CountingRenderer(timedelta(milliseconds=100)), asyncio.get_running_loop().time()
    for _ in range(5):
        renderer.hub.publish_change(7)
        assert await renderer.page(seen=renderer.hub.cursor) == renderer.hub.cursor
    assert asyncio.get_running_loop().time() - began >= 0.4


async def test_a_page_that_takes_long_is_made_less_often() -> None:
    renderer = CountingRenderer(timedelta(milliseconds=1))
    kept = await renderer.rendered.get("page", renderer.make)
    slow = page_cache.CachedPage(
        "page", kept.cursor, kept.body, kept.gzipped, kept.etag, kept.rendered_at, LONG.total_seconds()
    )
    renderer.rendered._pages["page"] = slow
    renderer.hub.publish_change(7)
    assert await renderer.page() == "life-0"


async def test_without_the_change_stream_no_page_counts_as_current() -> None:
    renderer = CountingRenderer(following=False)
    for _ in range(3):
        await renderer.page()
    assert renderer.printed == 3


async def test_a_page_grows_old_though_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = CountingRenderer()
    await renderer.page()
    monkeypatch.setattr(page_cache, "_MAX_AGE_SECONDS", -1.0)
    await renderer.page()
    assert renderer.printed == 2


async def test_no_more_pages_are_kept_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = CountingRenderer()
    monkeypatch.setattr(page_cache, "_MAX_CACHE_BYTES", 200)
    for number in range(100):
        await renderer.page(str(number))
    assert renderer.rendered._cached_bytes == sum(kept.size for kept in renderer.rendered._pages.values()) <= 200
    assert "99" in renderer.rendered._pages


async def test_others_are_served_while_a_page_is_made() -> None:
    renderer, leave = CountingRenderer(), threading.Event()
    making = asyncio.create_task(renderer.rendered.run_exclusively(lambda: leave.wait(PATIENCE_SECONDS)))
    second = asyncio.create_task(renderer.page())
    for _ in range(100):
        await asyncio.sleep(0)
    assert not making.done()
    assert not second.done()
    leave.set()
    assert await making
    assert await second == "life-0"


async def test_one_page_is_made_at_a_time() -> None:
    """Two that were made at once would meet."""
    renderer, meeting = CountingRenderer(), threading.Barrier(2)

    def has_company() -> bool:
        try:
            meeting.wait(0.5)
        except threading.BrokenBarrierError:
            return False
        return True

    assert await asyncio.gather(*(renderer.rendered.run_exclusively(has_company) for _ in range(2))) == [False, False]


async def test_a_page_that_cannot_be_made_is_tried_again() -> None:
    renderer = CountingRenderer()

    async def fails() -> Callable[[], bytes]:
        raise OSError("the database is away")

    for _ in range(2):
        with pytest.raises(OSError, match="away"):
            await renderer.rendered.get("page", fails)
    assert await renderer.page() == "life-0"
