"""One search in a tab that plays a script: when it stops, what it keeps, what it reports."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from found_footy.model.handoff import FoundVideo
from found_footy.xsearch.errors import (
    AccountLocked,
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
from found_footy.xsearch.wire import SearchRequest

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


async def test_of_a_known_post_the_videos_that_were_not_taken_are_found_again(kit: "Kit") -> None:
    post = "https://x.com/a/status/2089000000000000001"
    videos = [
        FoundVideo(url, "2089000000000000001", "a", kit.now, 9.0)
        for url in (post, f"{post}/video/2", f"{post}/video/4")
    ]

    def wants(*known: str) -> list[bool]:
        exclude = SearchRequest(query="q", exclude=list(known)).asked().exclude
        return [Wanted(kit.now, 1, exclude).wants(video) for video in videos]

    assert wants() == [True, True, True]
    assert wants(post) == wants(f"{post}/video/1") == wants(post.replace("/a/", "/renamed/")) == [False, True, True]
    assert wants(f"{post}/video/2", f"{post}/video/4") == [True, False, False]
    assert wants("2089000000000000001") == [False, False, False]


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


async def test_an_empty_answer_is_asked_for_again_as_often_as_told(kit: "Kit") -> None:
    tab = kit.tab([[kit.page(cursor=None)], [kit.page(cursor=None)], [kit.page([FRESH, OLD])]])
    harvest = await Search(tab, MANNER, Wanted(kit.now - timedelta(minutes=3), 50), empty_passes=2).run("Saka")
    assert (harvest.posts, harvest.stop, harvest.contradicted, len(tab.opened)) == (0, Stop.END, False, 2)


async def test_an_empty_answer_that_was_not_is_remembered(kit: "Kit") -> None:
    tab = kit.tab([[kit.page(cursor=None)], [kit.page([FRESH, OLD])]])
    harvest = await Search(tab, MANNER, Wanted(kit.now - timedelta(minutes=3), 50), empty_passes=3).run("Saka")
    assert (len(harvest.videos), harvest.contradicted, harvest.incomplete) == (1, True, False)


async def test_an_account_that_the_page_calls_suspended_is_not_a_changed_site(kit: "Kit") -> None:
    suspended = View("https://x.com/search", text="Your account is suspended", logged_in=True)
    for seen, failure in ((suspended, AccountLocked), (kit.home, ProtocolDrift)):
        with pytest.raises(SearchFailed) as caught:
            await Search(kit.tab([[Answer(404, {}, b"")]], seen), MANNER, Wanted(kit.now, 1)).run("Saka")
        assert type(caught.value) is failure


def busy(kit: "Kit", since: int, until: int, first: int) -> list[Event | BaseException | None]:
    """Two pages of posts, one a minute, from `until` back to `since` minutes ago, newest first."""
    ages = [timedelta(minutes=minutes) for minutes in range(until, since + 1)]
    half = len(ages) // 2
    return [
        kit.page(ages[:half], "a", first=first),
        kit.page(ages[half:], "b", first=first + half),
        *(kit.page([timedelta(minutes=since + 1 + more)], f"c{more}", first=900 + more) for more in range(8)),
    ]  # fmt: skip


async def reaching_back(kit: "Kit", script: Script) -> tuple[Harvest, list[str]]:
    """For everything of the last hour, at most four pages; the first stretch of it is ten minutes."""
    tab = kit.tab(script)
    start = kit.now - timedelta(hours=1)
    wanted = Wanted(start, 100, stretch_end=start + timedelta(minutes=10))
    return await Search(tab, replace(MANNER, most_pages=4), wanted).run("Saka"), tab.opened


async def test_a_long_search_in_a_busy_match_reads_the_beginning_too(kit: "Kit") -> None:
    harvest, opened = await reaching_back(kit, [busy(kit, 19, 0, 0), [kit.page([timedelta(minutes=55)] * 3, None, 50)]])
    start = int(kit.now.timestamp()) - 3600
    assert f"since_time%3A{start}%20until_time%3A{start + 600}%20filter%3Avideos" in opened[1]
    assert (harvest.stop, harvest.pages, len(harvest.videos)) == (Stop.PAGES, 3, 23)
    assert harvest.incomplete


async def test_when_both_ends_meet_nothing_is_missing(kit: "Kit") -> None:
    script: Script = [busy(kit, 52, 0, 0), [kit.page([timedelta(minutes=56)] * 3, None, 100)]]
    harvest, opened = await reaching_back(kit, script)
    assert f"until_time%3A{int(kit.now.timestamp()) - 52 * 60}%20" in opened[1]
    assert (harvest.stop, len(harvest.videos), harvest.incomplete) == (Stop.END, 56, False)


async def test_a_beginning_that_comes_back_empty_proves_nothing(kit: "Kit") -> None:
    harvest, opened = await reaching_back(kit, [busy(kit, 52, 0, 0), [kit.page([], None)]])
    assert (harvest.stop, len(harvest.videos), len(opened)) == (Stop.PAGES, 53, 2)


async def test_a_long_search_that_finds_little_reads_no_stretch(kit: "Kit") -> None:
    harvest, opened = await reaching_back(kit, [[kit.page([FRESH, OLD], None)]])
    assert (harvest.stop, len(opened)) == (Stop.END, 1)


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
