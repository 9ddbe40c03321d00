"""Activities of organization uploads: load and decode an image, classify it, persist the result, reconcile."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from temporalio import activity

from found_footy.platform.errors import BadInput, TooLarge
from found_footy.platform.failpoints import failpoint
from found_footy.platform.heartbeat import send_heartbeats
from found_footy.platform.logs import ActionLogger
from found_footy.platform.media.image_decoder import ImageLimits
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.agent import AgentFactory
from found_footy.uploads.classifiers.classification import UploadClassifier
from found_footy.uploads.downloads import download_version
from found_footy.uploads.image_files import ImageFileStore
from found_footy.uploads.images.preparation import PreparedImage, prepare_image_or_give_up
from found_footy.uploads.images.refusals import RefusedImage, refuse_large_file
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
    WorkflowStep,
)
from found_footy.uploads.metrics import CLASSIFY_SECONDS, LOAD_SECONDS
from found_footy.uploads.preview_sweep import PreviewSweeper
from found_footy.uploads.reconciliation import UploadReconciler
from found_footy.uploads.steps import ReconcileSteps, UploadSteps

logger = ActionLogger(__name__)

# Decoders of images that one process runs at a time. They share processor and memory with those of clips, and a hostile
# image takes its decoder many seconds.
MAX_DECODERS = 2

Workspace = Callable[[], AbstractAsyncContextManager[Path]]


@dataclass(frozen=True)
class UploadTools:
    """What the activities work with. `workspace` opens a temporary folder; `objects` is the uploads' bucket."""

    agents: AgentFactory
    objects: ObjectStore
    classifier: UploadClassifier
    workspace: Workspace
    limits: ImageLimits
    reconciler: UploadReconciler
    sweeper: PreviewSweeper


class UploadActivities(UploadSteps, ReconcileSteps):
    def __init__(self, tools: UploadTools) -> None:
        self._tools = tools
        self._files = ImageFileStore(tools.objects)
        self._decoders = asyncio.Semaphore(MAX_DECODERS)

    @activity.defn(name=WorkflowStep.LOAD.value)
    async def load_image(self, version: UploadVersion) -> LoadedImage:
        """Decode the version and store its preview and its pixels, if the row still waits for it."""
        async with send_heartbeats():
            if not await self._tools.agents.for_organization(version.organization_id).begin(version):
                return LoadedImage(superseded=True)
            with LOAD_SECONDS.time():
                return await self._load(version)

    @activity.defn(name=WorkflowStep.CLASSIFY.value)
    async def classify_image(self, order: ClassifyImage) -> ClassifiedImage:
        async with send_heartbeats():
            pixels = await self._files.get_pixels(order.prepared_key)
            if pixels is None:
                return ClassifiedImage(missing=True)
            try:
                with CLASSIFY_SECONDS.time():
                    found = await self._tools.classifier.classify(pixels)
            except BadInput as error:
                return ClassifiedImage(refusal=str(error))
        return ClassifiedImage(found.labels, found.model_name, found.model_sha256)

    @activity.defn(name=WorkflowStep.PERSIST.value)
    async def persist_result(self, result: PersistResult) -> PersistOutcome:
        agent = self._tools.agents.for_organization(result.version.organization_id)
        failpoint("uploads.before_persist")
        if result.failure is not None:
            outcome = await agent.persist_classification_failure(result, result.failure)
        elif result.labels:
            outcome = await agent.persist_classification_success(result)
        else:
            outcome = await agent.persist_superseded(result.version)
        failpoint("uploads.after_persist")
        if result.image.prepared_key:
            await self._files.delete_pixels(result.image.prepared_key)
        return outcome

    @activity.defn
    async def reconcile_uploads(self, request: ReconcileUploads) -> ReconcileReport:
        async with send_heartbeats():
            return await self._tools.reconciler.reconcile(request)

    @activity.defn
    async def sweep_previews(self, request: ReconcileUploads) -> PreviewsSwept:
        async with send_heartbeats():
            return await self._tools.sweeper.sweep(request)

    async def _load(self, version: UploadVersion) -> LoadedImage:
        async with self._tools.workspace() as folder:
            source = folder / "upload"
            limit = self._tools.limits.max_bytes
            try:
                if not await download_version(self._tools.objects, version.key, version.etag, source, limit):
                    return LoadedImage(superseded=True)
            except TooLarge:
                return _refuse(version, refuse_large_file(limit))
            async with self._decoders:
                prepared = await prepare_image_or_give_up(source, folder, self._tools.limits, activity.info().attempt)
            if isinstance(prepared, RefusedImage):
                return _refuse(version, prepared)
            return await self._store_prepared(version, prepared)

    async def _store_prepared(self, version: UploadVersion, prepared: PreparedImage) -> LoadedImage:
        preview_key = await self._files.put_preview(version.event_id, prepared.preview)
        prepared_key = await self._files.put_pixels(version.event_id, prepared.pixels)
        return LoadedImage(prepared_key, preview_key, prepared.content_type, prepared.width, prepared.height)


def _refuse(version: UploadVersion, refused: RefusedImage) -> LoadedImage:
    logger.info(
        "%s is refused: %s",
        version.key,
        refused.sentence,
        action="upload_refused",
        event_id=version.event_id,
        reason=refused.reason,
    )
    return LoadedImage(refusal=refused.sentence)
