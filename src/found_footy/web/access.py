"""Which stored bytes a visitor may have: a clip of a standing goal, never one of a goal that was struck out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from found_footy.domain.removed_clips import ClipRemovalReason
from found_footy.views.field_readers import Document, read_documents, read_strings

_EVENT_ID_REGEX = r"\d{1,12}_\d{1,12}_\d{1,12}_[A-Za-z]{1,20}_\d{1,6}"
_FILE_NAME_REGEX = r"(?P<md5>[0-9a-f]{32})\.(?P<kind>mp4|jpg|preview\.mp4)"
_MEDIA_KEY_REGEX = re.compile(
    rf"(?P<fixture>\d{{1,12}})/(?P<event>(?=(?P=fixture)_){_EVENT_ID_REGEX})/{_FILE_NAME_REGEX}", re.ASCII
)
_CONTENT_TYPES = {"mp4": "video/mp4", "jpg": "image/jpeg", "preview.mp4": "video/mp4"}
# Which field of a clip names the object of each kind.
_KEY_FIELD_BY_KIND = {"mp4": "_s3_key", "jpg": "thumbnail_key", "preview.mp4": "preview_key"}
CLIP_ID_PATTERN = r"^[A-Za-z0-9_-]{1,128}$"
EVENT_ID_PATTERN = rf"^{_EVENT_ID_REGEX}$"


@dataclass(frozen=True)
class MediaKey:
    """The key of an object that may be public; every other shape of key is none of a visitor's business."""

    key: str
    fixture_id: int
    event_id: str
    md5: str
    kind: str

    @classmethod
    def parse(cls, key: str) -> "MediaKey | None":
        found = _MEDIA_KEY_REGEX.fullmatch(key)
        return cls(key, int(found["fixture"]), found["event"], found["md5"], found["kind"]) if found else None

    @property
    def content_type(self) -> str:
        return _CONTENT_TYPES[self.kind]


@dataclass(frozen=True)
class MediaGranted:
    key: str


@dataclass(frozen=True)
class MediaMoved:
    """Another file took the place of this one."""

    key: str


@dataclass(frozen=True)
class MediaGone:
    """Nothing is shown here any more. `is_final`: not even a clip that took the place of this one."""

    reason: ClipRemovalReason = ClipRemovalReason.GOAL_REMOVED
    is_final: bool = False


@dataclass(frozen=True)
class MediaUnknown:
    pass


MediaAccess = MediaGranted | MediaMoved | MediaGone | MediaUnknown


def decide_media_access(document: Document | None, requested: MediaKey) -> MediaAccess:
    """What a request for this object gets, from the fixture it belongs to."""
    if document is None:
        return MediaUnknown()
    if any(clip.get(_KEY_FIELD_BY_KIND[requested.kind]) == requested.key for clip in _iter_published_clips(document)):
        return MediaGranted(requested.key)
    sent_away = _evaluate_removals(
        row for row in _iter_moderation_removals(document) if requested.md5 in read_strings(row.get("md5s"))
    )
    if sent_away is not None and sent_away.is_final:
        return sent_away
    for clip in _iter_published_clips(document, first_event_id=resolve_event_id(document, requested.event_id)):
        if requested.md5 in _collect_md5s(clip):
            target = clip.get(_KEY_FIELD_BY_KIND[requested.kind])
            return MediaMoved(target) if isinstance(target, str) and target else MediaUnknown()
    if sent_away is not None:
        return sent_away
    struck = {event.get("_event_id") for event in _iter_removed_goals(document)}
    return MediaGone() if resolve_event_id(document, requested.event_id) in struck else MediaUnknown()


def decide_clip_access(document: Document | None, clip_id: str) -> MediaAccess:
    """What a request for this clip gets, from the fixture that has it."""
    if document is None:
        return MediaUnknown()
    for clip in _iter_published_clips(document):
        if clip.get("clip_id") == clip_id:
            return MediaGranted(str(clip.get("_s3_key")))
    sent_away = _evaluate_removals(row for row in _iter_moderation_removals(document) if row.get("clip_id") == clip_id)
    if sent_away is not None:
        return sent_away
    struck = (
        clip.get("clip_id")
        for event in _iter_removed_goals(document)
        for clip in read_documents(event.get("_s3_videos"))
    )
    deleted = (gone for event in _iter_removed_goals(document) for gone in read_strings(event.get("_gone_clips")))
    return MediaGone() if clip_id in (*struck, *deleted) else MediaUnknown()


def _evaluate_removals(removals: Iterable[Document]) -> MediaGone | None:
    """A clip that people allow again may have become one with another; until they do, its address leads nowhere."""
    lifted = [bool(row.get("lifted")) for row in removals]
    return MediaGone(ClipRemovalReason.CLIP_REMOVED, is_final=not all(lifted)) if lifted else None


def resolve_event_id(document: Document, event_id: str) -> str:
    """The id that a goal has now, after however many corrections of its scorer."""
    moves = {event.get("_event_id"): event.get("_moved_to") for event in read_documents(document.get("removed_events"))}
    for _ in moves:
        following = moves.get(event_id)
        if not isinstance(following, str):
            break
        event_id = following
    return event_id


def _iter_published_clips(document: Document, first_event_id: str = "") -> Iterator[Document]:
    """The clips of goals that stand, those of the goal `first_event_id` before all others."""
    for event in sorted(
        read_documents(document.get("events")), key=lambda event: event.get("_event_id") != first_event_id
    ):
        if not event.get("_removed"):
            yield from read_documents(event.get("_s3_videos"))


def _iter_removed_goals(document: Document) -> Iterator[Document]:
    yield from read_documents(document.get("removed_events"))
    yield from (event for event in read_documents(document.get("events")) if event.get("_removed"))


def _iter_moderation_removals(document: Document) -> Iterator[Document]:
    """What people have removed from this fixture's goals."""
    for event in (*read_documents(document.get("events")), *read_documents(document.get("removed_events"))):
        yield from read_documents((event.get("_judgements") or {}).get("refused"))


def _collect_md5s(clip: Document) -> set[str]:
    """The MD5s of all files that this clip was found as. Older records have them among the sources."""
    return {
        *read_strings(clip.get("_md5s")),
        *(source.removeprefix("md5:") for source in read_strings(clip.get("_sources"))),
    }
