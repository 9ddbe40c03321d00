"""Which version of an object its row shows, and what an event changes about that.

What `head` says now decides. A row is written only over the state that was read before that `head`, so the versions of
a row follow each other in the order in which they were stored, whatever the order of the events. The time and the
sequencer of an event order what `head` cannot tell apart: the same bytes, stored again.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from found_footy.domain.upload_documents import UploadDocument
from found_footy.domain.uploads import OPEN_STATUSES, UploadStatus, compute_event_id


@dataclass(frozen=True)
class StoredVersion:
    """An object as `head` described it."""

    etag: str
    size: int
    content_type: str
    modified: datetime


@dataclass(frozen=True)
class ObjectAnnouncement:
    """What an event says about an object. `etag` is None where the event has none; `source` is its dialect."""

    is_removal: bool = False
    etag: str | None = None
    event_time: datetime | None = None
    sequencer: str | None = None
    source: str = ""


class RowChange(StrEnum):
    """keep: the row is right. start: it is, and its classification may not have been started. store: it shows the
    stored version from now on. requeue: the same bytes were stored again after their classification failed. entomb: the
    object is gone. none: there is neither an object nor a row that shows one.
    """

    KEEP = "keep"
    START = "start"
    STORE = "store"
    REQUEUE = "requeue"
    ENTOMB = "entomb"
    NONE = "none"


def decide_change(
    row: UploadDocument | None, key: str, found: StoredVersion | None, announced: ObjectAnnouncement
) -> RowChange:
    """Decide what to do about the row that was read before `found` was looked up."""
    shown = row if row is not None and row.get("deletedAt") is None else None
    if found is None:
        return RowChange.NONE if shown is None else RowChange.ENTOMB
    if shown is None or shown["eventId"] != compute_event_id(key, found.etag):
        return RowChange.STORE
    if shown["status"] == UploadStatus.FAILED and _was_stored_after_failure(shown, found, announced):
        return RowChange.REQUEUE
    return RowChange.START if shown["status"] == UploadStatus.QUEUED else RowChange.KEEP


def is_stale(found: StoredVersion | None, announced: ObjectAnnouncement) -> bool:
    """Whether the event is about something that is no longer so: a version that was overwritten or deleted since, or
    the deletion of an object that exists again.
    """
    if announced.is_removal:
        return found is not None
    return found is None or (announced.etag is not None and announced.etag != found.etag)


def is_waiting(row: UploadDocument | None, request_id: str) -> bool:
    """Whether the row still waits for the result of this request."""
    return (
        row is not None
        and row.get("deletedAt") is None
        and row["requestId"] == request_id
        and row["status"] in OPEN_STATUSES
    )


def order_of(event_time: datetime | None, sequencer: str | None) -> tuple[float, str]:
    """Return the place of an event among those of its object: by time, then by sequencer.

    Sequencers are hexadecimal numbers of different lengths. MongoDB keeps whole milliseconds: with a finer time, an
    event that is delivered again would come after itself.
    """
    milliseconds = (event_time - _EPOCH) // timedelta(milliseconds=1) if event_time else float("-inf")
    return milliseconds, (sequencer or "").upper().zfill(_SEQUENCER_LENGTH)


_SEQUENCER_LENGTH = 32
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _was_stored_after_failure(row: UploadDocument, found: StoredVersion, announced: ObjectAnnouncement) -> bool:
    """Whether the event tells of a PUT after the one that failed. A repeated event has the place that the row has."""
    if announced.is_removal or announced.etag not in (None, found.etag) or announced.event_time is None:
        return False
    failed_at = row.get("completedAt")
    if failed_at is None or announced.event_time <= failed_at:
        return False
    return order_of(announced.event_time, announced.sequencer) > order_of(row.get("eventTime"), row.get("sequencer"))
