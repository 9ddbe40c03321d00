"""Access rules for stored objects: a visitor may fetch clips of current goals, never those of a removed goal."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from found_footy.domain.clip_files import PUBLIC_OBJECTS, ClipObject
from found_footy.domain.goals import resolve_event_id
from found_footy.domain.removed_clips import ClipRemovalReason
from found_footy.views.field_readers import Document, read_documents, read_strings

_EVENT_ID_REGEX = r"\d{1,12}_\d{1,12}_\d{1,12}_[A-Za-z]{1,20}_\d{1,6}"
_FILE_NAME_REGEX = rf"(?P<md5>[0-9a-f]{{32}})(?P<suffix>{'|'.join(re.escape(kind.suffix) for kind in PUBLIC_OBJECTS)})"
_MEDIA_KEY_REGEX = re.compile(
    rf"(?P<fixture>\d{{1,12}})/(?P<event>(?=(?P=fixture)_){_EVENT_ID_REGEX})/{_FILE_NAME_REGEX}", re.ASCII
)
_EVIDENCE_KEY_REGEX = re.compile(
    rf"(?P<fixture>\d{{1,12}})/(?P<event>(?=(?P=fixture)_){_EVENT_ID_REGEX})/evidence/(?P<md5>[0-9a-f]{{32}})-\d\.jpg",
    re.ASCII,
)
_OBJECT_BY_SUFFIX = {kind.suffix: kind for kind in PUBLIC_OBJECTS}
CLIP_ID_PATTERN = r"^[A-Za-z0-9_-]{1,128}$"
EVENT_ID_PATTERN = rf"^{_EVENT_ID_REGEX}$"


@dataclass(frozen=True)
class MediaKey:
    """The key of an object that may be public. Keys of any other shape are not served."""

    key: str
    fixture_id: int
    event_id: str
    md5: str
    kind: ClipObject

    @classmethod
    def parse(cls, key: str) -> "MediaKey | None":
        found = _MEDIA_KEY_REGEX.fullmatch(key)
        if found is None:
            return None
        return cls(key, int(found["fixture"]), found["event"], found["md5"], _OBJECT_BY_SUFFIX[found["suffix"]])

    @property
    def content_type(self) -> str:
        return self.kind.content_type


@dataclass(frozen=True)
class EvidenceKey:
    """The key of a picture of a frame that was checked."""

    key: str
    fixture_id: int
    md5: str
    content_type: str = "image/jpeg"

    @classmethod
    def parse(cls, key: str) -> "EvidenceKey | None":
        found = _EVIDENCE_KEY_REGEX.fullmatch(key)
        return None if found is None else cls(key, int(found["fixture"]), found["md5"])


@dataclass(frozen=True)
class MediaGranted:
    key: str


@dataclass(frozen=True)
class MediaMoved:
    """The clip is now served from another key."""

    key: str


@dataclass(frozen=True)
class MediaGone:
    """The object is no longer served. `is_final`: redirects to a replacing clip are not followed either."""

    reason: ClipRemovalReason = ClipRemovalReason.GOAL_REMOVED
    is_final: bool = False


@dataclass(frozen=True)
class MediaUnknown:
    pass


MediaAccess = MediaGranted | MediaMoved | MediaGone | MediaUnknown


def decide_media_access(document: Document | None, requested: MediaKey) -> MediaAccess:
    """Decide the response to a request for an object, from the fixture that the object belongs to."""
    if document is None:
        return MediaUnknown()
    if any(clip.get(requested.kind.key_field) == requested.key for clip in _iter_published_clips(document)):
        return MediaGranted(requested.key)
    removal = _evaluate_removals(
        row for row in _iter_moderation_removals(document) if requested.md5 in read_strings(row.get("md5s"))
    )
    if removal is not None and removal.is_final:
        return removal
    for clip in _iter_published_clips(document, first_event_id=resolve_event_id(document, requested.event_id)):
        if requested.md5 in _collect_md5s(clip):
            target = clip.get(requested.kind.key_field)
            return MediaMoved(target) if isinstance(target, str) and target else MediaUnknown()
    if removal is not None:
        return removal
    removed = {event.get("_event_id") for event in _iter_removed_goals(document)}
    return MediaGone() if resolve_event_id(document, requested.event_id) in removed else MediaUnknown()


def decide_evidence_access(document: Document | None, requested: EvidenceKey) -> MediaAccess:
    """Decide the response to a request for a picture of a frame. It is served while a clip that is shown has the file
    that it was taken from; pictures of rejected candidates may show anything and are not served.
    """
    if document is None:
        return MediaUnknown()
    removal = _evaluate_removals(
        row for row in _iter_moderation_removals(document) if requested.md5 in read_strings(row.get("md5s"))
    )
    if removal is not None and removal.is_final:
        return removal
    if any(requested.md5 in {clip.get("md5"), *_collect_md5s(clip)} for clip in _iter_published_clips(document)):
        return MediaGranted(requested.key)
    return MediaUnknown()


def decide_clip_access(document: Document | None, clip_id: str) -> MediaAccess:
    """Decide the response to a request for a clip, from the fixture that has it."""
    if document is None:
        return MediaUnknown()
    for clip in _iter_published_clips(document):
        if clip.get("clip_id") == clip_id:
            return MediaGranted(str(clip.get("_s3_key")))
    removal = _evaluate_removals(row for row in _iter_moderation_removals(document) if row.get("clip_id") == clip_id)
    if removal is not None:
        return removal
    removed = (
        clip.get("clip_id")
        for event in _iter_removed_goals(document)
        for clip in read_documents(event.get("_s3_videos"))
    )
    deleted = (gone for event in _iter_removed_goals(document) for gone in read_strings(event.get("_gone_clips")))
    return MediaGone() if clip_id in (*removed, *deleted) else MediaUnknown()


def _evaluate_removals(removals: Iterable[Document]) -> MediaGone | None:
    """A removal is final until it is lifted; after that the clip may have been merged with another one."""
    lifted = [bool(row.get("lifted")) for row in removals]
    return MediaGone(ClipRemovalReason.CLIP_REMOVED, is_final=not all(lifted)) if lifted else None


def _iter_published_clips(document: Document, first_event_id: str = "") -> Iterator[Document]:
    """Yield the clips of goals that are not removed; those of the goal `first_event_id` first."""
    for event in sorted(
        read_documents(document.get("events")), key=lambda event: event.get("_event_id") != first_event_id
    ):
        if not event.get("_removed"):
            yield from read_documents(event.get("_s3_videos"))


def _iter_removed_goals(document: Document) -> Iterator[Document]:
    yield from read_documents(document.get("removed_events"))
    yield from (event for event in read_documents(document.get("events")) if event.get("_removed"))


def _iter_moderation_removals(document: Document) -> Iterator[Document]:
    """Yield the clips that moderation removed from this fixture's goals."""
    for event in (*read_documents(document.get("events")), *read_documents(document.get("removed_events"))):
        yield from read_documents((event.get("_judgements") or {}).get("refused"))


def _collect_md5s(clip: Document) -> set[str]:
    """Return the MD5s of all copies of this clip. Older records list them among the sources."""
    return {
        *read_strings(clip.get("_md5s")),
        *(source.removeprefix("md5:") for source in read_strings(clip.get("_sources"))),
    }
