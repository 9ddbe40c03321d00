"""Parses a timeline answer of the search page: which entries are posts, which are not, and the cursor of the
next page.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from found_footy.domain.messages import ClipCandidate
from found_footy.xsearch.results.json_access import dig, dig_list, dig_text
from found_footy.xsearch.results.tweets import ParsedTweet, parse_item

_TIMELINE_KEYS = ("data", "search_by_raw_query", "search_timeline", "timeline")
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
    instructions = dig(payload, *_TIMELINE_KEYS, "instructions")
    if not isinstance(instructions, list):
        return None
    entries = [entry for instruction in instructions for entry in _instruction_entries(instruction)]
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


def _instruction_entries(instruction: object) -> list[object]:
    """Return the entries of an instruction; additions to a media grid become an entry of that grid."""
    if entries := dig_list(instruction, "entries"):
        return entries
    if entry := dig(instruction, "entry"):
        return [entry]
    if added := dig_list(instruction, "moduleItems"):
        grid = dig_text(instruction, "moduleEntryId") or "search-grid-"
        return [{"entryId": grid, "content": {"items": added}}]
    return []


def _post_items(entry: object) -> Iterator[tuple[str, object]]:
    """Yield every post item of an entry, with the entry id that distinguishes adverts from posts."""
    entry_id = dig_text(entry, "entryId")
    if entry_id.startswith((*_NON_POST_PREFIXES, _CURSOR_PREFIX)):
        return
    content = dig(entry, "content", "itemContent")
    if _is_post_like(entry_id, content):
        yield entry_id, content
    for cell in dig_list(entry, "content", "items"):
        inner, inner_id = dig(cell, "item", "itemContent"), dig_text(cell, "entryId") or entry_id
        if _is_post_like(inner_id, inner):
            yield inner_id, inner


def _is_post_like(entry_id: str, content: object) -> bool:
    """Check content as well as id, so that if either is renamed the entry counts as unreadable instead of being
    missed.
    """
    if not isinstance(content, dict):
        return False
    named = entry_id.startswith(("tweet-", "promoted-tweet-")) or "-tweet-" in entry_id
    return named or "tweet_results" in content or dig_text(content, "itemType") == "TimelineTweet"


def _is_promoted(entry_id: str, content: object) -> bool:
    return entry_id.startswith(_PROMOTED_PREFIX) or dig(content, "promotedMetadata") is not None


def _is_unknown_entry(entry: object) -> bool:
    known = dig_text(entry, "entryId").startswith(
        (*_NON_POST_PREFIXES, _CURSOR_PREFIX, "search-grid-", _PROMOTED_PREFIX)
    )
    return not known and not any(True for _ in _post_items(entry))


def _bottom_cursor(entries: list[object]) -> str | None:
    for entry in reversed(entries):
        content = dig(entry, "content")
        is_bottom = dig_text(content, "cursorType") == "Bottom"
        if is_bottom or dig_text(entry, "entryId").startswith(_BOTTOM_CURSOR_PREFIX):
            return dig_text(content, "value") or dig_text(content, "itemContent", "value") or None
    return None
