"""What a clip was found as: all files of one recording, the one that stands and those that lost to it.

A file that lost is gone, but what is known of it stays: where it was found, and its fingerprint. So it is still
recognized, it still links other copies to its recording, and the order in which copies arrive does not matter.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

MEMBERS = "_members"


@dataclass(frozen=True)
class Member:
    """One file. `matches` are the MD5s of files that show the same; `home` is the goal for which it was compared with
    all the others, empty if it was not.
    """

    md5: str
    duration: float
    file_size: int
    verified: bool
    sources: tuple[str, ...] = ()
    print_key: str = ""
    hash_version: str = ""
    matches: tuple[str, ...] = ()
    home: str = ""


@dataclass(frozen=True)
class Holding:
    """A stored clip: its public id, the file that stands behind it, and everything it was found as."""

    clip_id: str
    md5: str
    members: tuple[Member, ...]
    pinned: bool = False
    added_at: datetime | None = None


def joined(one: Member, other: Member) -> Member:
    """What is known of the same bytes from two sides; `other` has the later word."""
    return replace(
        one,
        verified=one.verified or other.verified,
        sources=_union(one.sources, other.sources),
        print_key=one.print_key or other.print_key,
        hash_version=one.hash_version if one.print_key else other.hash_version,
        matches=_union(one.matches, other.matches),
        home=other.home or one.home,
    )


def by_md5(members: Iterable[Member]) -> dict[str, Member]:
    found: dict[str, Member] = {}
    for member in members:
        known = found.get(member.md5)
        found[member.md5] = joined(known, member) if known else member
    return found


def linked(members: Mapping[str, Member], pairs: Iterable[tuple[str, str]]) -> dict[str, Member]:
    """The members with each pair among each other's matches; what is not a member is left out."""
    found = dict(members)
    for one, other in pairs:
        if one in found and other in found and one != other:
            found[one] = replace(found[one], matches=_union(found[one].matches, (other,)))
            found[other] = replace(found[other], matches=_union(found[other].matches, (one,)))
    return found


def holding_of(record: Mapping[str, Any]) -> Holding:
    """A clip as the goal's document has it. One that was stored without members has itself as its only one."""
    members = by_md5([*map(_member_of, record.get(MEMBERS) or ()), _standing(record)])
    known = {source for member in members.values() for source in member.sources}
    unclaimed = tuple(source for source in record.get("_sources") or () if source not in known)
    own = members[record["md5"]]
    members[own.md5] = replace(own, sources=_union(own.sources, unclaimed))
    return Holding(
        clip_id=record["clip_id"],
        md5=record["md5"],
        members=tuple(members.values()),
        pinned=bool(record.get("pinned")),
        added_at=record.get("added_at"),
    )


def member_document(member: Member) -> dict[str, Any]:
    return {
        "md5": member.md5,
        "duration": member.duration,
        "file_size": member.file_size,
        "verified": member.verified,
        "sources": sorted(member.sources),
        "fingerprint_key": member.print_key or None,
        "hash_version": member.hash_version,
        "matches": sorted(member.matches),
        "home": member.home,
    }


def _member_of(row: Mapping[str, Any]) -> Member:
    return Member(
        md5=row["md5"],
        duration=row["duration"],
        file_size=row["file_size"],
        verified=row["verified"],
        sources=tuple(row.get("sources") or ()),
        print_key=row.get("fingerprint_key") or "",
        hash_version=row.get("hash_version") or "",
        matches=tuple(row.get("matches") or ()),
        home=row.get("home") or "",
    )


def _standing(record: Mapping[str, Any]) -> Member:
    return Member(
        md5=record["md5"],
        duration=float(record.get("duration") or 0.0),
        file_size=int(record.get("file_size") or 0),
        verified=bool(record.get("timestamp_verified")),
        print_key=record.get("fingerprint_key") or "",
        hash_version=record.get("hash_version") or "",
    )


def _union(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
