"""The fields of a row after each change, and what the change adds to its history."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from found_footy.domain.upload_documents import UploadDocument, UploadHistoryDocument
from found_footy.domain.uploads import (
    FailureKind,
    HistoryKind,
    UploadStatus,
    classification_workflow_id,
    compute_event_id,
    object_key,
)
from found_footy.uploads.messages import PersistResult, UploadVersion
from found_footy.uploads.versions import ObjectAnnouncement, StoredVersion

RowFields = dict[str, Any]


@dataclass(frozen=True)
class RowUpdate:
    """Fields to set, and entries to add to the history."""

    fields: RowFields
    history: tuple[UploadHistoryDocument, ...] = ()


@dataclass(frozen=True)
class WriteMark:
    """When a row is written, and the ids that this write gives it. A write that queues a classification makes
    `request_id` the row's.
    """

    at: datetime
    revision: str
    request_id: str


def build_stored_version(
    row: UploadDocument | None,
    organization_id: str,
    name: str,
    found: StoredVersion,
    announced: ObjectAnnouncement,
    mark: WriteMark,
) -> RowUpdate:
    """Show the stored version: the row begins at queued, without the results of the version before."""
    key = object_key(organization_id, name)
    event_id = compute_event_id(key, found.etag)
    is_named = not announced.is_removal and announced.etag in (None, found.etag)
    fields = {
        "key": key,
        "eventId": event_id,
        "workflowId": classification_workflow_id(event_id),
        "etag": found.etag,
        "size": found.size,
        "contentType": found.content_type,
        "eventTime": (announced.event_time if is_named else None) or found.modified,
        "sequencer": announced.sequencer if is_named else None,
        "deletedAt": None,
        **_queued_fields(mark),
    }
    history = [_entry(mark, HistoryKind.STORED, event_id, detail=announced.source or None)]
    if row is not None and row.get("deletedAt") is None:
        history.insert(0, _superseded_entry(row, event_id, mark))
    return RowUpdate(fields, tuple(history))


def build_new_row(organization_id: str, name: str, update: RowUpdate, mark: WriteMark) -> UploadDocument:
    row: Any = {
        "organizationId": organization_id,
        "name": name,
        "createdAt": mark.at,
        **update.fields,
        "history": list(update.history),
    }
    document: UploadDocument = row
    return document


def build_requeue(row: UploadDocument, announced: ObjectAnnouncement, mark: WriteMark) -> RowUpdate:
    """Queue the version that the row shows for another classification."""
    fields = _queued_fields(mark)
    if announced.event_time is not None:
        fields |= {"eventTime": announced.event_time, "sequencer": announced.sequencer}
    return RowUpdate(fields, (_entry(mark, HistoryKind.RETRIED, row["eventId"], detail=announced.source or None),))


def build_tombstone(row: UploadDocument, mark: WriteMark) -> RowUpdate:
    fields = {"deletedAt": mark.at, "updatedAt": mark.at, "revision": mark.revision}
    return RowUpdate(fields, (_entry(mark, HistoryKind.DELETED, row["eventId"], label=row.get("classificationLabel")),))


def build_running(version: UploadVersion, mark: WriteMark) -> RowUpdate:
    fields = {"status": UploadStatus.RUNNING.value, "updatedAt": mark.at, "revision": mark.revision}
    return RowUpdate(fields, (_entry(mark, HistoryKind.STARTED, version.event_id),))


def build_success(result: PersistResult, mark: WriteMark) -> RowUpdate:
    best = result.labels[0]
    fields = {
        "status": UploadStatus.CLASSIFIED.value,
        "classificationLabel": best.label,
        "classificationScore": best.score,
        "classifications": [{"label": one.label, "score": one.score} for one in result.labels],
        "modelName": result.model_name,
        "modelSha256": result.model_sha256,
        **_image_fields(result),
        **_completed_fields(mark),
    }
    entry = _entry(mark, HistoryKind.CLASSIFIED, result.version.event_id, label=best.label)
    return RowUpdate(fields, (entry,))


def build_failure(result: PersistResult, error: str, kind: FailureKind, mark: WriteMark) -> RowUpdate:
    fields = {
        "status": UploadStatus.FAILED.value,
        "error": error,
        "errorKind": kind.value,
        **_image_fields(result),
        **_completed_fields(mark),
    }
    return RowUpdate(fields, (_entry(mark, HistoryKind.FAILED, result.version.event_id, detail=error),))


def version_of(row: UploadDocument) -> UploadVersion:
    return UploadVersion(
        row["organizationId"], row["name"], row["key"], row.get("etag", ""), row["eventId"], row["requestId"]
    )


def _queued_fields(mark: WriteMark) -> RowFields:
    return {
        "status": UploadStatus.QUEUED.value,
        "requestId": mark.request_id,
        "revision": mark.revision,
        "updatedAt": mark.at,
        "classificationLabel": None,
        "classificationScore": None,
        "classifications": [],
        "modelName": None,
        "modelSha256": None,
        "width": None,
        "height": None,
        "previewKey": None,
        "error": None,
        "errorKind": None,
        "completedAt": None,
    }


def _completed_fields(mark: WriteMark) -> RowFields:
    return {"updatedAt": mark.at, "completedAt": mark.at, "revision": mark.revision}


def _image_fields(result: PersistResult) -> RowFields:
    """What is known of the image; a failure may come before anything is."""
    image = result.image
    known = {
        "contentType": image.content_type,
        "width": image.width,
        "height": image.height,
        "previewKey": image.preview_key,
    }
    return {name: value for name, value in known.items() if value}


def _superseded_entry(row: UploadDocument, by: str, mark: WriteMark) -> UploadHistoryDocument:
    entry = _entry(mark, HistoryKind.SUPERSEDED, row["eventId"], label=row.get("classificationLabel"))
    return {**entry, "supersededBy": by}


def _entry(
    mark: WriteMark, what: HistoryKind, event_id: str, *, label: str | None = None, detail: str | None = None
) -> UploadHistoryDocument:
    return {"at": mark.at, "what": what.value, "eventId": event_id, "label": label, "detail": detail}
