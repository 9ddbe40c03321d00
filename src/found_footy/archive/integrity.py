"""Do records and objects agree? Pure: what was read of one fixture, and what is wrong with it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from found_footy.archive.judgement import JUDGEMENTS, PINNED, judgements_of
from found_footy.archive.judgement_objects import keys_of, stem
from found_footy.model.fixture import Room, counting
from found_footy.model.ids import TRASH
from found_footy.platform.objects import ObjectInfo

Document = Mapping[str, Any]

SCRATCH, BLOCKED, EVIDENCE = "scratch/", "blocklist/", "/evidence/"
_OURS = re.compile(r"(?P<fixture>[0-9]{1,16})/(?P<event>[^/]+)/.+")
_EVIDENCE = re.compile(r"[0-9]{1,16}/(?P<event>[^/]+)/evidence/[^/]+")
_MD5 = re.compile(r"[0-9a-f]{32}")


class Kind(StrEnum):
    MISSING_OBJECT = "missing_object"
    WRONG_SIZE = "wrong_size"
    WRONG_CHECKSUM = "wrong_checksum"
    MISSING_SIDE = "missing_side"
    NO_SIDE = "no_side"
    UNTRACKED_OBJECT = "untracked_object"
    FOREIGN_OBJECT = "foreign_object"
    RANKS = "ranks"
    POPULARITY = "popularity"
    REFUSED_CLIP = "refused_clip"
    TWO_ROOMS = "two_rooms"
    DANGLING_REDIRECT = "dangling_redirect"
    OLD_SCRATCH = "old_scratch"
    MISSING_PRINT = "missing_print"
    UNFINISHED_DECISION = "unfinished_decision"


# Worth knowing, and nothing is wrong: a clip whose preview could not be made still plays.
NOTES = frozenset({Kind.NO_SIDE, Kind.FOREIGN_OBJECT})


@dataclass(frozen=True)
class Finding:
    kind: Kind
    fixture_id: int | None = None
    event_id: str = ""
    clip_id: str = ""
    key: str = ""
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        return self.kind not in NOTES


@dataclass(frozen=True)
class Copy:
    """A fixture as one room has it."""

    room: Room
    document: Document

    @property
    def place(self) -> tuple[Room, datetime | None]:
        return self.room, self.document.get("_returned_at")

    def goals(self) -> Iterator[Document]:
        for name in ("events", "removed_events"):
            yield from self.document.get(name) or ()


class Needs:
    """What the records of a fixture, in whatever rooms it is, need of the objects."""

    def __init__(self, copies: Iterable[Copy]) -> None:
        goals = [event for copy in copies for event in copy.goals()]
        clips = [clip for event in goals for clip in event.get("_s3_videos") or ()]
        self._keys = {key for clip in clips for key in keys_of(clip)} | _remembered(goals)
        self._stems = {stem(clip["_s3_key"]) for clip in clips if clip.get("_s3_key")}
        self._events = {event.get("_event_id") for event in goals}

    def __contains__(self, key: str) -> bool:
        evidence = _EVIDENCE.fullmatch(key)
        if evidence:
            return evidence["event"] in self._events
        return key in self._keys or stem(key) in self._stems


def _remembered(goals: Iterable[Document]) -> set[str]:
    rows = (row for event in goals for row in (event.get(JUDGEMENTS) or {}).get("refused") or ())
    return {row["print_key"] for row in rows if row.get("print_key")}


def fixture_of(key: str) -> int | None:
    """The fixture that an object belongs to by its name."""
    found = _OURS.fullmatch(key)
    return int(found["fixture"]) if found else None


def examine(
    fixture_id: int, copies: list[Copy], listed: Mapping[str, ObjectInfo], before: datetime
) -> Iterator[Finding]:
    """All that is wrong with one fixture. Objects younger than `before` may belong to a record that is on its way."""
    if len(copies) > 1:
        rooms = ", ".join(copy.room.value for copy in copies)
        yield Finding(Kind.TWO_ROOMS, fixture_id, detail=f"in {rooms}")
    for event in counting(copies, lambda copy: copy.place).goals() if copies else ():
        yield from _goal(fixture_id, event, listed)
    needs = Needs(copies)
    for info in listed.values():
        if info.key not in needs and info.modified < before:
            yield Finding(Kind.UNTRACKED_OBJECT, fixture_id, key=info.key, detail=f"{info.size} bytes")


def _goal(fixture_id: int, event: Document, listed: Mapping[str, ObjectInfo]) -> Iterator[Finding]:
    event_id, clips = str(event.get("_event_id")), list(event.get("_s3_videos") or ())
    judgements = judgements_of(event)
    for clip in clips:
        place = (fixture_id, event_id, str(clip.get("clip_id")))
        for kind, key, detail in (*_file(clip, listed), *_sides(clip, listed)):
            yield Finding(kind, *place, key, detail)
        if judgements.refusal_of(str(clip.get("md5"))):
            yield Finding(Kind.REFUSED_CLIP, *place, str(clip.get("_s3_key")), "this goal refuses it")
        if clip.get("popularity") != len(clip.get("_sources") or ()):
            detail = f"{clip.get('popularity')} instead of {len(clip.get('_sources') or ())}"
            yield Finding(Kind.POPULARITY, *place, detail=detail)
    if [clip.get("rank") for clip in sorted(clips, key=_best_first)] != list(range(1, len(clips) + 1)):
        detail = ", ".join(f"{clip.get('clip_id')}: {clip.get('rank')}" for clip in clips)
        yield Finding(Kind.RANKS, fixture_id, event_id, detail=detail[:200])


def _file(clip: Document, listed: Mapping[str, ObjectInfo]) -> Iterator[tuple[Kind, str, str]]:
    key = str(clip.get("_s3_key"))
    info = listed.get(key)
    if info is None:
        yield Kind.MISSING_OBJECT, key, "the clip cannot be played"
    elif info.size != clip.get("file_size"):
        yield Kind.WRONG_SIZE, key, f"{info.size} bytes instead of {clip.get('file_size')}"
    elif _MD5.fullmatch(info.etag) and info.etag != clip.get("md5"):
        yield Kind.WRONG_CHECKSUM, key, f"{info.etag} instead of {clip.get('md5')}"


def _sides(clip: Document, listed: Mapping[str, ObjectInfo]) -> Iterator[tuple[Kind, str, str]]:
    """What should lie beside a clip. Named and not there is a fault; never made is only worth knowing."""
    base = stem(str(clip.get("_s3_key")))
    expected = {
        "thumbnail": (clip.get("thumbnail_key"), f"{base}.jpg"),
        "preview": (clip.get("preview_key"), f"{base}.preview.mp4"),
        "fingerprint": (_print_key(clip, base), f"{base}.print"),
    }
    lost = [row for row in clip.get("_members") or () if row.get("md5") != clip.get("md5")]
    expected |= {f"fingerprint of {row['md5']}": (row.get("fingerprint_key"), f"{base}.print") for row in lost}
    for what, (named, usual) in expected.items():
        if named and named not in listed:
            yield Kind.MISSING_SIDE, str(named), what
        elif not named and usual not in listed and " of " not in what:
            yield Kind.NO_SIDE, usual, what


def _print_key(clip: Document, base: str) -> str | None:
    made = f"{base}.print" if clip.get("hash_version") else None
    return clip.get("fingerprint_key") or made


def _best_first(clip: Document) -> tuple[bool, bool, int, int, str]:
    return (
        not clip.get(PINNED),
        not clip.get("timestamp_verified"),
        -int(clip.get("popularity") or 0),
        -int(clip.get("file_size") or 0),
        str(clip.get("md5")),
    )


def foreign(info: ObjectInfo) -> Finding | None:
    """An object that is not of our making; it is left alone."""
    if fixture_of(info.key) is not None or info.key.startswith((SCRATCH, TRASH, BLOCKED)):
        return None
    return Finding(Kind.FOREIGN_OBJECT, key=info.key, detail="not one of ours")
