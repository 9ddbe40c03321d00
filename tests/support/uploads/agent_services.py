"""Organization uploads on real servers: agents, a worker, images whose label is known, and events about them."""

import asyncio
import io
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from PIL import Image
from temporalio.client import Client, WorkflowExecution
from temporalio.worker import Worker

from found_footy.domain.messages import TaskQueues, images_queue_name
from found_footy.domain.upload_documents import UploadDocument
from found_footy.domain.uploads import object_key
from found_footy.platform.media.frames import Pixels
from found_footy.platform.media.image_decoder import ImageLimits
from found_footy.platform.mongo import Database, ensure_indexes
from found_footy.platform.objects import ObjectStore
from found_footy.platform.temporal.client import TypedErrorInterceptor
from found_footy.uploads.activities import UploadActivities, UploadTools
from found_footy.uploads.agent import AgentFactory, AgentTools, OrganizationAgent
from found_footy.uploads.classifiers.classification import Classification
from found_footy.uploads.dispatch import ClassificationLimit, ClassificationStarter
from found_footy.uploads.intake.object_event import ObjectAction, ObjectEvent
from found_footy.uploads.messages import IngestOutcome, LabelScore, ObjectEventResult
from found_footy.uploads.organization_workflow import OrganizationWorkflow
from found_footy.uploads.preview_sweep import PreviewSweeper
from found_footy.uploads.reconcile_workflow import ReconcileUploadsWorkflow
from found_footy.uploads.reconciliation import UploadReconciler
from found_footy.uploads.settings import UploadSettings
from found_footy.uploads.store import INDEXES, UploadStore
from tests.support.patience import PATIENCE
from tests.support.pipeline.services import until
from tests.support.steps import activities_of

COLORS = {"red": (220, 30, 30), "green": (30, 200, 30), "blue": (30, 30, 220), "grey": (128, 128, 128)}
MODEL_SHA256 = "c" * 64


def paint(color: str) -> bytes:
    """A small PNG of one color."""
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), COLORS[color]).save(buffer, "PNG")
    return buffer.getvalue()


class ColorClassifier:
    """Names the color of a picture. A test may make it wait or fail, and sees what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.errors: list[Exception] = []

    async def classify(self, pixels: Pixels) -> Classification:
        middle = pixels.reshape(-1, 3).mean(axis=0)
        color = min(COLORS, key=lambda name: float(np.abs(middle - np.array(COLORS[name])).sum()))
        self.asked.append(color)
        if self.errors:
            raise self.errors.pop(0)
        if color in self.gates:
            await self.gates[color].wait()
        return Classification((LabelScore(color, 0.9), LabelScore("other", 0.1)), "colors", MODEL_SHA256)

    async def aclose(self) -> None:
        pass


@dataclass(frozen=True)
class UploadServices:
    database: Database
    objects: ObjectStore
    temporal: Client
    queues: TaskQueues
    agents: AgentFactory
    store: UploadStore
    classifier: ColorClassifier
    activities: UploadActivities
    reconciler: UploadReconciler
    sweeper: PreviewSweeper
    # Temporal is shared by all tests, and a workflow id is made of organization, name and bytes.
    organization_id: str = field(default_factory=lambda: f"org-{uuid4().hex}")

    def agent(self, organization_id: str | None = None) -> OrganizationAgent:
        return self.agents.for_organization(organization_id or self.organization_id)

    def key(self, name: str, organization_id: str | None = None) -> str:
        return object_key(organization_id or self.organization_id, name)

    def created(self, name: str, etag: str | None, **more: Any) -> ObjectEvent:
        return self._event(name, ObjectAction.CREATED, etag, **more)

    def removed(self, name: str, **more: Any) -> ObjectEvent:
        return self._event(name, ObjectAction.REMOVED, None, **more)

    def _event(
        self,
        name: str,
        action: ObjectAction,
        etag: str | None,
        at: datetime | None = None,
        sequencer: str | None = None,
        organization_id: str | None = None,
    ) -> ObjectEvent:
        key, moment = self.key(name, organization_id), at or datetime.now(UTC)
        return ObjectEvent("bucket", key, action, etag, None, moment, sequencer, None, "upload_route")

    async def put(self, name: str, data: bytes, organization_id: str | None = None) -> str:
        """The ETag of the new version."""
        stored = await self.objects.put_bytes(self.key(name, organization_id), data, content_type="image/png")
        return stored.etag

    async def tell(self, event: ObjectEvent) -> IngestOutcome:
        """Deliver an event, as the consumer does."""
        organization_id, name = event.key.split("/", 1)
        return await self.agent(organization_id).ingest_upload_event(name, event.key, event.etag, event)

    async def upload(self, name: str, color: str) -> IngestOutcome:
        etag = await self.put(name, paint(color))
        return await self.tell(self.created(name, etag))

    async def upload_unless_postponed(self, name: str, color: str) -> bool:
        return (await self.upload(name, color)).result is not ObjectEventResult.POSTPONED

    async def row(self, name: str) -> UploadDocument:
        found = await self.store.find(self.organization_id, name)
        assert found is not None
        return found

    async def settled(self, name: str, status: str = "classified") -> UploadDocument:
        """The row of `name` once it has this status."""

        async def has_status() -> bool:
            row = await self.store.find(self.organization_id, name)
            return row is not None and row["status"] == status

        await until(has_status)
        return await self.row(name)

    async def runs(self, workflow_id: str) -> list[WorkflowExecution]:
        """The runs of a workflow id, as many as Temporal has started."""
        found = self.temporal.list_workflows(f"WorkflowId = '{workflow_id}'")
        return [run async for run in found]

    async def run_count(self, workflow_id: str, expected: int) -> int:
        """The number of runs, once Temporal's list shows the expected one."""

        async def is_listed() -> bool:
            return len(await self.runs(workflow_id)) >= expected

        await until(is_listed)
        return len(await self.runs(workflow_id))


@asynccontextmanager
async def temporary_folder() -> AsyncIterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@asynccontextmanager
async def open_uploads(
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    queues: TaskQueues,
    now: Callable[[], datetime] | None = None,
    **settings: Any,
) -> AsyncIterator[UploadServices]:
    await ensure_indexes(database, INDEXES)
    chosen = UploadSettings(**settings)
    clock = now or (lambda: datetime.now(UTC))
    store, classifier = UploadStore(database), ColorClassifier()
    starter = ClassificationStarter(temporal, store, queues, PATIENCE)
    agents = AgentFactory(AgentTools(store, objects, starter, ClassificationLimit(starter, store, chosen), clock))
    reconciler = UploadReconciler(store, objects, agents, clock)
    sweeper = PreviewSweeper(store, objects, agents, clock)
    limits = ImageLimits(max_bytes=chosen.max_bytes, max_pixels=chosen.max_pixels)
    tools = UploadTools(agents, objects, classifier, temporary_folder, limits, reconciler, sweeper)
    yield UploadServices(
        database, objects, temporal, queues, agents, store, classifier, UploadActivities(tools), reconciler, sweeper
    )


@asynccontextmanager
async def running_uploads_worker(
    uploads: UploadServices, served: list[Callable[..., Awaitable[Any]]] | None = None
) -> AsyncIterator[None]:
    """A worker on the queues of the workflows and of the images."""
    async with AsyncExitStack() as stack:
        for queue in (uploads.queues.main, images_queue_name(uploads.queues.media)):
            worker = Worker(
                uploads.temporal,
                task_queue=queue,
                workflows=[OrganizationWorkflow, ReconcileUploadsWorkflow] if queue == uploads.queues.main else [],
                activities=served or activities_of(uploads.activities),
                interceptors=[TypedErrorInterceptor()],
                max_concurrent_activities=10,
            )
            await stack.enter_async_context(worker)
        yield
