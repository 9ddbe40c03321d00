"""The results of a search so far, and whether they suffice."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from found_footy.domain.messages import ClipCandidate
from found_footy.xsearch.errors import SearchFailed
from found_footy.xsearch.results.timeline import TimelinePage
from found_footy.xsearch.results.tweets import video_key

# A first page without posts may still be followed by one with posts; after this many in a row there are none.
_MAX_EMPTY_PAGES_BEFORE_POSTS = 2


class StopReason(StrEnum):
    """Why a search ended."""

    OLDER = "older"  # the posts are older than requested
    LIMIT = "limit"  # as many videos as requested
    END = "end"  # the site has no more
    PAGES = "pages"  # as many pages as one search may read
    QUIET = "quiet"  # the page did not load more when scrolled
    BUDGET = "budget"
    TIME = "time"
    DEGRADED = "degraded"  # the site reports a partial answer
    FAILED = "failed"


STOP_DESCRIPTIONS: dict[StopReason, str] = {
    StopReason.OLDER: "read back to the requested time",
    StopReason.LIMIT: "the requested number was reached",
    StopReason.END: "end of the results",
    StopReason.PAGES: "maximum number of pages reached",
    StopReason.QUIET: "the page loaded no more",
    StopReason.BUDGET: "the budget is used up",
    StopReason.TIME: "the time limit was reached",
    StopReason.DEGRADED: "the site answered only partially",
}

# Reasons after which posts may have been missed.
INCOMPLETE_STOPS = frozenset(
    {StopReason.PAGES, StopReason.BUDGET, StopReason.TIME, StopReason.DEGRADED, StopReason.FAILED}
)


@dataclass(frozen=True)
class SearchCriteria:
    """What a search asks for: at most `limit` videos posted since `cutoff`, none of `exclude` (ids of posts, keys of
    single videos).

    If the newest posts do not reach back to `cutoff`, posts from there to `backfill_end` are read by a separate query.
    """

    cutoff: datetime
    limit: int
    exclude: frozenset[str] = frozenset()
    backfill_end: datetime | None = None

    def is_match(self, video: ClipCandidate) -> bool:
        recent = video.posted_at is None or video.posted_at >= self.cutoff
        return recent and self.exclude.isdisjoint((video.tweet_id, video_key(video.url)))


@dataclass(frozen=True)
class SearchResults:
    """`failure` ended the search after it had found something. `oldest` is the time of the oldest post that was read;
    `contradicted` if the site first answered with no posts and then with some.
    """

    videos: tuple[ClipCandidate, ...] = ()
    pages: int = 0
    posts: int = 0
    empty_pages: int = 0
    rejected_ids: int = 0
    cursor: str | None = None
    stop: StopReason | None = None
    failure: SearchFailed | None = None
    oldest: datetime | None = None
    contradicted: bool = False

    @property
    def is_incomplete(self) -> bool:
        return self.stop in INCOMPLETE_STOPS


def add_page(
    results: SearchResults, page: TimelinePage, criteria: SearchCriteria, max_pages: int, *, degraded: bool
) -> SearchResults:
    """Add one page; sets `stop` if it was the last one needed."""
    known = {video.url for video in results.videos}
    fresh = {video.url: video for video in page.videos if criteria.is_match(video) and video.url not in known}
    grown = replace(
        results,
        videos=(*results.videos, *fresh.values())[: criteria.limit],
        pages=results.pages + 1,
        posts=results.posts + page.posts,
        empty_pages=0 if page.posts else results.empty_pages + 1,
        rejected_ids=results.rejected_ids + page.rejected_ids,
        cursor=page.bottom_cursor,
        oldest=min((at for at in (results.oldest, *page.post_times) if at), default=None),
    )
    stop = _find_stop_reason(grown, results.cursor, page, criteria, max_pages)
    return replace(grown, stop=StopReason.DEGRADED if degraded else stop)


def restart_from_top(results: SearchResults) -> SearchResults:
    """Start again from the first page, keeping what was found."""
    return replace(results, pages=0, empty_pages=0, cursor=None, stop=None)


def _find_stop_reason(
    grown: SearchResults, former_cursor: str | None, page: TimelinePage, criteria: SearchCriteria, max_pages: int
) -> StopReason | None:
    if len(grown.videos) >= criteria.limit:
        return StopReason.LIMIT
    if _is_past_cutoff(page, criteria.cutoff):
        return StopReason.OLDER
    max_empty_pages = 1 if grown.posts else _MAX_EMPTY_PAGES_BEFORE_POSTS + 1
    if page.bottom_cursor is None or page.bottom_cursor == former_cursor or grown.empty_pages >= max_empty_pages:
        return StopReason.END
    return StopReason.PAGES if grown.pages >= max_pages else None


def _is_past_cutoff(page: TimelinePage, cutoff: datetime) -> bool:
    """Half of a page being too old suffices: the site's order is newest first, but not strictly."""
    older = sum(at < cutoff for at in page.post_times)
    return older > 0 and older * 2 >= len(page.post_times)
