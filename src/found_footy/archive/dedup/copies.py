"""The copies of a recording: the winner and the files it replaced.

The file of a replaced copy is deleted, but its sources and its fingerprint stay. So it is still recognized, it still
links other copies to its recording, and the order in which copies arrive does not matter.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from found_footy.domain.documents import ClipDocument, CopyDocument
from found_footy.domain.ranking import PINNED_FIELD


@dataclass(frozen=True)
class ClipCopy:
    """One file. `matches` are the MD5s of files that show the same; `compared_for_event_id` is the goal for which it
    was compared with all the others, empty if it was not.
    """

    md5: str
    duration: float
    file_size: int
    verified: bool
    sources: tuple[str, ...] = ()
    fingerprint_key: str = ""
    hash_version: str = ""
    matches: tuple[str, ...] = ()
    compared_for_event_id: str = ""


@dataclass(frozen=True)
class StoredRecording:
    """A stored clip: its public id, the MD5 of the winner, and all copies."""

    clip_id: str
    md5: str
    copies: tuple[ClipCopy, ...]
    pinned: bool = False
    added_at: datetime | None = None


def merge_copies(one: ClipCopy, other: ClipCopy) -> ClipCopy:
    """Merge what is known of the same bytes; `other` is the later one."""
    return replace(
        one,
        verified=one.verified or other.verified,
        sources=_union(one.sources, other.sources),
        fingerprint_key=one.fingerprint_key or other.fingerprint_key,
        hash_version=one.hash_version if one.fingerprint_key else other.hash_version,
        matches=_union(one.matches, other.matches),
        compared_for_event_id=other.compared_for_event_id or one.compared_for_event_id,
    )


def merge_by_md5(copies: Iterable[ClipCopy]) -> dict[str, ClipCopy]:
    found: dict[str, ClipCopy] = {}
    for copy in copies:
        known = found.get(copy.md5)
        found[copy.md5] = merge_copies(known, copy) if known else copy
    return found


def link_matches(copies: Mapping[str, ClipCopy], pairs: Iterable[tuple[str, str]]) -> dict[str, ClipCopy]:
    """Add each pair to both copies' matches; pairs with a file outside `copies` are ignored."""
    found = dict(copies)
    for one, other in pairs:
        if one in found and other in found and one != other:
            found[one] = replace(found[one], matches=_union(found[one].matches, (other,)))
            found[other] = replace(found[other], matches=_union(found[other].matches, (one,)))
    return found


def parse_recording(stored: Mapping[str, Any]) -> StoredRecording:
    """Parse a clip of the goal's document. One stored without copies has itself as its only copy."""
    record = cast(ClipDocument, stored)
    copies = merge_by_md5([*map(_parse_copy, record.get("_members") or ()), _parse_winner(record)])
    known = {source for copy in copies.values() for source in copy.sources}
    unclaimed = tuple(source for source in record.get("_sources") or () if source not in known)
    own = copies[record["md5"]]
    copies[own.md5] = replace(own, sources=_union(own.sources, unclaimed))
    return StoredRecording(
        clip_id=record["clip_id"],
        md5=record["md5"],
        copies=tuple(copies.values()),
        pinned=bool(record.get(PINNED_FIELD)),
        added_at=record.get("added_at"),
    )


def copy_document(copy: ClipCopy) -> CopyDocument:
    return {
        "md5": copy.md5,
        "duration": copy.duration,
        "file_size": copy.file_size,
        "verified": copy.verified,
        "sources": sorted(copy.sources),
        "fingerprint_key": copy.fingerprint_key or None,
        "hash_version": copy.hash_version,
        "matches": sorted(copy.matches),
        "home": copy.compared_for_event_id,
    }


def _parse_copy(row: CopyDocument) -> ClipCopy:
    return ClipCopy(
        md5=row["md5"],
        duration=row["duration"],
        file_size=row["file_size"],
        verified=row["verified"],
        sources=tuple(row.get("sources") or ()),
        fingerprint_key=row.get("fingerprint_key") or "",
        hash_version=row.get("hash_version") or "",
        matches=tuple(row.get("matches") or ()),
        compared_for_event_id=row.get("home") or "",
    )


def _parse_winner(record: ClipDocument) -> ClipCopy:
    return ClipCopy(
        md5=record["md5"],
        duration=float(record.get("duration") or 0.0),
        file_size=int(record.get("file_size") or 0),
        verified=bool(record.get("timestamp_verified")),
        fingerprint_key=record.get("fingerprint_key") or "",
        hash_version=record.get("hash_version") or "",
    )


def _union(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
