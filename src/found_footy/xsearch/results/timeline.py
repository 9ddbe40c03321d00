"""Reads a timeline answer of the search page: which entries are posts, which are not, and the cursor of the next
page.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from found_footy.domain.messages import ClipCandidate
from found_footy.xsearch.results.tweets import ParsedTweet, parse_item
from found_footy.xsearch.results.wire import ItemContent, SearchPayload, TimelineEntry, parse_payload

_NON_POST_PREFIXES = ("who-to-follow", "module-", "messageprompt-", "toptabsrpusermodule-", "cursor-showmore")
_PROMOTED_PREFIX = "promoted"
_CURSOR_PREFIX = "cursor-"
_BOTTOM_CURSOR_PREFIX = "cursor-bottom"


@dataclass(frozen=True)
class TimelinePage:
    """One parsed answer. `posts` counts organic post entries, `readable` those of a known shape.

    `unknown_entries` counts entries of no known kind: a page of nothing else is protocol drift, not an empty result.
    """

    videos: tuple[ClipCandidate, ...] = ()
    posts: int = 0
    readable: int = 0
    post_times: tuple[datetime, ...] = ()
    bottom_cursor: str | None = None
    rejected_ids: int = 0
    promoted: int = 0
    unknown_entries: int = 0


def parse_timeline(payload: object, site: str) -> TimelinePage | None:
    """Return None if there is no list of instructions: this is not a timeline. `site` is the base URL of posts."""
    return build_page(parse_payload(payload), site)


def build_page(payload: SearchPayload, site: str) -> TimelinePage | None:
    """Like `parse_timeline`, for a payload that is parsed already."""
    if payload.instructions is None:
        return None
    entries = [entry for instruction in payload.instructions for entry in instruction.list_entries()]
    items = [item for entry in entries for item in _post_items(entry)]
    organic = [content for entry_id, content in items if not _is_promoted(entry_id, content)]
    readings = [parse_item(content, site) for content in organic]
    return TimelinePage(
        videos=tuple(video for reading in readings for video in reading.videos),
        posts=len(readings),
        readable=sum(reading.readable for reading in readings),
        post_times=tuple(_post_times(readings)),
        bottom_cursor=_bottom_cursor(entries),
        rejected_ids=sum(reading.rejected_ids for reading in readings),
        promoted=len(items) - len(organic),
        unknown_entries=sum(_is_unknown_entry(entry) for entry in entries),
    )


def _post_times(readings: list[ParsedTweet]) -> Iterator[datetime]:
    return (reading.posted_at for reading in readings if reading.posted_at)


def _post_items(entry: TimelineEntry) -> Iterator[tuple[str, ItemContent]]:
    """Yield every post item of an entry, with the entry id that distinguishes adverts from posts."""
    if entry.entry_id.startswith((*_NON_POST_PREFIXES, _CURSOR_PREFIX)):
        return
    cells = ((cell.entry_id or entry.entry_id, cell.item.content) for cell in entry.content.items)
    for entry_id, content in ((entry.entry_id, entry.content.item_content), *cells):
        if content is not None and _is_post_like(entry_id, content):
            yield entry_id, content


def _is_post_like(entry_id: str, content: ItemContent) -> bool:
    """Check content as well as id, so that if either is renamed the entry counts as unreadable instead of being
    missed.
    """
    named = entry_id.startswith(("tweet-", "promoted-tweet-")) or "-tweet-" in entry_id
    return named or content.is_tweet


def _is_promoted(entry_id: str, content: ItemContent) -> bool:
    return entry_id.startswith(_PROMOTED_PREFIX) or content.promoted_metadata is not None


def _is_unknown_entry(entry: TimelineEntry) -> bool:
    known = entry.entry_id.startswith((*_NON_POST_PREFIXES, _CURSOR_PREFIX, "search-grid-", _PROMOTED_PREFIX))
    return not known and not any(True for _ in _post_items(entry))


def _bottom_cursor(entries: list[TimelineEntry]) -> str | None:
    for entry in reversed(entries):
        content = entry.content
        if content.cursor_type == "Bottom" or entry.entry_id.startswith(_BOTTOM_CURSOR_PREFIX):
            inner = content.item_content.value if content.item_content else ""
            return content.value or inner or None
    return None
