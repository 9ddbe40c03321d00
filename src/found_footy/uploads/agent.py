"""The agent of one organization: every change of its uploads goes through it."""

from dataclasses import dataclass

from found_footy.domain.upload_documents import UploadDocument
from found_footy.domain.uploads import UploadStatus, find_name_fault, is_organization_id, object_key
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import Conflict, NotFound
from found_footy.platform.failpoints import failpoint
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.convergence import RowConvergence, RowConverger
from found_footy.uploads.dispatch import ClassificationLimit, ClassificationStarter
from found_footy.uploads.intake.object_event import RECONCILIATION, ObjectAction, ObjectEvent
from found_footy.uploads.messages import (
    ClassificationFailure,
    IngestOutcome,
    ObjectEventResult,
    PersistOutcome,
    PersistResult,
    UploadVersion,
)
from found_footy.uploads.metrics import CLASSIFICATIONS, INGESTED_EVENTS, STALE_EVENTS
from found_footy.uploads.rows import build_failure, build_running, build_success, version_of
from found_footy.uploads.store import UploadStore
from found_footy.uploads.versions import ObjectAnnouncement, RowChange, is_stale, is_waiting

_MAX_PAGE = 1000
_RECONCILED = ObjectAnnouncement(source=RECONCILIATION)
_RETRIED = ObjectAnnouncement(source="retry")
_DELETED = ObjectAnnouncement(is_removal=True, source="deletion")

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class AgentTools:
    """What every agent works with. `objects` is the uploads' bucket."""

    store: UploadStore
    objects: ObjectStore
    starter: ClassificationStarter
    limit: ClassificationLimit
    now: Clock = utc_now


class OrganizationAgent:
    """The uploads of one organization."""

    def __init__(self, organization_id: str, tools: AgentTools) -> None:
        self.organization_id = organization_id
        self._tools = tools
        self._store = tools.store
        self._rows = RowConverger(organization_id, tools.store, tools.objects, tools.now)

    async def ingest_upload_event(self, name: str, key: str, etag: str | None, event: ObjectEvent) -> IngestOutcome:
        """Bring the row of `name` to the version that is stored now, and start its classification.

        Returns only after both are durable, so that the message may be acknowledged, unless the result is postponed.
        """
        if not self._owns(name, key):
            return _count(IngestOutcome(ObjectEventResult.IGNORED))
        is_removal = event.action is ObjectAction.REMOVED
        return await self._ingest(
            name, ObjectAnnouncement(is_removal, etag, event.event_time, event.sequencer, event.dialect)
        )

    async def persist_classification_success(self, result: PersistResult) -> PersistOutcome:
        written = await self._store.complete(result.version, build_success(result, self._rows.mark()))
        return await self._conclude(result.version, PersistOutcome.CLASSIFIED, written)

    async def persist_classification_failure(
        self, result: PersistResult, failure: ClassificationFailure
    ) -> PersistOutcome:
        update = build_failure(result, failure.error, failure.kind, self._rows.mark())
        written = await self._store.complete(result.version, update)
        return await self._conclude(result.version, PersistOutcome.FAILED, written)

    async def get_uploads(
        self,
        *,
        label: str | None = None,
        status: str | None = None,
        after: str | None = None,
        limit: int = 100,
        with_deleted: bool = False,
    ) -> list[UploadDocument]:
        """Return rows by name, those after the name `after`."""
        wanted = {"classificationLabel": label, "status": status}
        conditions: dict[str, object] = {field: value for field, value in wanted.items() if value is not None}
        if not with_deleted:
            conditions["deletedAt"] = None
        return await self._store.list_rows(self.organization_id, conditions, after, min(limit, _MAX_PAGE))

    async def get_upload(self, name: str) -> UploadDocument | None:
        """Return the row of `name`, also of a deleted one."""
        return await self._store.find(self.organization_id, name)

    async def retry(self, name: str) -> IngestOutcome:
        """Classify a failed image again. Raises NotFound without such an image, Conflict if it has not failed."""
        if find_name_fault(name) is not None:
            raise NotFound(f"there is no upload named {name}")
        settled = await self._rows.requeue(name, _RETRIED, failed_only=True)
        if settled.row is None or settled.row.get("deletedAt") is not None:
            raise NotFound(f"there is no upload named {name}")
        if not settled.needs_start:
            raise Conflict(f"{name} has not failed, so there is nothing to retry")
        return await self._dispatch(settled.row, limited=False)

    async def delete(self, name: str) -> bool:
        """Delete the object and leave a tombstone. False if there is no such image."""
        if find_name_fault(name) is not None:
            return False
        key = object_key(self.organization_id, name)
        existed = await self._tools.objects.head(key) is not None
        await self._tools.objects.delete(key)
        outcome = await self._ingest(name, _DELETED)
        return existed or outcome.result is ObjectEventResult.TOMBSTONED

    async def reconcile(self, name: str) -> IngestOutcome:
        """Bring the row of `name` to the version that is stored now, without an event about it."""
        return await self._ingest(name, _RECONCILED)

    async def restart(self, row: UploadDocument) -> IngestOutcome:
        """Start the classification of a row that has waited too long for its result, or that failed for a fault of
        ours. One that runs already is left alone. Only a row that counts as running is not limited: an outage leaves
        any number of others.
        """
        if row["status"] == UploadStatus.RUNNING:
            await self._start(version_of(row))
            return _outcome_of(ObjectEventResult.QUEUED, row)
        if row["status"] == UploadStatus.QUEUED:
            return await self._dispatch(row)
        settled = await self._rows.requeue(row["name"], _RECONCILED, failed_only=True)
        if settled.needs_start and settled.row is not None:
            return await self._dispatch(settled.row)
        return _describe(settled, stale=False)

    async def restore_preview(self, name: str) -> None:
        """Classify an image again whose preview was deleted."""
        settled = await self._rows.requeue(name, _RECONCILED, failed_only=False)
        if settled.needs_start and settled.row is not None:
            await self._dispatch(settled.row, limited=False)

    async def begin(self, version: UploadVersion) -> bool:
        """Mark the row as running. False if it does not wait for this request."""
        await self._mark_running(version)
        return is_waiting(await self._store.find(self.organization_id, version.name), version.request_id)

    async def persist_superseded(self, version: UploadVersion) -> PersistOutcome:
        """The version could not be read because another one, or none, is stored: bring the row there."""
        await self.reconcile(version.name)
        row = await self._store.find(self.organization_id, version.name)
        if is_waiting(row, version.request_id):
            return PersistOutcome.WAITING
        return self._report(version, PersistOutcome.STALE)

    async def _ingest(self, name: str, announced: ObjectAnnouncement) -> IngestOutcome:
        failpoint("uploads.before_upsert")
        settled = await self._rows.converge(name, announced)
        failpoint("uploads.after_upsert")
        stale = is_stale(settled.found, announced) and announced is not _RECONCILED
        if stale:
            STALE_EVENTS.inc()
        if settled.needs_start and settled.row is not None:
            return _count(await self._dispatch(settled.row))
        return _count(_describe(settled, stale))

    async def _dispatch(self, row: UploadDocument, *, limited: bool = True) -> IngestOutcome:
        if limited and not await self._tools.limit.can_start(self.organization_id):
            return _outcome_of(ObjectEventResult.POSTPONED, row)
        await self._start(version_of(row))
        return _outcome_of(ObjectEventResult.QUEUED, row)

    async def _start(self, version: UploadVersion) -> None:
        if not await self._tools.starter.start(version):
            return
        failpoint("uploads.after_start")
        self._tools.limit.record_start()
        await self._mark_running(version)

    async def _mark_running(self, version: UploadVersion) -> None:
        await self._store.mark_running(version, build_running(version, self._rows.mark()))

    async def _conclude(self, version: UploadVersion, outcome: PersistOutcome, written: bool) -> PersistOutcome:
        """A result that is written again, because its first report was lost, is not stale."""
        if not written:
            row = await self._store.find(self.organization_id, version.name)
            is_repeated = row is not None and row["requestId"] == version.request_id and row["status"] == outcome.value
            outcome = outcome if is_repeated else PersistOutcome.STALE
        return self._report(version, outcome)

    def _report(self, version: UploadVersion, outcome: PersistOutcome) -> PersistOutcome:
        CLASSIFICATIONS.labels(outcome.value).inc()
        logger.info(
            "the result for %s is %s",
            version.key,
            outcome.value,
            action="upload_result",
            organization_id=self.organization_id,
            upload=version.name,
            event_id=version.event_id,
            outcome=outcome.value,
        )
        return outcome

    def _owns(self, name: str, key: str) -> bool:
        is_valid = is_organization_id(self.organization_id) and find_name_fault(name) is None
        return is_valid and key == object_key(self.organization_id, name)


class AgentFactory:
    def __init__(self, tools: AgentTools) -> None:
        self._tools = tools

    def for_organization(self, organization_id: str) -> OrganizationAgent:
        return OrganizationAgent(organization_id, self._tools)


def _describe(settled: RowConvergence, stale: bool) -> IngestOutcome:
    row = settled.row
    if row is None:
        return IngestOutcome(ObjectEventResult.GONE)
    if settled.change is RowChange.ENTOMB:
        return _outcome_of(ObjectEventResult.TOMBSTONED, row)
    return _outcome_of(ObjectEventResult.STALE if stale else ObjectEventResult.UNCHANGED, row)


def _outcome_of(result: ObjectEventResult, row: UploadDocument) -> IngestOutcome:
    return IngestOutcome(result, row["eventId"], row["workflowId"])


def _count(outcome: IngestOutcome) -> IngestOutcome:
    INGESTED_EVENTS.labels(outcome.result.value).inc()
    return outcome
