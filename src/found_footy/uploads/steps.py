"""Activities of organization uploads as their workflows call them: timeouts, attempts, and the reason for them."""

from datetime import timedelta
from typing import Protocol

from found_footy.platform.temporal.steps import OUTAGE_ATTEMPTS, step
from found_footy.uploads.messages import (
    ClassifiedImage,
    ClassifyImage,
    LoadedImage,
    PersistOutcome,
    PersistResult,
    PreviewsSwept,
    ReconcileReport,
    ReconcileUploads,
    UploadVersion,
)

_SHORT_TIMEOUT = timedelta(seconds=30)
# An activity whose worker has died is started on another worker after this.
_HEARTBEAT_TIMEOUT = timedelta(seconds=15)


class UploadSteps(Protocol):
    @step(
        name="load-image",
        reason="reads and decodes one image; a refusal is a result, so only outages are retried",
        start_to_close_timeout=timedelta(minutes=5),
        maximum_attempts=OUTAGE_ATTEMPTS,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def load_image(self, version: UploadVersion) -> LoadedImage: ...

    @step(
        name="classify-image",
        reason="a tenth of a second here, seconds at a service, and minutes if it must wait for others",
        start_to_close_timeout=timedelta(minutes=5),
        maximum_attempts=OUTAGE_ATTEMPTS,
        heartbeat_timeout=_HEARTBEAT_TIMEOUT,
    )
    async def classify_image(self, order: ClassifyImage) -> ClassifiedImage: ...

    @step(
        name="persist-result",
        reason="one write; without it the row waits for ever",
        start_to_close_timeout=_SHORT_TIMEOUT,
        maximum_attempts=OUTAGE_ATTEMPTS,
    )
    async def persist_result(self, result: PersistResult) -> PersistOutcome: ...


class ReconcileSteps(Protocol):
    @step(
        reason="lists the bucket and waits for classifications that it starts; the next run repeats what is left",
        start_to_close_timeout=timedelta(hours=1),
        maximum_attempts=5,
        initial_interval=timedelta(seconds=10),
        heartbeat_timeout=timedelta(minutes=1),
    )
    async def reconcile_uploads(self, request: ReconcileUploads) -> ReconcileReport: ...

    @step(
        reason="lists the previews; the next run deletes what is left",
        start_to_close_timeout=timedelta(minutes=30),
        maximum_attempts=2,
        heartbeat_timeout=timedelta(minutes=1),
    )
    async def sweep_previews(self, request: ReconcileUploads) -> PreviewsSwept: ...
