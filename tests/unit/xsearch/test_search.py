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
    from tests.support.xsearch.stand_in_browser import StandIns

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


async def run(
    stand_ins: "StandIns", script: Script, *, limit: int = 50, exclude: frozenset[str] = frozenset()
) -> SearchResults:
    wanted = SearchCriteria(stand_ins.now - timedelta(minutes=3), limit, exclude)
    return await SearchRun(stand_ins.tab(script), MANNER, wanted).run("Saka")


async def test_it_ends_when_posts_are_older_than_asked(stand_ins: "StandIns") -> None:
    harvest = await run(stand_ins, [[stand_ins.page([FRESH, FRESH, OLD, OLD])]])
    assert (harvest.stop, len(harvest.videos), harvest.posts) == (StopReason.OLDER, 2, 4)
    assert not harvest.is_incomplete


async def test_one_old_post_among_fresh_ones_does_not_end_it(stand_ins: "StandIns") -> None:
    pages = [stand_ins.page([FRESH, OLD, FRESH, FRESH], "a"), stand_ins.page([FRESH, OLD], "b", first=10)]
    harvest = await run(stand_ins, [[*pages]])
    assert (harvest.stop, len(harvest.videos), harvest.pages) == (StopReason.OLDER, 4, 2)


async def test_it_ends_with_as_many_as_asked(stand_ins: "StandIns") -> None:
    harvest = await run(stand_ins, [[stand_ins.page([FRESH] * 9)]], limit=4)
    assert (harvest.stop, len(harvest.videos)) == (StopReason.LIMIT, 4)


async def test_known_posts_are_left_out_and_do_not_count(stand_ins: "StandIns") -> None:
    known = stand_ins.post_id(FRESH, 0)
    harvest = await run(stand_ins, [[stand_ins.page([FRESH, FRESH], cursor=None)]], limit=2, exclude=frozenset({known}))
    assert [video.tweet_id for video in harvest.videos] == [stand_ins.post_id(FRESH, 1)]


async def test_of_a_known_post_the_videos_that_were_not_taken_are_found_again(stand_ins: "StandIns") -> None:
    post = "https://x.com/a/status/2089000000000000001"
    videos = [
        ClipCandidate(url, "2089000000000000001", "a", stand_ins.now, 9.0)
        for url in (post, f"{post}/video/2", f"{post}/video/4")
    ]

    def wants(*known: str) -> list[bool]:
        exclude = SearchRequest(query="q", exclude=list(known)).to_parameters().exclude
        return [SearchCriteria(stand_ins.now, 1, exclude).is_match(video) for video in videos]

    assert wants() == [True, True, True]
    assert wants(post) == wants(f"{post}/video/1") == wants(post.replace("/a/", "/renamed/")) == [False, True, True]
    assert wants(f"{post}/video/2", f"{post}/video/4") == [True, False, False]
    assert wants("2089000000000000001") == [False, False, False]


async def test_a_post_that_comes_twice_is_found_once(stand_ins: "StandIns") -> None:
    harvest = await run(stand_ins, [[stand_ins.page([FRESH], "a"), stand_ins.page([FRESH], None)]])
    assert len(harvest.videos) == 1


@pytest.mark.parametrize("cursor", ["same", None])
async def test_the_same_cursor_twice_or_none_is_the_end(stand_ins: "StandIns", cursor: str | None) -> None:
    harvest = await run(stand_ins, [[stand_ins.page([FRESH], "same"), stand_ins.page([FRESH], cursor, first=5)]])
    assert (harvest.stop, harvest.pages) == (StopReason.END, 2)


async def test_empty_pages_may_come_before_posts(stand_ins: "StandIns") -> None:
    harvest = await run(
        stand_ins, [[stand_ins.page(cursor="a"), stand_ins.page(cursor="b"), stand_ins.page([FRESH, OLD], "c")]]
    )
    assert (harvest.stop, len(harvest.videos)) == (StopReason.OLDER, 1)


async def test_an_empty_page_after_posts_is_the_end(stand_ins: "StandIns") -> None:
    assert (await run(stand_ins, [[stand_ins.page([FRESH], "a"), stand_ins.page(cursor="b")]])).stop is StopReason.END


async def test_three_empty_pages_are_an_empty_result(stand_ins: "StandIns") -> None:
    harvest = await run(
        stand_ins, [[stand_ins.page(cursor="a"), stand_ins.page(cursor="b"), stand_ins.page(cursor="c")]]
    )
    assert (harvest.stop, harvest.videos, harvest.is_incomplete) == (StopReason.END, (), False)


async def test_it_reads_no_more_pages_than_it_may(stand_ins: "StandIns") -> None:
    pages = [stand_ins.page([FRESH], cursor, first=n) for n, cursor in enumerate("abcd")]
    harvest = await run(stand_ins, [[*pages]])
    assert (harvest.stop, harvest.pages, harvest.is_incomplete) == (StopReason.PAGES, 3, True)


async def test_as_many_empty_pages_as_it_may_read_are_no_failure(stand_ins: "StandIns") -> None:
    tab = stand_ins.tab([[stand_ins.page(cursor="a"), stand_ins.page(cursor="b")]])
    harvest = await SearchRun(tab, replace(MANNER, max_pages=2), SearchCriteria(stand_ins.now - OLD, 50)).run("Saka")
    assert (harvest.stop, harvest.videos, harvest.is_incomplete) == (StopReason.PAGES, (), True)


async def test_a_page_that_asks_for_no_more_is_the_end_of_it(stand_ins: "StandIns") -> None:
    tab = stand_ins.tab([[stand_ins.page([FRESH])]])
    harvest = await SearchRun(tab, MANNER, SearchCriteria(stand_ins.now - OLD, 50)).run("Saka")
    assert harvest.stop is StopReason.QUIET
    assert tab.scrolls > 1


async def test_no_results_shown_by_the_page_need_no_scrolling(stand_ins: "StandIns") -> None:
    tab = stand_ins.tab([[stand_ins.page()]], PageSnapshot("https://x.com/search", logged_in=True, empty_state=True))
    harvest = await SearchRun(tab, MANNER, SearchCriteria(stand_ins.now - OLD, 50)).run("Saka")
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
    stand_ins: "StandIns", event: TabEvent | BaseException, failure: type[SearchFailed]
) -> None:
    with pytest.raises(failure):
        await run(stand_ins, [[NavigationEvent("https://x.com/search?q=1"), event]])


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
    stand_ins: "StandIns", event: TabEvent | BaseException, stop: StopReason, failure: type
) -> None:
    harvest = await run(stand_ins, [[stand_ins.page([FRESH]), event]])
    assert (harvest.stop, len(harvest.videos), harvest.is_incomplete) == (stop, 1, True)
    assert isinstance(harvest.failure, failure)


async def test_a_partial_answer_is_requested_once_more_and_both_are_joined(stand_ins: "StandIns") -> None:
    script: Script = [[stand_ins.page([FRESH], errors=PARTIAL)], [stand_ins.page([FRESH, FRESH, OLD, OLD])]]
    harvest = await run(stand_ins, script)
    assert (harvest.stop, len(harvest.videos), harvest.is_incomplete) == (StopReason.OLDER, 2, False)
    assert script == []


async def test_a_partial_answer_twice_is_given_as_incomplete(stand_ins: "StandIns") -> None:
    script: Script = [
        [stand_ins.page([FRESH], errors=PARTIAL)],
        [stand_ins.page([FRESH], errors=PARTIAL)],
        [stand_ins.page()],
    ]
    harvest = await run(stand_ins, script)
    assert (harvest.stop, len(harvest.videos), harvest.is_incomplete) == (StopReason.DEGRADED, 1, True)
    assert len(script) == 1


async def test_a_partial_answer_without_posts_is_never_an_empty_result(stand_ins: "StandIns") -> None:
    with pytest.raises(TransientFailure):
        await run(stand_ins, [[stand_ins.page(errors=PARTIAL)], [stand_ins.page(errors=PARTIAL)]])


async def test_a_partial_answer_followed_by_a_sound_empty_one_is_empty(stand_ins: "StandIns") -> None:
    harvest = await run(stand_ins, [[stand_ins.page(errors=PARTIAL)], [stand_ins.page(cursor=None)]])
    assert (harvest.videos, harvest.is_incomplete) == ((), False)


async def test_an_empty_answer_is_requested_again_as_often_as_configured(stand_ins: "StandIns") -> None:
    tab = stand_ins.tab([[stand_ins.page(cursor=None)], [stand_ins.page(cursor=None)], [stand_ins.page([FRESH, OLD])]])
    harvest = await SearchRun(
        tab, MANNER, SearchCriteria(stand_ins.now - timedelta(minutes=3), 50), empty_passes=2
    ).run("Saka")
    assert (harvest.posts, harvest.stop, harvest.contradicted, len(tab.opened)) == (0, StopReason.END, False, 2)


async def test_an_empty_answer_that_was_not_is_remembered(stand_ins: "StandIns") -> None:
    tab = stand_ins.tab([[stand_ins.page(cursor=None)], [stand_ins.page([FRESH, OLD])]])
    harvest = await SearchRun(
        tab, MANNER, SearchCriteria(stand_ins.now - timedelta(minutes=3), 50), empty_passes=3
    ).run("Saka")
    assert (len(harvest.videos), harvest.contradicted, harvest.is_incomplete) == (1, True, False)


async def test_an_account_that_the_page_calls_suspended_is_not_a_changed_site(stand_ins: "StandIns") -> None:
    suspended = PageSnapshot("https://x.com/search", text="Your account is suspended", logged_in=True)
    for seen, failure in ((suspended, XAccountLocked), (stand_ins.home, XProtocolDrift)):
        with pytest.raises(SearchFailed) as caught:
            await SearchRun(
                stand_ins.tab([[TimelineResponse(404, {}, b"")]], seen), MANNER, SearchCriteria(stand_ins.now, 1)
            ).run("Saka")
        assert type(caught.value) is failure


def busy(stand_ins: "StandIns", since: int, until: int, first: int) -> list[TabEvent | BaseException | None]:
    """Two pages of posts, one a minute, from `until` back to `since` minutes ago, newest first."""
    ages = [timedelta(minutes=minutes) for minutes in range(until, since + 1)]
    half = len(ages) // 2
    return [
        stand_ins.page(ages[:half], "a", first=first),
        stand_ins.page(ages[half:], "b", first=first + half),
        *(stand_ins.page([timedelta(minutes=since + 1 + more)], f"c{more}", first=900 + more) for more in range(8)),
    ]


async def reaching_back(stand_ins: "StandIns", script: Script) -> tuple[SearchResults, list[str]]:
    """For everything of the last hour, at most four pages; the first stretch of it is ten minutes."""
    tab = stand_ins.tab(script)
    start = stand_ins.now - timedelta(hours=1)
    wanted = SearchCriteria(start, 100, backfill_end=start + timedelta(minutes=10))
    return await SearchRun(tab, replace(MANNER, max_pages=4), wanted).run("Saka"), tab.opened


async def test_a_long_search_in_a_busy_match_reads_the_beginning_too(stand_ins: "StandIns") -> None:
    harvest, opened = await reaching_back(
        stand_ins, [busy(stand_ins, 19, 0, 0), [stand_ins.page([timedelta(minutes=55)] * 3, None, 50)]]
    )
    start = int(stand_ins.now.timestamp()) - 3600
    assert f"since_time%3A{start}%20until_time%3A{start + 600}%20filter%3Avideos" in opened[1]
    assert (harvest.stop, harvest.pages, len(harvest.videos)) == (StopReason.PAGES, 3, 23)
    assert harvest.is_incomplete


async def test_when_both_ranges_overlap_nothing_is_missing(stand_ins: "StandIns") -> None:
    script: Script = [busy(stand_ins, 52, 0, 0), [stand_ins.page([timedelta(minutes=56)] * 3, None, 100)]]
    harvest, opened = await reaching_back(stand_ins, script)
    assert f"until_time%3A{int(stand_ins.now.timestamp()) - 52 * 60}%20" in opened[1]
    assert (harvest.stop, len(harvest.videos), harvest.is_incomplete) == (StopReason.END, 56, False)


async def test_a_beginning_that_comes_back_empty_proves_nothing(stand_ins: "StandIns") -> None:
    harvest, opened = await reaching_back(stand_ins, [busy(stand_ins, 52, 0, 0), [stand_ins.page([], None)]])
    assert (harvest.stop, len(harvest.videos), len(opened)) == (StopReason.PAGES, 53, 2)


async def test_a_long_search_that_finds_little_reads_no_stretch(stand_ins: "StandIns") -> None:
    harvest, opened = await reaching_back(stand_ins, [[stand_ins.page([FRESH, OLD], None)]])
    assert (harvest.stop, len(opened)) == (StopReason.END, 1)


async def test_a_page_that_does_nothing_becomes_a_blocked_account(stand_ins: "StandIns") -> None:
    for shells, failure in ((0, TransientFailure), (2, XBlocked)):
        tab = stand_ins.tab([[None]], PageSnapshot("https://x.com/search"))
        with pytest.raises(failure):
            await SearchRun(tab, MANNER, SearchCriteria(stand_ins.now, 1), shells).run("Saka")


async def test_a_search_that_takes_too_long_fails_by_name(stand_ins: "StandIns") -> None:
    from dataclasses import replace

    tab = stand_ins.tab([[]], hold=asyncio.Event())
    with pytest.raises(TransientFailure, match="too long"):
        await SearchRun(tab, replace(MANNER, time_limit=timedelta(0)), SearchCriteria(stand_ins.now, 1)).run("Saka")


def test_the_query_is_quoted_into_the_address_of_the_live_search() -> None:
    url = build_search_url(MANNER, '(Son OR "Heung Min") -filter:replies & more')
    assert url == (
        "https://x.com/search?q=%28Son%20OR%20%22Heung%20Min%22%29%20-filter%3Areplies%20%26%20more%20filter%3Avideos"
        "&src=typed_query&f=live"
    )
