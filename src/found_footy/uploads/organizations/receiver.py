"""Receives uploads: reserves their size in the quota, stores the object, and publishes its event."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from found_footy.domain.uploads import compute_event_id, object_key
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.agent import AgentFactory
from found_footy.uploads.intake.object_event import UPLOAD_ROUTE, ObjectAction, ObjectEvent
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.organizations.quotas import Quota, QuotaRefusal, Reservation
from found_footy.uploads.organizations.reservations import ReservationService
from found_footy.uploads.organizations.store import Organization, OrganizationStore

# What organizations say about their files is not believed: the type is sniffed when the image is decoded.
_CONTENT_TYPE = "application/octet-stream"
# A PUT that began before its presigned address expired may end this much later.
_LATE_PUT = timedelta(minutes=10)

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class ReceivedUpload:
    """`is_new`: no object of this name was stored before."""

    event_id: str
    etag: str
    size: int
    is_new: bool


@dataclass(frozen=True)
class PresignedUpload:
    """An address that accepts one object of exactly `size` bytes."""

    url: str
    size: int
    expires_at: datetime


class OrganizationRemoved(Exception):
    """The organization was removed while it uploaded."""


@dataclass(frozen=True)
class UploadReceiver:
    """`objects` is the uploads' bucket, `default_quota` that of organizations without one of their own."""

    organizations: OrganizationStore
    reservations: ReservationService
    objects: ObjectStore
    agents: AgentFactory
    publisher: EventPublisher
    default_quota: Quota
    now: Clock = field(default=utc_now)

    async def reserve(
        self, organization: Organization, name: str, size: int, lifetime: timedelta
    ) -> Reservation | QuotaRefusal:
        quota = organization.resolve_quota(self.default_quota)
        return await self.reservations.reserve(organization.organization_id, quota, name, size, lifetime)

    async def release(self, organization: Organization, reservation: Reservation) -> None:
        await self.reservations.release(organization.organization_id, reservation)

    async def store_file(self, organization: Organization, reservation: Reservation, path: Path) -> ReceivedUpload:
        """Store the file under its reserved name; returns once the object is stored and its event published. Raises
        OrganizationRemoved.
        """
        organization_id, name = organization.organization_id, reservation.name
        key = object_key(organization_id, name)
        is_new = await self.objects.head(key) is None
        etag = await self.objects.replace_file(key, path, content_type=_CONTENT_TYPE)
        current = await self.organizations.get(organization_id)
        if current is None or current.removed_at is not None:
            # The removal may have listed the objects before this one was stored.
            await self.objects.delete(key)
            raise OrganizationRemoved(organization_id)
        await self.reservations.mark_stored(organization_id, reservation, etag)
        event = ObjectEvent(
            bucket=self.objects.bucket,
            key=key,
            action=ObjectAction.CREATED,
            etag=etag,
            size=reservation.size,
            event_time=self.now(),
            sequencer=None,
            version_id=None,
            dialect=UPLOAD_ROUTE,
        )
        await self._publish(organization_id, name, event)
        return ReceivedUpload(compute_event_id(key, etag), etag, reservation.size, is_new)

    async def _publish(self, organization_id: str, name: str, event: ObjectEvent) -> None:
        """The object is stored: without a queue the row is written here, without Temporal or MongoDB the reconciling
        LIST finds the object, and the upload has succeeded in any case.
        """
        try:
            await self.publisher.publish(event)
        except ExternalSystemError as error:
            logger.warning("an upload is ingested without the queue: %s", error, action="upload_not_published")
            try:
                agent = self.agents.for_organization(organization_id)
                await agent.ingest_upload_event(name, event.key, event.etag, event)
            except ExternalSystemError as failure:
                logger.warning("an upload waits for the next reconciliation: %s", failure, action="upload_not_ingested")

    async def presign(
        self, organization: Organization, name: str, size: int, lifetime: timedelta, signer: ObjectStore
    ) -> PresignedUpload | QuotaRefusal:
        """Reserve the size and sign an address; `signer` has the object store's address as uploaders reach it."""
        expires_at = self.now() + lifetime
        reserved = await self.reserve(organization, name, size, lifetime + _LATE_PUT)
        if isinstance(reserved, QuotaRefusal):
            return reserved
        key = object_key(organization.organization_id, name)
        return PresignedUpload(signer.presign_put(key, size, lifetime), size, expires_at)
