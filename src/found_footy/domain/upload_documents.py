"""The documents of organization uploads. docs/data.md describes the fields; `documents.py` says how they are used."""

from datetime import datetime
from typing import Any, Required, TypedDict


class LabelDocument(TypedDict):
    """One label of an image with its score, in `classifications` of an upload."""

    label: str
    score: float


class UploadHistoryDocument(TypedDict, total=False):
    """Something that happened to a name, in `history` of an upload. `supersededBy` names the newer version."""

    at: Required[datetime]
    what: Required[str]
    eventId: Required[str]
    label: str | None
    detail: str | None
    supersededBy: str | None


class UploadDocument(TypedDict, total=False):
    """The current version of one name of an organization, in `uploads`. One with `deletedAt` is a tombstone."""

    _id: Any
    organizationId: Required[str]
    name: Required[str]
    key: Required[str]
    eventId: Required[str]
    workflowId: Required[str]
    status: Required[str]
    revision: Required[str]
    requestId: Required[str]
    etag: str
    size: int
    eventTime: datetime | None
    sequencer: str | None
    classificationLabel: str | None
    classificationScore: float | None
    classifications: list[LabelDocument]
    modelName: str | None
    modelSha256: str | None
    contentType: str | None
    width: int | None
    height: int | None
    previewKey: str | None
    error: str | None
    errorKind: str | None
    createdAt: Required[datetime]
    updatedAt: Required[datetime]
    completedAt: datetime | None
    deletedAt: datetime | None
    history: list[UploadHistoryDocument]
