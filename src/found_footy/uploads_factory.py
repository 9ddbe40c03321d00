"""Builds the parts of organization uploads from settings: for the worker, the web process and the commands."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.logs import ActionLogger
from found_footy.platform.media.image_decoder import ImageLimits
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.queue_connection import QueueConnection
from found_footy.platform.settings.addresses import host_and_port
from found_footy.platform.tasks import cancel_and_wait
from found_footy.settings import Settings
from found_footy.uploads.activities import UploadActivities, UploadTools, Workspace
from found_footy.uploads.agent import AgentFactory, AgentTools
from found_footy.uploads.classifiers.classification import UploadClassifier
from found_footy.uploads.dispatch import ClassificationLimit, ClassificationStarter
from found_footy.uploads.intake import r2_pull
from found_footy.uploads.intake.consumer import ConsumerLimits, IntakeConsumer
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore
from found_footy.uploads.intake.dead_letters import DeadLetters
from found_footy.uploads.intake.message_handler import MessageHandler
from found_footy.uploads.intake.notification_intake import NotificationIntake
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.intake.r2_pull import R2Puller, R2QueueClient
from found_footy.uploads.intake.retry_rules import RetryRules
from found_footy.uploads.intake.streams import IntakeStreams
from found_footy.uploads.preview_sweep import PreviewSweeper
from found_footy.uploads.reconciliation import UploadReconciler
from found_footy.uploads.settings import UploadSettings
from found_footy.uploads.store import UploadStore

_BUCKET_RETRY_DELAY = timedelta(seconds=5)
_R2_TIMEOUT = timedelta(seconds=30)

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class UploadsContext:
    """The uploads' parts of one process. `objects` is their bucket."""

    objects: ObjectStore
    agents: AgentFactory
    streams: IntakeStreams
    connection: QueueConnection
    publisher: EventPublisher
    letters: DeadLetterStore
    dead_letters: DeadLetters
    notifications: NotificationIntake


def build_uploads_store(settings: Settings, endpoint: str | None = None) -> ObjectStore:
    """The uploads' bucket, at the address of the clips' store or at another one."""
    objects = settings.objects
    return ObjectStore(
        endpoint or objects.endpoint,
        objects.access_key.get_secret_value(),
        objects.secret_key.get_secret_value(),
        settings.uploads.bucket,
        objects.region,
    )


def build_streams(settings: Settings) -> IntakeStreams:
    return IntakeStreams(settings.uploads.stream, settings.uploads.consumer, replicas=settings.nats.replicas)


def build_agents(settings: Settings, database: Database, objects: ObjectStore, temporal: Client) -> AgentFactory:
    store = UploadStore(database)
    queues = TaskQueues(settings.queues.main, settings.queues.media, settings.queues.vision)
    starter = ClassificationStarter(temporal, store, queues, settings.uploads.longest_run)
    return AgentFactory(AgentTools(store, objects, starter, ClassificationLimit(starter, store, settings.uploads)))


def build_upload_activities(
    settings: Settings,
    database: Database,
    temporal: Client,
    objects: ObjectStore,
    classifier: UploadClassifier,
    workspace: Workspace,
) -> UploadActivities:
    store, agents = UploadStore(database), build_agents(settings, database, objects, temporal)
    return UploadActivities(
        UploadTools(
            agents,
            objects,
            classifier,
            workspace,
            ImageLimits(max_bytes=settings.uploads.max_bytes, max_pixels=settings.uploads.max_pixels),
            UploadReconciler(store, objects, agents),
            PreviewSweeper(store, objects, agents),
        )
    )


@asynccontextmanager
async def open_uploads(settings: Settings, database: Database, temporal: Client) -> AsyncIterator[UploadsContext]:
    """Open the uploads' connections. Neither NATS nor the bucket need be there yet: a process that shows clips does not
    wait for them.
    """
    streams = build_streams(settings)
    async with AsyncExitStack() as stack:
        objects = build_uploads_store(settings)
        stack.push_async_callback(objects.aclose)
        await stack.enter_async_context(_run_beside(_ensure_bucket(objects), "uploads-bucket"))
        connection = await stack.enter_async_context(QueueConnection(settings.nats.url, streams.ensure))
        publisher, letters = EventPublisher(connection, streams), DeadLetterStore(database)
        yield UploadsContext(
            objects,
            build_agents(settings, database, objects, temporal),
            streams,
            connection,
            publisher,
            letters,
            DeadLetters(letters, publisher, settings.uploads.bucket),
            NotificationIntake(publisher, letters, settings.uploads.bucket),
        )


@asynccontextmanager
async def run_intake(settings: Settings, database: Database, temporal: Client) -> AsyncIterator[None]:
    """Consume object events while the block runs."""
    async with open_uploads(settings, database, temporal) as uploads:
        handler = MessageHandler(
            uploads.agents,
            uploads.notifications,
            uploads.streams.notification_subject,
            uploads.letters,
            RetryRules(max_deliveries=settings.uploads.max_deliveries),
        )
        limits = ConsumerLimits(ingests=settings.uploads.ingests)
        consumer = IntakeConsumer(uploads.connection, uploads.streams, handler, limits)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(_run_beside(consumer.run(), "uploads-intake"))
            if settings.uploads.r2_queue:
                puller = _build_r2_puller(settings.uploads, uploads.notifications, stack)
                await stack.enter_async_context(_run_beside(puller.run(), "uploads-r2"))
            yield


def _build_r2_puller(settings: UploadSettings, intake: NotificationIntake, stack: AsyncExitStack) -> R2Puller:
    place = host_and_port(settings.r2_url)
    http = SafeHttpClient(
        system=r2_pull.SYSTEM,
        allowed_hosts=[place],
        trusted_private=[place] if settings.r2_url != UploadSettings().r2_url else [],
        timeout=_R2_TIMEOUT,
        max_bytes=r2_pull.MAX_ANSWER_BYTES,
    )
    stack.push_async_callback(http.aclose)
    token = settings.r2_token.get_secret_value()
    client = R2QueueClient(http, settings.r2_url, settings.r2_account, settings.r2_queue, token)
    return R2Puller(client, intake, settings.r2_interval)


@asynccontextmanager
async def _run_beside(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        await cancel_and_wait([task])


async def _ensure_bucket(objects: ObjectStore) -> None:
    """Create the bucket as soon as the store allows it."""
    while True:
        try:
            await objects.ensure_bucket()
        except FoundFootyError as error:
            logger.warning("no bucket for uploads: %s", error, action="uploads_bucket_missing")
            await asyncio.sleep(_BUCKET_RETRY_DELAY.total_seconds())
        else:
            return
