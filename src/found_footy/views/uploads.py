"""Views of organizations' uploads, built from stored rows. Pure: the page and the API render these."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from found_footy.domain.uploads import HistoryKind, UploadStatus
from found_footy.platform.media.image_types import SHOWN_TYPES
from found_footy.views.field_readers import Document, read_datetime, read_documents, read_float, read_int, read_text

# Types that a browser may show in place. The sandboxed decoder found them in the bytes; all others are downloads.
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_LABELS = 5
_MAX_ERROR_LENGTH = 500
_SHORT_ID_LENGTH = 8
_STATUS_WORDS = {
    UploadStatus.QUEUED: "Waiting",
    UploadStatus.RUNNING: "Classifying",
    UploadStatus.CLASSIFIED: "Classified",
    UploadStatus.FAILED: "Failed",
}
_HISTORY_WORDS: Mapping[str, str] = {
    HistoryKind.STORED: "Stored",
    HistoryKind.STARTED: "Classification started",
    HistoryKind.CLASSIFIED: "Classified",
    HistoryKind.FAILED: "Classification failed",
    HistoryKind.SUPERSEDED: "Replaced by a newer version",
    HistoryKind.RETRIED: "Classification requested again",
    HistoryKind.DELETED: "Deleted",
}
# Who told of an object, by the dialect of the event; every object store is one to people.
_SOURCE_WORDS: Mapping[str, str] = {
    "upload_route": "sent to this installation",
    "retry": "asked for by the organization",
    "deletion": "asked for by the organization",
    "reconciliation": "found by comparing with the object store",
    **dict.fromkeys(("seaweedfs", "aws", "eventbridge", "minio", "r2"), "told by the object store"),
}


@dataclass(frozen=True)
class LabelView:
    label: str
    score: float

    @property
    def percent(self) -> int:
        return round(100 * min(max(self.score, 0.0), 1.0))


@dataclass(frozen=True)
class UploadEventView:
    """Something that happened to a name. `version` names the version it happened to, `superseded_by` the newer one."""

    at: datetime
    what: str
    version: str
    label: str
    detail: str
    superseded_by: str

    @property
    def detail_text(self) -> str:
        return _SOURCE_WORDS.get(self.detail, self.detail)

    @property
    def text(self) -> str:
        return _HISTORY_WORDS.get(self.what, self.what.replace("_", " ").capitalize())


@dataclass(frozen=True)
class UploadView:
    """The current version of a name. `event_id` identifies it: the same bytes under the same name have the same id."""

    name: str
    status: UploadStatus
    event_id: str
    etag: str
    size: int
    label: str
    score: float | None
    labels: tuple[LabelView, ...]
    error: str
    content_type: str
    width: int | None
    height: int | None
    model_name: str
    model_sha256: str
    url: str
    original_url: str
    preview_url: str | None
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    history: tuple[UploadEventView, ...]

    @property
    def status_text(self) -> str:
        return _STATUS_WORDS[self.status]

    @property
    def version(self) -> str:
        return shorten_id(self.event_id)


def uploads_path(organization_id: str) -> str:
    return f"/api/v1/organizations/{organization_id}/uploads"


def upload_path(organization_id: str, name: str) -> str:
    return f"{uploads_path(organization_id)}/{quote(name, safe='')}"


def shorten_id(event_id: str) -> str:
    return event_id[:_SHORT_ID_LENGTH]


def build_upload_view(row: Document) -> UploadView:
    address = upload_path(row["organizationId"], row["name"])
    event_id = read_text(row.get("eventId"))
    return UploadView(
        name=row["name"],
        status=UploadStatus(row["status"]),
        event_id=event_id,
        etag=read_text(row.get("etag")),
        size=read_int(row.get("size")) or 0,
        label=read_text(row.get("classificationLabel")),
        score=read_float(row.get("classificationScore")),
        labels=_read_labels(row.get("classifications")),
        error=read_text(row.get("error"), limit=_MAX_ERROR_LENGTH),
        content_type=read_text(row.get("contentType")) if read_int(row.get("width")) else "",
        width=read_int(row.get("width")),
        height=read_int(row.get("height")),
        model_name=read_text(row.get("modelName")),
        model_sha256=read_text(row.get("modelSha256")),
        url=address,
        original_url=f"{address}/original",
        # The version in the address changes with the picture, so a browser never shows the preview of an older one.
        preview_url=f"{address}/preview?v={shorten_id(event_id)}" if row.get("previewKey") else None,
        created_at=read_datetime(row.get("createdAt")) or _EPOCH,
        updated_at=read_datetime(row.get("updatedAt")) or _EPOCH,
        completed_at=read_datetime(row.get("completedAt")),
        history=tuple(_read_event(one) for one in read_documents(row.get("history"))),
    )


def _read_labels(value: Any) -> tuple[LabelView, ...]:
    rows = read_documents(value)[:_MAX_LABELS]
    return tuple(LabelView(read_text(row.get("label")), read_float(row.get("score")) or 0.0) for row in rows)


def _read_event(row: Document) -> UploadEventView:
    return UploadEventView(
        at=read_datetime(row.get("at")) or _EPOCH,
        what=read_text(row.get("what")),
        version=shorten_id(read_text(row.get("eventId"))),
        label=read_text(row.get("label")),
        detail=read_text(row.get("detail"), limit=_MAX_ERROR_LENGTH),
        superseded_by=shorten_id(read_text(row.get("supersededBy"))),
    )


def build_pending_view(
    organization_id: str, name: str, event_id: str, etag: str, size: int, now: datetime
) -> UploadView:
    """The view of an object that was stored a moment ago and has no row yet."""
    return build_upload_view(
        {
            "organizationId": organization_id,
            "name": name,
            "status": UploadStatus.QUEUED,
            "eventId": event_id,
            "etag": etag,
            "size": size,
            "createdAt": now,
            "updatedAt": now,
        }
    )


def select_served_type(row: Document, etag: str) -> str | None:
    """Return the content type that the stored bytes may be shown with: the sniffed one, if it was sniffed in this
    version and browsers show it without running anything; None for a download.
    """
    # Until the image was decoded, which gives it a width, the row has the type that the uploader claimed.
    is_sniffed = row.get("etag") == etag and read_int(row.get("width")) is not None
    sniffed = read_text(row.get("contentType"))
    return sniffed if is_sniffed and sniffed in SHOWN_TYPES else None
