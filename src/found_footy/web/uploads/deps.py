"""Dependencies of the uploads' routes. The composition root builds them."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.http.caller_checks import names_this_machine
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.agent import AgentFactory
from found_footy.uploads.intake.dead_letters import DeadLetters
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.organizations.quotas import Quota
from found_footy.uploads.organizations.receiver import UploadReceiver
from found_footy.uploads.organizations.reservation_store import ReservationStore
from found_footy.uploads.organizations.reservations import ReservationService
from found_footy.uploads.organizations.service import OrganizationService
from found_footy.uploads.organizations.sessions import SessionStore
from found_footy.uploads.organizations.store import OrganizationStore
from found_footy.uploads.settings import UploadSettings
from found_footy.web.settings import WebSettings


@dataclass(frozen=True)
class UploadsDeps:
    """`objects` is the uploads' bucket; `signer` is the same one at the address that uploaders reach."""

    settings: UploadSettings
    objects: ObjectStore
    signer: ObjectStore
    agents: AgentFactory
    organizations: OrganizationService
    receiver: UploadReceiver
    sessions: SessionStore
    reservations: ReservationService
    dead_letters: DeadLetters

    @property
    def is_store_local(self) -> bool:
        """Whether the address of presigned uploads is reached on this machine only."""
        return names_this_machine(urlsplit(self.signer.endpoint).netloc)


def build_organization_service(
    database: Database, objects: ObjectStore, settings: WebSettings, now: Clock = utc_now
) -> OrganizationService:
    store, reservation_store = OrganizationStore(database), ReservationStore(database)
    reservations = ReservationService(reservation_store, store, objects, now)
    sessions = SessionStore(database, settings.session, now)
    return OrganizationService(store, reservations, reservation_store, sessions, objects, now)


def build_uploads_deps(
    database: Database,
    objects: ObjectStore,
    signer: ObjectStore,
    agents: AgentFactory,
    publisher: EventPublisher,
    dead_letters: DeadLetters,
    settings: UploadSettings,
    web: WebSettings,
    now: Clock = utc_now,
) -> UploadsDeps:
    organizations = build_organization_service(database, objects, web, now)
    quota = Quota(settings.quota_bytes, settings.quota_objects)
    receiver = UploadReceiver(organizations.store, organizations.reservations, objects, agents, publisher, quota, now)
    return UploadsDeps(
        settings,
        objects,
        signer,
        agents,
        organizations,
        receiver,
        organizations.sessions,
        organizations.reservations,
        dead_letters,
    )
