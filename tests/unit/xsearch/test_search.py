"""One search in a tab that plays a script: when it stops, what it keeps, what it reports."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from found_footy.domain.messages import ClipCandidate
from found_footy.xsearch.errors import (
    SearchFailed,
    TransientFailure,
    XAccountLocked,
    XBlocked,
    XProtocolDrift,
    XRateLimited,
    XSessionExpired,
)
from found_footy.xsearch.results.responses import PageSnapshot, TimelineResponse
from found_footy.xsearch.results.search_results import SearchCriteria, SearchResults, StopReason
from found_footy.xsearch.search_run import (
    NavigationEvent,
    SearchOptions,
    SearchRun,
    TabEvent,
    WithheldCallEvent,
    build_search_url,
)
from found_footy.xsearch.wire import SearchRequest

if TYPE_CHECKING:
    from tests.support.xsearch.stand_in_browser import Kit

MANNER = SearchOptions(
    site="https://x.com",
    filter="filter:videos",
    answer_timeout=timedelta(seconds=1),
    scroll_timeout=timedelta(seconds=0.05),
    time_limit=timedelta(seconds=5),
    max_pages=3,
    scroll_delay=lambda: 0.001,
)
FRESH, OLD = timedelta(minutes=1), timedelta(minutes=30)
DOWN = TimelineResponse(503, {}, b"")
PARTIAL = [{"message": "Dependency: Unspecified", "code": 0}]
Script = list[list[TabEvent | BaseException | None]]


async def run(kit: "Kit", script: Script, *, limit: int = 50, exclude: frozenset[str] = frozenset()) -> SearchResults:
    wanted = SearchCriteria(kit.now - timedelta(minutes=3), limit, exclude)
    return await SearchRun(kit.tab(script), MANNER, wanted).run("Saka")


async def test_it_ends_when_posts_are_older_than_asked(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page([FRESH, FRESH, OLD, OLD])]])
    assert (harvest.stop, len(harvest.videos), harvest.posts) == (StopReason.OLDER, 2, 4)
    assert not harvest.is_incomplete


async def test_one_old_post_among_fresh_ones_does_not_end_it(kit: "Kit") -> None:
    pages = [kit.page([FRESH, OLD, FRESH, FRESH], "a"), kit.page([FRESH, OLD], "b", first=10)]
    harvest = await run(kit, [[*pages]])
    assert (harvest.stop, len(harvest.videos), harvest.pages) == (StopReason.OLDER, 4, 2)


async def test_it_ends_with_as_many_as_asked(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page([FRESH] * 9)]], limit=4)
    assert (harvest.stop, len(harvest.videos)) == (StopReason.LIMIT, 4)


async def test_known_posts_are_left_out_and_do_not_count(kit: "Kit") -> None:
    known = kit.post_id(FRESH, 0)
    harvest = await run(kit, [[kit.page([FRESH, FRESH], cursor=None)]], limit=2, exclude=frozenset({known}))
    assert [video.tweet_id for video in harvest.videos] == [kit.post_id(FRESH, 1)]


async def test_of_a_known_post_the_videos_that_were_not_taken_are_found_again(kit: "Kit") -> None:
    post = "https://x.com/a/status/2089000000000000001"
    videos = [
        ClipCandidate(url, "2089000000000000001", "a", kit.now, 9.0)
        for url in (post, f"{post}/video/2", f"{post}/video/4")
    ]

    def wants(*known: str) -> list[bool]:
        exclude = SearchRequest(query="q", exclude=list(known)).to_parameters().exclude
        return [SearchCriteria(kit.now, 1, exclude).is_match(video) for video in videos]

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
    assert (harvest.stop, harvest.pages) == (StopReason.END, 2)


async def test_empty_pages_may_come_before_posts(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page(cursor="a"), kit.page(cursor="b"), kit.page([FRESH, OLD], "c")]])
    assert (harvest.stop, len(harvest.videos)) == (StopReason.OLDER, 1)


async def test_an_empty_page_after_posts_is_the_end(kit: "Kit") -> None:
    assert (await run(kit, [[kit.page([FRESH], "a"), kit.page(cursor="b")]])).stop is StopReason.END


async def test_three_empty_pages_are_a_genuine_nothing(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page(cursor="a"), kit.page(cursor="b"), kit.page(cursor="c")]])
    assert (harvest.stop, harvest.videos, harvest.is_incomplete) == (StopReason.END, (), False)


async def test_it_reads_no_more_pages_than_it_may(kit: "Kit") -> None:
    pages = [kit.page([FRESH], cursor, first=n) for n, cursor in enumerate("abcd")]
    harvest = await run(kit, [[*pages]])
    assert (harvest.stop, harvest.pages, harvest.is_incomplete) == (StopReason.PAGES, 3, True)


async def test_as_many_empty_pages_as_it_may_read_are_no_failure(kit: "Kit") -> None:
    tab = kit.tab([[kit.page(cursor="a"), kit.page(cursor="b")]])
    harvest = await SearchRun(tab, replace(MANNER, max_pages=2), SearchCriteria(kit.now - OLD, 50)).run("Saka")
    assert (harvest.stop, harvest.videos, harvest.is_incomplete) == (StopReason.PAGES, (), True)


async def test_a_page_that_asks_for_no_more_is_the_end_of_it(kit: "Kit") -> None:
    tab = kit.tab([[kit.page([FRESH])]])
    harvest = await SearchRun(tab, MANNER, SearchCriteria(kit.now - OLD, 50)).run("Saka")
    assert harvest.stop is StopReason.QUIET
    assert tab.scrolls > 1


async def test_no_results_shown_by_the_page_need_no_scrolling(kit: "Kit") -> None:
    tab = kit.tab([[kit.page()]], PageSnapshot("https://x.com/search", logged_in=True, empty_state=True))
    harvest = await SearchRun(tab, MANNER, SearchCriteria(kit.now - OLD, 50)).run("Saka")
    assert (harvest.stop, tab.scrolls) == (StopReason.END, 0)


@pytest.mark.parametrize(
    ("event", "failure"),
    [
        (DOWN, TransientFailure),
        (TimelineResponse(404, {}, b""), XProtocolDrift),
        (NavigationEvent("https://x.com/i/flow/login"), XSessionExpired),
        (WithheldCallEvent(), XRateLimited),
        (TransientFailure("the browser is gone"), TransientFailure),
    ],
)
async def test_failing_before_anything_was_found_is_a_failure(
    kit: "Kit", event: TabEvent | BaseException, failure: type[SearchFailed]
) -> None:
    with pytest.raises(failure):
        await run(kit, [[NavigationEvent("https://x.com/search?q=1"), event]])


@pytest.mark.parametrize(
    ("event", "stop", "failure"),
    [
        (DOWN, StopReason.FAILED, TransientFailure),
        (TimelineResponse(429, {}, b""), StopReason.FAILED, XRateLimited),
        (NavigationEvent("https://x.com/account/access"), StopReason.FAILED, SearchFailed),
        (WithheldCallEvent(), StopReason.BUDGET, type(None)),
        (TransientFailure("the browser is gone"), StopReason.FAILED, TransientFailure),
    ],
)
async def test_failing_later_keeps_what_was_found_and_says_that_more_may_be_missing(
    kit: "Kit", event: TabEvent | BaseException, stop: StopReason, failure: type
) -> None:
    harvest = await run(kit, [[kit.page([FRESH]), event]])
    assert (harvest.stop, len(harvest.videos), harvest.is_incomplete) == (stop, 1, True)
    assert isinstance(harvest.failure, failure)


async def test_a_partial_answer_is_asked_for_once_more_and_both_are_joined(kit: "Kit") -> None:
    script: Script = [[kit.page([FRESH], errors=PARTIAL)], [kit.page([FRESH, FRESH, OLD, OLD])]]
    harvest = await run(kit, script)
    assert (harvest.stop, len(harvest.videos), harvest.is_incomplete) == (StopReason.OLDER, 2, False)
    assert script == []


async def test_a_partial_answer_twice_is_given_as_incomplete(kit: "Kit") -> None:
    script: Script = [[kit.page([FRESH], errors=PARTIAL)], [kit.page([FRESH], errors=PARTIAL)], [kit.page()]]
    harvest = await run(kit, script)
    assert (harvest.stop, len(harvest.videos), harvest.is_incomplete) == (StopReason.DEGRADED, 1, True)
    assert len(script) == 1


async def test_a_partial_answer_without_posts_is_never_an_empty_result(kit: "Kit") -> None:
    with pytest.raises(TransientFailure):
        await run(kit, [[kit.page(errors=PARTIAL)], [kit.page(errors=PARTIAL)]])


async def test_a_partial_answer_followed_by_a_sound_empty_one_is_empty(kit: "Kit") -> None:
    harvest = await run(kit, [[kit.page(errors=PARTIAL)], [kit.page(cursor=None)]])
    assert (harvest.videos, harvest.is_incomplete) == ((), False)


async def test_an_empty_answer_is_asked_for_again_as_often_as_told(kit: "Kit") -> None:
    tab = kit.tab([[kit.page(cursor=None)], [kit.page(cursor=None)], [kit.page([FRESH, OLD])]])
    harvest = await SearchRun(tab, MANNER, SearchCriteria(kit.now - timedelta(minutes=3), 50), empty_passes=2).run(
        "Saka"
    )
    assert (harvest.posts, harvest.stop, harvest.contradicted, len(tab.opened)) == (0, StopReason.END, False, 2)


async def test_an_empty_answer_that_was_not_is_remembered(kit: "Kit") -> None:
    tab = kit.tab([[kit.page(cursor=None)], [kit.page([FRESH, OLD])]])
    harvest = await SearchRun(tab, MANNER, SearchCriteria(kit.now - timedelta(minutes=3), 50), empty_passes=3).run(
        "Saka"
    )
    assert (len(harvest.videos), harvest.contradicted, harvest.is_incomplete) == (1, True, False)


async def test_an_account_that_the_page_calls_suspended_is_not_a_changed_site(kit: "Kit") -> None:
    suspended = PageSnapshot("https://x.com/search", text="Your account is suspended", logged_in=True)
    for seen, failure in ((suspended, XAccountLocked), (kit.home, XProtocolDrift)):
        with pytest.raises(SearchFailed) as caught:
            await SearchRun(kit.tab([[TimelineResponse(404, {}, b"")]], seen), MANNER, SearchCriteria(kit.now, 1)).run(
                "Saka"
            )
        assert type(caught.value) is failure


def busy(kit: "Kit", since: int, until: int, first: int) -> list[TabEvent | BaseException | None]:
    """Two pages of posts, one a minute, from `until` back to `since` minutes ago, newest first."""
    ages = [timedelta(minutes=minutes) for minutes in range(until, since + 1)]
    half = len(ages) // 2
    return [
        kit.page(ages[:half], "a", first=first),
        kit.page(ages[half:], "b", first=first + half),
        *(kit.page([timedelta(minutes=since + 1 + more)], f"c{more}", first=900 + more) for more in range(8)),
    ]


async def reaching_back(kit: "Kit", script: Script) -> tuple[SearchResults, list[str]]:
    """For everything of the last hour, at most four pages; the first stretch of it is ten minutes."""
    tab = kit.tab(script)
    start = kit.now - timedelta(hours=1)
    wanted = SearchCriteria(start, 100, backfill_end=start + timedelta(minutes=10))
    return await SearchRun(tab, replace(MANNER, max_pages=4), wanted).run("Saka"), tab.opened


async def test_a_long_search_in_a_busy_match_reads_the_beginning_too(kit: "Kit") -> None:
    harvest, opened = await reaching_back(kit, [busy(kit, 19, 0, 0), [kit.page([timedelta(minutes=55)] * 3, None, 50)]])
    start = int(kit.now.timestamp()) - 3600
    assert f"since_time%3A{start}%20until_time%3A{start + 600}%20filter%3Avideos" in opened[1]
    assert (harvest.stop, harvest.pages, len(harvest.videos)) == (StopReason.PAGES, 3, 23)
    assert harvest.is_incomplete


async def test_when_both_ends_meet_nothing_is_missing(kit: "Kit") -> None:
    script: Script = [busy(kit, 52, 0, 0), [kit.page([timedelta(minutes=56)] * 3, None, 100)]]
    harvest, opened = await reaching_back(kit, script)
    assert f"until_time%3A{int(kit.now.timestamp()) - 52 * 60}%20" in opened[1]
    assert (harvest.stop, len(harvest.videos), harvest.is_incomplete) == (StopReason.END, 56, False)


async def test_a_beginning_that_comes_back_empty_proves_nothing(kit: "Kit") -> None:
    harvest, opened = await reaching_back(kit, [busy(kit, 52, 0, 0), [kit.page([], None)]])
    assert (harvest.stop, len(harvest.videos), len(opened)) == (StopReason.PAGES, 53, 2)


async def test_a_long_search_that_finds_little_reads_no_stretch(kit: "Kit") -> None:
    harvest, opened = await reaching_back(kit, [[kit.page([FRESH, OLD], None)]])
    assert (harvest.stop, len(opened)) == (StopReason.END, 1)


async def test_a_page_that_does_nothing_becomes_a_closed_door(kit: "Kit") -> None:
    for shells, failure in ((0, TransientFailure), (2, XBlocked)):
        tab = kit.tab([[None]], PageSnapshot("https://x.com/search"))
        with pytest.raises(failure):
            await SearchRun(tab, MANNER, SearchCriteria(kit.now, 1), shells).run("Saka")


async def test_a_search_that_takes_too_long_fails_by_name(kit: "Kit") -> None:
    from dataclasses import replace

    tab = kit.tab([[]], hold=asyncio.Event())
    with pytest.raises(TransientFailure, match="too long"):
        await SearchRun(tab, replace(MANNER, time_limit=timedelta(0)), SearchCriteria(kit.now, 1)).run("Saka")


def test_the_query_is_quoted_into_the_address_of_the_live_search() -> None:
    url = build_search_url(MANNER, '(Son OR "Heung Min") -filter:replies & more')
    assert url == (
        "https://x.com/search?q=%28Son%20OR%20%22Heung%20Min%22%29%20-filter%3Areplies%20%26%20more%20filter%3Avideos"
        "&src=typed_query&f=live"
    )
