"""Which stored bytes a visitor may have: a clip of a standing goal, never one of a goal that was struck out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from found_footy.model.gone import Why
from found_footy.web.documents import Document, names, rows

_EVENT = r"\d{1,12}_\d{1,12}_\d{1,12}_[A-Za-z]{1,20}_\d{1,6}"
_FILE = r"(?P<md5>[0-9a-f]{32})\.(?P<kind>mp4|jpg|preview\.mp4)"
_KEY = re.compile(rf"(?P<fixture>\d{{1,12}})/(?P<event>(?=(?P=fixture)_){_EVENT})/{_FILE}", re.ASCII)
_CONTENT_TYPES = {"mp4": "video/mp4", "jpg": "image/jpeg", "preview.mp4": "video/mp4"}
# Which field of a clip names the object of each kind.
_NAMED_BY = {"mp4": "_s3_key", "jpg": "thumbnail_key", "preview.mp4": "preview_key"}
CLIP_ID = r"^[A-Za-z0-9_-]{1,128}$"
EVENT_ID = rf"^{_EVENT}$"


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
        found = _KEY.fullmatch(key)
        return cls(key, int(found["fixture"]), found["event"], found["md5"], found["kind"]) if found else None

    @property
    def content_type(self) -> str:
        return _CONTENT_TYPES[self.kind]


@dataclass(frozen=True)
class Serve:
    key: str


@dataclass(frozen=True)
class Moved:
    """Another file took the place of this one."""

    key: str


@dataclass(frozen=True)
class Gone:
    """Nothing is shown here any more. `final`: not even a clip that took the place of this one."""

    why: Why = Why.STRUCK_OUT
    final: bool = False


@dataclass(frozen=True)
class Unknown:
    pass


Verdict = Serve | Moved | Gone | Unknown


def media_verdict(document: Document | None, asked: MediaKey) -> Verdict:
    """What a request for this object gets, from the fixture it belongs to."""
    if document is None:
        return Unknown()
    if any(clip.get(_NAMED_BY[asked.kind]) == asked.key for clip in _standing_clips(document)):
        return Serve(asked.key)
    sent_away = _removed(row for row in _sent_away(document) if asked.md5 in names(row.get("md5s")))
    if sent_away is not None and sent_away.final:
        return sent_away
    for clip in _standing_clips(document, first=current_id(document, asked.event_id)):
        if asked.md5 in _digests(clip):
            target = clip.get(_NAMED_BY[asked.kind])
            return Moved(target) if isinstance(target, str) and target else Unknown()
    if sent_away is not None:
        return sent_away
    struck = {event.get("_event_id") for event in _struck(document)}
    return Gone() if current_id(document, asked.event_id) in struck else Unknown()


def clip_verdict(document: Document | None, clip_id: str) -> Verdict:
    """What a request for this clip gets, from the fixture that has it."""
    if document is None:
        return Unknown()
    for clip in _standing_clips(document):
        if clip.get("clip_id") == clip_id:
            return Serve(str(clip.get("_s3_key")))
    sent_away = _removed(row for row in _sent_away(document) if row.get("clip_id") == clip_id)
    if sent_away is not None:
        return sent_away
    struck = (clip.get("clip_id") for event in _struck(document) for clip in rows(event.get("_s3_videos")))
    deleted = (gone for event in _struck(document) for gone in names(event.get("_gone_clips")))
    return Gone() if clip_id in (*struck, *deleted) else Unknown()


def _removed(refused: Iterable[Document]) -> Gone | None:
    """A clip that people allow again may have become one with another; until they do, its address leads nowhere."""
    lifted = [bool(row.get("lifted")) for row in refused]
    return Gone(Why.REMOVED, final=not all(lifted)) if lifted else None


def current_id(document: Document, event_id: str) -> str:
    """The id that a goal has now, after however many corrections of its scorer."""
    moves = {event.get("_event_id"): event.get("_moved_to") for event in rows(document.get("removed_events"))}
    for _ in moves:
        following = moves.get(event_id)
        if not isinstance(following, str):
            break
        event_id = following
    return event_id


def _standing_clips(document: Document, first: str = "") -> Iterator[Document]:
    """The clips of goals that stand, those of the goal `first` before all others."""
    for event in sorted(rows(document.get("events")), key=lambda event: event.get("_event_id") != first):
        if not event.get("_removed"):
            yield from rows(event.get("_s3_videos"))


def _struck(document: Document) -> Iterator[Document]:
    yield from rows(document.get("removed_events"))
    yield from (event for event in rows(document.get("events")) if event.get("_removed"))


def _sent_away(document: Document) -> Iterator[Document]:
    """What people have removed from this fixture's goals."""
    for event in (*rows(document.get("events")), *rows(document.get("removed_events"))):
        yield from rows((event.get("_judgements") or {}).get("refused"))


def _digests(clip: Document) -> set[str]:
    """The MD5s of all files that this clip was found as. Older records have them among the sources."""
    return {*names(clip.get("_md5s")), *(source.removeprefix("md5:") for source in names(clip.get("_sources")))}
