"""Compares records and objects of one fixture and finds integrity issues. Reads and writes nothing."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from found_footy.archive.moderation.model import MODERATION_FIELD, parse_moderation
from found_footy.domain.clip_files import (
    COPIES_FIELD,
    FINGERPRINT,
    SIDE_OBJECTS,
    VIDEO,
    ClipObject,
    key_stem,
    list_object_keys,
)
from found_footy.domain.collections import FixtureCollection, select_current_copy
from found_footy.domain.goals import iterate_stored_goals
from found_footy.domain.ids import TRASH_PREFIX
from found_footy.domain.ranking import has_correct_ranks
from found_footy.platform.object_info import MD5_PATTERN
from found_footy.platform.objects import ObjectInfo

Document = Mapping[str, Any]

SCRATCH_PREFIX, BLOCKLIST_PREFIX, EVIDENCE_FOLDER = "scratch/", "blocklist/", "/evidence/"
_FIXTURE_KEY = re.compile(r"(?P<fixture>[0-9]{1,16})/(?P<event>[^/]+)/.+")
_EVIDENCE_KEY = re.compile(r"[0-9]{1,16}/(?P<event>[^/]+)/evidence/[^/]+")


class IssueKind(StrEnum):
    MISSING_OBJECT = "missing_object"
    WRONG_SIZE = "wrong_size"
    WRONG_CHECKSUM = "wrong_checksum"
    MISSING_SIDE_OBJECT = "missing_side"
    NO_SIDE_OBJECT = "no_side"
    UNTRACKED_OBJECT = "untracked_object"
    FOREIGN_OBJECT = "foreign_object"
    RANKS = "ranks"
    POPULARITY = "popularity"
    BLOCKED_CLIP = "refused_clip"
    TWO_COLLECTIONS = "two_rooms"
    DANGLING_REDIRECT = "dangling_redirect"
    OLD_SCRATCH = "old_scratch"
    MISSING_FINGERPRINT = "missing_print"
    UNFINISHED_ACTION = "unfinished_decision"


# Reported, but not errors: a clip whose preview could not be made still plays.
INFORMATIONAL_KINDS = frozenset({IssueKind.NO_SIDE_OBJECT, IssueKind.FOREIGN_OBJECT})


@dataclass(frozen=True)
class IntegrityIssue:
    kind: IssueKind
    fixture_id: int | None = None
    event_id: str = ""
    clip_id: str = ""
    key: str = ""
    detail: str = ""

    @property
    def is_error(self) -> bool:
        return self.kind not in INFORMATIONAL_KINDS


@dataclass(frozen=True)
class StoredFixtureCopy:
    """A fixture's document in one collection."""

    collection: FixtureCollection
    document: Document

    @property
    def version_key(self) -> tuple[FixtureCollection, datetime | None]:
        return self.collection, self.document.get("_returned_at")

    def iter_goals(self) -> Iterator[Document]:
        return iterate_stored_goals(self.document)


def iter_current_goals(copies: Sequence[StoredFixtureCopy]) -> Iterator[Document]:
    """The goals of the current copy of a fixture, removed ones included; none if it is in no collection."""
    if copies:
        yield from select_current_copy(copies, lambda copy: copy.version_key).iter_goals()


class RequiredObjects:
    """The object keys that the records of a fixture, in all collections, refer to."""

    def __init__(self, copies: Iterable[StoredFixtureCopy]) -> None:
        goals = [event for copy in copies for event in copy.iter_goals()]
        clips = [clip for event in goals for clip in event.get("_s3_videos") or ()]
        self._keys = {key for clip in clips for key in list_object_keys(clip)} | _blocked_fingerprint_keys(goals)
        self._stems = {key_stem(clip["_s3_key"]) for clip in clips if clip.get("_s3_key")}
        self._events = {event.get("_event_id") for event in goals}

    def __contains__(self, key: str) -> bool:
        evidence = _EVIDENCE_KEY.fullmatch(key)
        if evidence:
            return evidence["event"] in self._events
        return key in self._keys or key_stem(key) in self._stems


def _blocked_fingerprint_keys(goals: Iterable[Document]) -> set[str]:
    rows = (row for event in goals for row in (event.get(MODERATION_FIELD) or {}).get("refused") or ())
    return {row["print_key"] for row in rows if row.get("print_key")}


def parse_fixture_id(key: str) -> int | None:
    """The fixture id in an object's key."""
    found = _FIXTURE_KEY.fullmatch(key)
    return int(found["fixture"]) if found else None


def find_issues(
    fixture_id: int, copies: list[StoredFixtureCopy], listed: Mapping[str, ObjectInfo], before: datetime
) -> Iterator[IntegrityIssue]:
    """All issues of one fixture. Objects younger than `before` may belong to a record that is not written yet."""
    if len(copies) > 1:
        collections = ", ".join(copy.collection.value for copy in copies)
        yield IntegrityIssue(IssueKind.TWO_COLLECTIONS, fixture_id, detail=f"in {collections}")
    for event in iter_current_goals(copies):
        yield from _find_goal_issues(fixture_id, event, listed)
    needs = RequiredObjects(copies)
    for info in listed.values():
        if info.key not in needs and info.modified < before:
            yield IntegrityIssue(IssueKind.UNTRACKED_OBJECT, fixture_id, key=info.key, detail=f"{info.size} bytes")


def _find_goal_issues(fixture_id: int, event: Document, listed: Mapping[str, ObjectInfo]) -> Iterator[IntegrityIssue]:
    event_id, clips = str(event.get("_event_id")), list(event.get("_s3_videos") or ())
    moderation = parse_moderation(event)
    for clip in clips:
        place = (fixture_id, event_id, str(clip.get("clip_id")))
        for kind, key, detail in (*_check_file(clip, listed), *_check_side_objects(clip, listed)):
            yield IntegrityIssue(kind, *place, key, detail)
        if moderation.find_block(str(clip.get("md5"))):
            yield IntegrityIssue(
                IssueKind.BLOCKED_CLIP, *place, str(clip.get("_s3_key")), "a moderator removed it from this goal"
            )
        if clip.get("popularity") != len(clip.get("_sources") or ()):
            detail = f"{clip.get('popularity')} instead of {len(clip.get('_sources') or ())}"
            yield IntegrityIssue(IssueKind.POPULARITY, *place, detail=detail)
    if not has_correct_ranks(clips):
        detail = ", ".join(f"{clip.get('clip_id')}: {clip.get('rank')}" for clip in clips)
        yield IntegrityIssue(IssueKind.RANKS, fixture_id, event_id, detail=detail[:200])


def _check_file(clip: Document, listed: Mapping[str, ObjectInfo]) -> Iterator[tuple[IssueKind, str, str]]:
    key = str(clip.get("_s3_key"))
    info = listed.get(key)
    if info is None:
        yield IssueKind.MISSING_OBJECT, key, "the clip cannot be played"
    elif info.size != clip.get("file_size"):
        yield IssueKind.WRONG_SIZE, key, f"{info.size} bytes instead of {clip.get('file_size')}"
    elif MD5_PATTERN.fullmatch(info.etag) and info.etag != clip.get("md5"):
        yield IssueKind.WRONG_CHECKSUM, key, f"{info.etag} instead of {clip.get('md5')}"


def _check_side_objects(clip: Document, listed: Mapping[str, ObjectInfo]) -> Iterator[tuple[IssueKind, str, str]]:
    """Check a clip's side objects. One that is recorded and missing is an error; one that was never made is only
    reported."""
    video = str(clip.get(VIDEO.key_field))
    expected = {kind.name: (_expected_key(clip, kind), kind.key_beside(video)) for kind in SIDE_OBJECTS}
    lost = [row for row in clip.get(COPIES_FIELD) or () if row.get("md5") != clip.get("md5")]
    expected |= {
        f"{FINGERPRINT.name} of {row['md5']}": (row.get(FINGERPRINT.key_field), FINGERPRINT.key_beside(video))
        for row in lost
    }
    for what, (named, usual) in expected.items():
        if named and named not in listed:
            yield IssueKind.MISSING_SIDE_OBJECT, str(named), what
        elif not named and usual not in listed and " of " not in what:
            yield IssueKind.NO_SIDE_OBJECT, usual, what


def _expected_key(clip: Document, kind: ClipObject) -> str | None:
    """The key that the record names. A clip that has a fingerprint has it beside its file, named or not."""
    is_made = kind is FINGERPRINT and clip.get("hash_version")
    return clip.get(kind.key_field) or (kind.key_beside(str(clip.get(VIDEO.key_field))) if is_made else None)


def check_foreign_object(info: ObjectInfo) -> IntegrityIssue | None:
    """An object that the product did not create; it is never touched."""
    if parse_fixture_id(info.key) is not None or info.key.startswith((SCRATCH_PREFIX, TRASH_PREFIX, BLOCKLIST_PREFIX)):
        return None
    return IntegrityIssue(IssueKind.FOREIGN_OBJECT, key=info.key, detail="not created by Found Footy")
