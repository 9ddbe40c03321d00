"""What a search has gathered so far, and whether it has enough."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from found_footy.model.handoff import FoundVideo
from found_footy.xsearch.errors import SearchFailed
from found_footy.xsearch.timeline import TimelinePage
from found_footy.xsearch.tweets import video_key

# A first page without posts may still be followed by one with posts; past this many in a row there are none.
_EMPTY_PAGES_BEFORE_POSTS = 2


class Stop(StrEnum):
    """Why a search ended."""

    OLDER = "older"  # the posts have become older than asked
    LIMIT = "limit"  # as many videos as asked
    END = "end"  # the site has no more
    PAGES = "pages"  # as many pages as one search may read
    QUIET = "quiet"  # the page did not ask for more when scrolled
    BUDGET = "budget"
    TIME = "time"
    DEGRADED = "degraded"  # the site admits that it answered only in part
    FAILED = "failed"


IN_WORDS: dict[Stop, str] = {
    Stop.OLDER: "read back as far as asked",
    Stop.LIMIT: "as many as asked",
    Stop.END: "all there was",
    Stop.PAGES: "as many pages as allowed",
    Stop.QUIET: "the page had no more",
    Stop.BUDGET: "the budget ended it",
    Stop.TIME: "out of time",
    Stop.DEGRADED: "the site answered only in part",
}

# Ends after which something may have been missed.
CUT_SHORT = frozenset({Stop.PAGES, Stop.BUDGET, Stop.TIME, Stop.DEGRADED, Stop.FAILED})


@dataclass(frozen=True)
class Wanted:
    """What a search asks for: at most `limit` videos posted since `cutoff`, none of `exclude`: posts by
    their id, single videos by their key.

    If the newest posts do not reach back to `cutoff`, what was posted from there to `stretch_end` is read by itself.
    """

    cutoff: datetime
    limit: int
    exclude: frozenset[str] = frozenset()
    stretch_end: datetime | None = None

    def wants(self, video: FoundVideo) -> bool:
        recent = video.posted_at is None or video.posted_at >= self.cutoff
        return recent and self.exclude.isdisjoint((video.tweet_id, video_key(video.url)))


@dataclass(frozen=True)
class Harvest:
    """`failure` is what ended the search after it had found something. `oldest` is the time of the oldest post that was
    read; `contradicted` if the site first answered with nothing and then with posts.
    """

    videos: tuple[FoundVideo, ...] = ()
    pages: int = 0
    posts: int = 0
    empty_pages: int = 0
    rejected_ids: int = 0
    cursor: str | None = None
    stop: Stop | None = None
    failure: SearchFailed | None = None
    oldest: datetime | None = None
    contradicted: bool = False

    @property
    def incomplete(self) -> bool:
        return self.stop in CUT_SHORT


def gathered(harvest: Harvest, page: TimelinePage, wanted: Wanted, most_pages: int, *, degraded: bool) -> Harvest:
    """The harvest after one more page, with `stop` set if that page was the last one needed."""
    known = {video.url for video in harvest.videos}
    fresh = {video.url: video for video in page.videos if wanted.wants(video) and video.url not in known}
    grown = replace(
        harvest,
        videos=(*harvest.videos, *fresh.values())[: wanted.limit],
        pages=harvest.pages + 1,
        posts=harvest.posts + page.posts,
        empty_pages=0 if page.posts else harvest.empty_pages + 1,
        rejected_ids=harvest.rejected_ids + page.rejected_ids,
        cursor=page.bottom,
        oldest=min((at for at in (harvest.oldest, *page.times) if at), default=None),
    )
    stop = _stop(grown, harvest.cursor, page, wanted, most_pages)
    return replace(grown, stop=Stop.DEGRADED if degraded else stop)


def second_pass(harvest: Harvest) -> Harvest:
    """Start again from the top, keeping what was found."""
    return replace(harvest, pages=0, empty_pages=0, cursor=None, stop=None)


def _stop(
    grown: Harvest, former_cursor: str | None, page: TimelinePage, wanted: Wanted, most_pages: int
) -> Stop | None:
    if len(grown.videos) >= wanted.limit:
        return Stop.LIMIT
    if _past(page, wanted.cutoff):
        return Stop.OLDER
    patience = 1 if grown.posts else _EMPTY_PAGES_BEFORE_POSTS + 1
    if page.bottom is None or page.bottom == former_cursor or grown.empty_pages >= patience:
        return Stop.END
    return Stop.PAGES if grown.pages >= most_pages else None


def _past(page: TimelinePage, cutoff: datetime) -> bool:
    """Half of a page being too old is enough: the site's order is newest first, but not strictly."""
    older = sum(at < cutoff for at in page.times)
    return older > 0 and older * 2 >= len(page.times)
