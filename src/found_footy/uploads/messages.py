"""Messages of the uploads' workflows and activities, and what the agent answers."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from found_footy.domain.messages import TaskQueues
from found_footy.domain.uploads import FailureKind

ORGANIZATION_WORKFLOW = "OrganizationWorkflow"
RECONCILE_UPLOADS_WORKFLOW = "ReconcileUploadsWorkflow"
RECONCILE_UPLOADS_SCHEDULE = "reconcile-uploads"
RECONCILE_UPLOADS_SCHEDULED = "reconcile-uploads-scheduled"
CLASSIFY_SIGNAL = "classify"
PROGRESS_QUERY = "progress"


class ObjectEventResult(StrEnum):
    """What became of an event.

    queued: the row shows a version that waits for its classification, which is started.
    unchanged: the row already had this version.
    stale: the event is about a version that is no longer stored; the row shows the newer one.
    tombstoned: the object is gone, and the row says so.
    gone: neither the object nor a row exists.
    postponed: the row is queued, but too many classifications run; the event must be delivered again later. This is
    not a failure and never makes a dead letter.
    ignored: the key belongs to no organization's upload.
    """

    QUEUED = "queued"
    UNCHANGED = "unchanged"
    STALE = "stale"
    TOMBSTONED = "tombstoned"
    GONE = "gone"
    POSTPONED = "postponed"
    IGNORED = "ignored"


@dataclass(frozen=True)
class IngestOutcome:
    """`event_id` and `workflow_id` are those of the row after the event; empty without a row."""

    result: ObjectEventResult
    event_id: str = ""
    workflow_id: str = ""


@dataclass(frozen=True)
class UploadVersion:
    """One version of one organization's image. `request_id` names the request to classify it: a version that comes back
    after another, or that is retried, has a new one.
    """

    organization_id: str
    name: str
    key: str
    etag: str
    event_id: str
    request_id: str


@dataclass(frozen=True)
class ClassifyUpload:
    """The input of OrganizationWorkflow."""

    version: UploadVersion
    queues: TaskQueues = field(default_factory=TaskQueues)


class WorkflowStep(StrEnum):
    LOAD = "load-image"
    CLASSIFY = "classify-image"
    PERSIST = "persist-result"


@dataclass(frozen=True)
class ClassificationProgress:
    """The answer of OrganizationWorkflow to the query `progress`. `status` is running, classified, failed or
    superseded.
    """

    status: str
    step: WorkflowStep
    message: str


@dataclass(frozen=True)
class LabelScore:
    label: str
    score: float


@dataclass(frozen=True)
class LoadedImage:
    """An image that was decoded and stored for the classifier, with its preview; or why it was not.

    `refusal` is a sentence for people about an image that cannot be classified; `superseded` says that the version is
    no longer the one to classify.
    """

    prepared_key: str = ""
    preview_key: str = ""
    content_type: str = ""
    width: int = 0
    height: int = 0
    refusal: str = ""
    superseded: bool = False


@dataclass(frozen=True)
class ClassifyImage:
    version: UploadVersion
    prepared_key: str


@dataclass(frozen=True)
class ClassifiedImage:
    """The labels, best first. `missing` says that the decoded image is no longer stored and must be loaded again."""

    labels: tuple[LabelScore, ...] = ()
    model_name: str = ""
    model_sha256: str = ""
    missing: bool = False
    refusal: str = ""


@dataclass(frozen=True)
class ClassificationFailure:
    """`error` is a sentence for people."""

    error: str
    kind: FailureKind


@dataclass(frozen=True)
class PersistResult:
    """What to write about a version: its labels, or its failure, or neither if it was superseded."""

    version: UploadVersion
    image: LoadedImage = LoadedImage()
    labels: tuple[LabelScore, ...] = ()
    model_name: str = ""
    model_sha256: str = ""
    failure: ClassificationFailure | None = None


class PersistOutcome(StrEnum):
    """classified and failed: the row says so now. stale: the row does not wait for this result, so nothing was written.
    waiting: it still waits for this request, because the version is stored again that was missing a moment ago.
    """

    CLASSIFIED = "classified"
    FAILED = "failed"
    STALE = "stale"
    WAITING = "waiting"


@dataclass(frozen=True)
class ReconcileUploads:
    """The input of ReconcileUploadsWorkflow. `open_for` is how long a row may wait for its classification before its
    workflow is started again, `preview_grace` the minimum age of a preview that no row needs before it is deleted.
    """

    open_for: timedelta = timedelta(minutes=5)
    preview_grace: timedelta = timedelta(hours=24)


@dataclass(frozen=True)
class ReconcileReport:
    """Counts: objects listed; rows that were missing, had another version, or whose object is gone; rows whose
    classification was started again; previews deleted; organizations that could not be compared.
    """

    listed: int = 0
    missing: int = 0
    changed: int = 0
    removed: int = 0
    restarted: int = 0
    previews_deleted: int = 0
    failed: int = 0


@dataclass(frozen=True)
class PreviewsSwept:
    """Counts: previews and decoded images that were deleted, and previews that are made again because a row came to
    need them meanwhile.
    """

    deleted: int = 0
    restored: int = 0
