"""The agent of one organization: every change of its uploads goes through it."""

from dataclasses import dataclass

from temporalio.client import Client

from found_footy.domain.documents import UploadDocument
from found_footy.domain.messages import TaskQueues
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.intake.object_event import ObjectEvent
from found_footy.uploads.messages import ClassificationFailure, IngestOutcome, PersistOutcome, PersistResult
from found_footy.uploads.settings import UploadSettings
from found_footy.uploads.store import UploadStore


@dataclass(frozen=True)
class AgentTools:
    """What every agent works with. `objects` is the uploads' bucket."""

    store: UploadStore
    objects: ObjectStore
    temporal: Client
    settings: UploadSettings
    queues: TaskQueues = TaskQueues()  # noqa: RUF009  frozen
    now: Clock = utc_now


class OrganizationAgent:
    """The uploads of one organization."""

    def __init__(self, organization_id: str, tools: AgentTools) -> None:
        self.organization_id = organization_id
        self._tools = tools

    async def ingest_upload_event(self, name: str, key: str, etag: str | None, event: ObjectEvent) -> IngestOutcome:
        """Bring the row of `name` to the version that is stored now, and start its classification.

        Returns only after both are durable, so that the message may be acknowledged, unless the result is postponed.
        """
        raise NotImplementedError

    async def persist_classification_success(self, result: PersistResult) -> PersistOutcome:
        raise NotImplementedError

    async def persist_classification_failure(
        self, result: PersistResult, failure: ClassificationFailure
    ) -> PersistOutcome:
        raise NotImplementedError

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
        raise NotImplementedError

    async def get_upload(self, name: str) -> UploadDocument | None:
        """Return the row of `name`, also of a deleted one."""
        raise NotImplementedError

    async def retry(self, name: str) -> IngestOutcome:
        """Classify a failed image again. Raises NotFound without such an image, Conflict if it has not failed."""
        raise NotImplementedError

    async def delete(self, name: str) -> bool:
        """Delete the object and leave a tombstone. False if there is no such image."""
        raise NotImplementedError


class AgentFactory:
    def __init__(self, tools: AgentTools) -> None:
        self._tools = tools

    def for_organization(self, organization_id: str) -> OrganizationAgent:
        return OrganizationAgent(organization_id, self._tools)
