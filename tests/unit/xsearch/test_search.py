"""One search in a tab that plays a script: when it stops, what it keeps, what it reports."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from found_footy.xsearch.errors import (
    Blocked,
    ProtocolDrift,
    RateLimited,
    SearchFailed,
    SessionExpired,
    Transient,
)
from found_footy.xsearch.harvest import Harvest, Stop, Wanted
from found_footy.xsearch.search import Event, Manner, Moved, Search, Withheld, search_url
from found_footy.xsearch.signals import Answer, View

if TYPE_CHECKING:
    from tests.unit.xsearch.conftest import Kit

MANNER = Manner(
    site="https://x.com",
    filter="filter:videos",
    answer_timeout=timedelta(seconds=1),
    scroll_timeout=timedelta(seconds=0.05),
    time_limit=timedelta(seconds=5),
    most_pages=3,
    linger=lambda: 0.001,
)
FRESH, OLD = timedelta(minutes=1), timedelta(minutes=30)
DOWN = Answer(503, {}, b"")
PARTIAL = [{"message": "Dependency: Unspecified", "code": 0}]
Script = list[list[Event | BaseException | None]]


async def run(kit: "Kit", script: Script, *, limit: int = 50, exclude: frozenset[str] = frozenset()) -> Harvest:
    wanted = Wanted(kit.now - timedelta(minutes=3), limit, exclude)
    return await Search(kit.tab(script), MANNER, wanted).run("Saka")


async def test_it_ends_when_posts_are_older_than_asked(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page([FRESH, FRESH, OLD, OLD])]])
    assert (harvest.stop, len(harvest.videos), harvest.posts) == (Stop.OLDER, 2, 4)
    assert not harvest.incomplete


async def test_one_old_post_among_fresh_ones_does_not_end_it(kit: "Kit") -> None:
    pages = [kit.page([FRESH, OLD, FRESH, FRESH], "a"), kit.page([FRESH, OLD], "b", first=10)]
    harvest = await run(kit, [[*pages]])
    assert (harvest.stop, len(harvest.videos), harvest.pages) == (Stop.OLDER, 4, 2)


async def test_it_ends_with_as_many_as_asked(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page([FRESH] * 9)]], limit=4)
    assert (harvest.stop, len(harvest.videos)) == (Stop.LIMIT, 4)


async def test_known_posts_are_left_out_and_do_not_count(kit: "Kit") -> None:
    known = kit.post_id(FRESH, 0)
    harvest = await run(kit, [[kit.page([FRESH, FRESH], cursor=None)]], limit=2, exclude=frozenset({known}))
    assert [video.tweet_id for video in harvest.videos] == [kit.post_id(FRESH, 1)]


async def test_a_post_that_comes_twice_is_found_once(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page([FRESH], "a"), kit.page([FRESH], None)]])
    assert len(harvest.videos) == 1


@pytest.mark.parametrize("cursor", ["same", None])
async def test_the_same_cursor_twice_or_none_is_the_end(kit: "Kit", cursor: str | None) -> None:
    harvest = await run(kit, [[kit.page([FRESH], "same"), kit.page([FRESH], cursor, first=5)]])
    assert (harvest.stop, harvest.pages) == (Stop.END, 2)


async def test_empty_pages_may_come_before_posts(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page(cursor="a"), kit.page(cursor="b"), kit.page([FRESH, OLD], "c")]])
    assert (harvest.stop, len(harvest.videos)) == (Stop.OLDER, 1)


async def test_an_empty_page_after_posts_is_the_end(kit: "Kit") -> None:
    assert (await run(kit, [[kit.page([FRESH], "a"), kit.page(cursor="b")]])).stop is Stop.END


async def test_three_empty_pages_are_a_genuine_nothing(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page(cursor="a"), kit.page(cursor="b"), kit.page(cursor="c")]])
    assert (harvest.stop, harvest.videos, harvest.incomplete) == (Stop.END, (), False)


async def test_it_reads_no_more_pages_than_it_may(kit: "Kit") -> None:
    pages = [kit.page([FRESH], cursor, first=n) for n, cursor in enumerate("abcd")]
    harvest = await run(kit, [[*pages]])
    assert (harvest.stop, harvest.pages, harvest.incomplete) == (Stop.PAGES, 3, True)


async def test_as_many_empty_pages_as_it_may_read_are_no_failure(kit: "Kit") -> None:
    tab = kit.tab([[kit.page(cursor="a"), kit.page(cursor="b")]])
    harvest = await Search(tab, replace(MANNER, most_pages=2), Wanted(kit.now - OLD, 50)).run("Saka")
    assert (harvest.stop, harvest.videos, harvest.incomplete) == (Stop.PAGES, (), True)


async def test_a_page_that_asks_for_no_more_is_the_end_of_it(kit: "Kit") -> None:
    tab = kit.tab([[kit.page([FRESH])]])
    harvest = await Search(tab, MANNER, Wanted(kit.now - OLD, 50)).run("Saka")
    assert harvest.stop is Stop.QUIET
    assert tab.scrolls > 1


async def test_no_results_shown_by_the_page_need_no_scrolling(kit: "Kit") -> None:
    tab = kit.tab([[kit.page()]], View("https://x.com/search", logged_in=True, empty_state=True))
    harvest = await Search(tab, MANNER, Wanted(kit.now - OLD, 50)).run("Saka")
    assert (harvest.stop, tab.scrolls) == (Stop.END, 0)


@pytest.mark.parametrize(
    ("event", "failure"),
    [
        (DOWN, Transient),
        (Answer(404, {}, b""), ProtocolDrift),
        (Moved("https://x.com/i/flow/login"), SessionExpired),
        (Withheld(), RateLimited),
        (Transient("the browser is gone"), Transient),
    ],
)
async def test_failing_before_anything_was_found_is_a_failure(
    kit: "Kit", event: Event | BaseException, failure: type[SearchFailed]
) -> None:
    with pytest.raises(failure):
        await run(kit, [[Moved("https://x.com/search?q=1"), event]])


@pytest.mark.parametrize(
    ("event", "stop", "failure"),
    [
        (DOWN, Stop.FAILED, Transient),
        (Answer(429, {}, b""), Stop.FAILED, RateLimited),
        (Moved("https://x.com/account/access"), Stop.FAILED, SearchFailed),
        (Withheld(), Stop.BUDGET, type(None)),
        (Transient("the browser is gone"), Stop.FAILED, Transient),
    ],
)
async def test_failing_later_keeps_what_was_found_and_says_that_more_may_be_missing(
    kit: "Kit", event: Event | BaseException, stop: Stop, failure: type
) -> None:
    harvest = await run(kit, [[kit.page([FRESH]), event]])
    assert (harvest.stop, len(harvest.videos), harvest.incomplete) == (stop, 1, True)
    assert isinstance(harvest.failure, failure)


async def test_a_partial_answer_is_asked_for_once_more_and_both_are_joined(kit: "Kit") -> None:
    script: Script = [[kit.page([FRESH], errors=PARTIAL)], [kit.page([FRESH, FRESH, OLD, OLD])]]
    harvest = await run(kit, script)
    assert (harvest.stop, len(harvest.videos), harvest.incomplete) == (Stop.OLDER, 2, False)
    assert script == []


async def test_a_partial_answer_twice_is_given_as_incomplete(kit: "Kit") -> None:
    script: Script = [[kit.page([FRESH], errors=PARTIAL)], [kit.page([FRESH], errors=PARTIAL)], [kit.page()]]
    harvest = await run(kit, script)
    assert (harvest.stop, len(harvest.videos), harvest.incomplete) == (Stop.DEGRADED, 1, True)
    assert len(script) == 1


async def test_a_partial_answer_without_posts_is_never_an_empty_result(kit: "Kit") -> None:
    with pytest.raises(Transient):
        await run(kit, [[kit.page(errors=PARTIAL)], [kit.page(errors=PARTIAL)]])


async def test_a_partial_answer_followed_by_a_sound_empty_one_is_empty(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page(errors=PARTIAL)], [kit.page(cursor=None)]])
    assert (harvest.videos, harvest.incomplete) == ((), False)


async def test_a_page_that_does_nothing_becomes_a_closed_door(kit: "Kit") -> None:
    for shells, failure in ((0, Transient), (2, Blocked)):
        tab = kit.tab([[None]], View("https://x.com/search"))
        with pytest.raises(failure):
            await Search(tab, MANNER, Wanted(kit.now, 1), shells).run("Saka")


async def test_a_search_that_takes_too_long_fails_by_name(kit: "Kit") -> None:
    from dataclasses import replace

    tab = kit.tab([[]], hold=asyncio.Event())
    with pytest.raises(Transient, match="too long"):
        await Search(tab, replace(MANNER, time_limit=timedelta(0)), Wanted(kit.now, 1)).run("Saka")


def test_the_query_is_quoted_into_the_address_of_the_live_search() -> None:
    url = search_url(MANNER, '(Son OR "Heung Min") -filter:replies & more')
    assert url == (
        "https://x.com/search?q=%28Son%20OR%20%22Heung%20Min%22%29%20-filter%3Areplies%20%26%20more%20filter%3Avideos"
        "&src=typed_query&f=live"
    )
