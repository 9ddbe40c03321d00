"""Settings of organization uploads."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from found_footy.platform.http.access_tokens import AccessToken
from found_footy.platform.settings.groups import Bytes, Duration, HttpUrl, SettingsGroup
from found_footy.uploads.messages import ReconcileUploads

_StreamName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
_Sha256 = Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")]


class UploadSettings(SettingsGroup):
    enabled: bool = True
    """Accept and classify images that organizations upload."""

    bucket: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")] = "footy-uploads"
    """Bucket of the uploaded images, in the object store of the clips."""

    max_bytes: Bytes = 25 * 2**20
    """Maximum size of an image."""

    max_pixels: Annotated[int, Field(ge=1)] = 50 * 10**6
    """Maximum number of pixels of an image."""

    stream: _StreamName = "UPLOADS"
    """JetStream stream of the notifications about stored images."""

    consumer: _StreamName = "uploads-intake"
    """Durable JetStream consumer of that stream."""

    max_deliveries: Annotated[int, Field(ge=1, le=100)] = 8
    """How often a notification is tried before it becomes a dead letter."""

    ingests: Annotated[int, Field(ge=1, le=1000)] = 8
    """Notifications that one worker process ingests at the same time."""

    in_flight: Annotated[int, Field(ge=1, le=10_000)] = 64
    """Classifications that run at the same time; further images wait in the queue."""

    in_flight_per_organization: Annotated[int, Field(ge=1, le=10_000)] = 32
    """The same for one organization, so that one does not keep the others waiting."""

    longest_run: Duration = timedelta(hours=24)
    """Time limit of one classification; longer than any outage that it should survive."""

    reconcile_interval: Duration = timedelta(minutes=5)
    """How often the bucket is listed for images that no notification told about."""

    reconcile_timeout: Duration = timedelta(hours=2)
    """Time limit of one such run."""

    open_for: Duration = ReconcileUploads.open_for
    """How long an image may wait for its classification, or after a failure of ours, before that is started again."""

    preview_grace: Duration = ReconcileUploads.preview_grace
    """Minimum age of a preview that no image needs before it is deleted."""

    notification_secret: AccessToken | None = None
    """Bearer token that the object store sends with its notifications; without one they are not accepted."""

    notification_stores: tuple[Literal["seaweedfs", "aws", "minio"], ...] = ()
    """Stores of yours that send notifications to the page: it does not start without the secret then."""

    r2_url: HttpUrl = "https://api.cloudflare.com/client/v4"
    """Address of Cloudflare's API."""

    r2_account: Annotated[str, Field(max_length=64)] = ""
    """Cloudflare account of the queue that R2 sends its notifications to."""

    r2_queue: Annotated[str, Field(max_length=64)] = ""
    """Id of that queue; with one, a worker pulls from it."""

    r2_token: SecretStr = SecretStr("")
    """API token of that account, with the permission to read and write queues."""

    r2_interval: Duration = timedelta(seconds=5)
    """Pause between two pulls of an empty queue."""

    classifier: Literal["onnx", "workers-ai"] = "onnx"
    """Classifier of the images: onnx runs here, workers-ai at Cloudflare."""

    model_file: Path | None = None
    """ONNX file of the classifier; by default the ResNet-50 that set-up makes."""

    model_sha256: _Sha256 = ""
    """SHA-256 of that file; needed with a file of your own."""

    model_short_side: Annotated[int, Field(ge=224, le=320)] = 256
    """Length to which that model expects the short side of an image before its middle is cut out."""

    classifier_threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Threads of the classifier onnx."""

    classifier_batch: Annotated[int, Field(ge=1, le=64)] = 8
    """Images that the classifier onnx takes together when several wait."""

    workers_ai_url: HttpUrl = "https://api.cloudflare.com/client/v4"
    """Address of Cloudflare's API."""

    workers_ai_account: Annotated[str, Field(max_length=64)] = ""
    """Cloudflare account that Workers AI runs in."""

    workers_ai_token: SecretStr = SecretStr("")
    """API token of that account, with the permission to run Workers AI."""

    workers_ai_timeout: Duration = timedelta(seconds=30)
    """Timeout of one classification at Workers AI."""

    quota_bytes: Bytes = 10 * 10**9
    """Maximum size of all images of an organization together, unless it has a quota of its own."""

    quota_objects: Annotated[int, Field(ge=1)] = 20_000
    """Maximum number of images of an organization, unless it has a quota of its own."""
