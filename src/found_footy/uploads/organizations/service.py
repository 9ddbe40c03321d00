"""Organizations as operators manage them: adding, rotating keys, removing with everything stored."""

from dataclasses import dataclass, field
from datetime import datetime

from found_footy.domain.uploads import ORGANIZATION_ID_PATTERN, is_organization_id
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import BadInput, Conflict, NotFound
from found_footy.platform.http.issued_keys import KeyRecord, generate_key, is_right_key, parse_key_id
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.organizations.quotas import QuotaUse
from found_footy.uploads.organizations.reservation_store import ReservationStore
from found_footy.uploads.organizations.reservations import ReservationService
from found_footy.uploads.organizations.sessions import SessionStore
from found_footy.uploads.organizations.store import Organization, OrganizationStore


@dataclass(frozen=True)
class RemovalReport:
    """`open_until`: presigned addresses still accept uploads until then, so the removal must be repeated after it."""

    objects: int
    rows: int
    open_until: datetime | None = None


@dataclass(frozen=True)
class OrganizationService:
    """`objects` is the uploads' bucket."""

    store: OrganizationStore
    reservations: ReservationService
    reservation_store: ReservationStore
    sessions: SessionStore
    objects: ObjectStore
    now: Clock = field(default=utc_now)

    async def add(self, organization_id: str, *, max_bytes: int | None = None, max_objects: int | None = None) -> str:
        """Add an organization and return its key, which is not shown again."""
        if not is_organization_id(organization_id):
            raise BadInput(
                f"{organization_id!r} is not a name for an organization: lower-case letters, digits and hyphens, "
                f"2 to 63 characters ({ORGANIZATION_ID_PATTERN.pattern})"
            )
        key, record = generate_key()
        if not await self.store.add(Organization(organization_id, record, self.now(), max_bytes, max_objects)):
            raise Conflict(f"there is already an organization {organization_id}")
        return key

    async def rotate(self, organization_id: str) -> str:
        """Give the organization a new key, which is not shown again. The old key and all sessions end at once."""
        key, record = generate_key()
        if not await self.store.replace_key(organization_id, record):
            raise NotFound(f"there is no organization {organization_id}")
        await self.sessions.close_all(organization_id)
        return key

    async def authenticate(self, key: str) -> Organization | None:
        """Return the organization that the key belongs to."""
        key_id = parse_key_id(key)
        found = await self.store.find_by_key_id(key_id) if key_id else None
        # The digest is computed for an unknown id too, so that the time of an answer does not tell which ids exist.
        is_right = is_right_key(key, found.key if found else _UNKNOWN_KEY)
        return found if is_right and found is not None and found.removed_at is None else None

    async def list_with_use(self) -> list[tuple[Organization, QuotaUse]]:
        found = await self.store.list_all()
        return [(one, await self.reservations.measure_use(one.organization_id)) for one in found]

    async def remove(self, organization_id: str) -> RemovalReport:
        """Remove an organization with its objects, previews and rows. Repeated after an interruption, it goes on.

        The mark comes first: an upload in progress finds it after its PUT, or its object is found by the list here.
        """
        if not await self.store.mark_removed(organization_id, self.now()):
            raise NotFound(f"there is no organization {organization_id}")
        await self.sessions.close_all(organization_id)
        keys = [info.key async for info in self.objects.list(f"{organization_id}/")]
        previews = await self.store.list_preview_keys(organization_id)
        for key in (*keys, *previews):
            await self.objects.delete(key)
        rows = await self.store.delete_rows(organization_id)
        open_until = await self._find_open_until(organization_id)
        if open_until is None:
            await self.reservation_store.delete(organization_id)
            await self.store.delete(organization_id)
        return RemovalReport(len(keys), rows, open_until)

    async def _find_open_until(self, organization_id: str) -> datetime | None:
        """Return when the last unused reservation expires; None if there is none."""
        current = await self.reservation_store.read(organization_id)
        unused = [one.expires_at for one in current.reservations if one.etag is None]
        return max((time for time in unused if time > self.now()), default=None)


_UNKNOWN_KEY = KeyRecord("", "00", "")
