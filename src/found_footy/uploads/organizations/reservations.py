"""Reserves parts of an organization's quota for uploads."""

import asyncio
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from found_footy.domain.uploads import object_key
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import SYSTEM
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.organizations.quotas import (
    Quota,
    QuotaRefusal,
    QuotaUse,
    Reservation,
    VersionSize,
    compute_use,
    find_quota_refusal,
    list_expired,
    settle_reservations,
)
from found_footy.uploads.organizations.reservation_store import ReservationSet, ReservationStore
from found_footy.uploads.organizations.store import OrganizationStore

# An object without a row is a late notification or a lost one, which the reconciling LIST finds within minutes.
RENEWAL = timedelta(minutes=10)
# More are a client that never uploads what it asks for; the set must stay a small document.
MAX_RESERVATIONS = 2000
# The lock leaves conflicts only between processes.
_MAX_WRITE_ATTEMPTS = 50


class ReservationService:
    def __init__(
        self, store: ReservationStore, organizations: OrganizationStore, objects: ObjectStore, now: Clock = utc_now
    ) -> None:
        self._store = store
        self._organizations = organizations
        self._objects = objects
        self._now = now
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def reserve(
        self, organization_id: str, quota: Quota, name: str, size: int, lifetime: timedelta
    ) -> Reservation | QuotaRefusal:
        """Reserve `size` bytes for an object until `lifetime` has passed, or say why they do not fit."""
        lock = self._locks.setdefault(organization_id, asyncio.Lock())
        async with lock:
            for _ in range(_MAX_WRITE_ATTEMPTS):
                result = await self._try_reserve(organization_id, quota, name, size, lifetime)
                if result is not None:
                    return result
        raise Unavailable(SYSTEM, f"the reservations of {organization_id} changed {_MAX_WRITE_ATTEMPTS} times")

    async def _try_reserve(
        self, organization_id: str, quota: Quota, name: str, size: int, lifetime: timedelta
    ) -> Reservation | QuotaRefusal | None:
        """None if another process changed the reservations meanwhile.

        The set is read before the rows: a reservation is dropped only after its row is there, so an upload is in one of
        the two.
        """
        now = self._now()
        current = await self._store.read(organization_id)
        stored = await self._organizations.sum_use(organization_id, {name, *(one.name for one in current.reservations)})
        objects = await self._look_up_expired(organization_id, current.reservations, now)
        kept = settle_reservations(current.reservations, stored.versions, objects, now, RENEWAL)
        if len(kept) >= MAX_RESERVATIONS:
            return QuotaRefusal("Too many uploads of the organization are in progress.", is_temporary=True)
        new = Reservation(secrets.token_hex(8), name, size, now + lifetime)
        refusal = find_quota_refusal(compute_use(stored, kept), compute_use(stored, [*kept, new]), quota)
        if refusal is not None:
            await self._keep_settled(organization_id, current, kept)
            return refusal
        return new if await self._store.replace(organization_id, current.revision, [*kept, new]) else None

    async def _keep_settled(self, organization_id: str, current: ReservationSet, kept: list[Reservation]) -> None:
        """Whoever is refused tries again, and the store must not be asked about the same names every time."""
        if tuple(kept) != current.reservations:
            await self._store.replace(organization_id, current.revision, kept)

    async def measure_use(self, organization_id: str) -> QuotaUse:
        current = await self._store.read(organization_id)
        names = {one.name for one in current.reservations}
        return compute_use(await self._organizations.sum_use(organization_id, names), current.reservations)

    async def _look_up_expired(
        self, organization_id: str, reservations: Iterable[Reservation], now: datetime
    ) -> dict[str, VersionSize | None]:
        names = sorted({one.name for one in list_expired(reservations, now)})
        heads = await asyncio.gather(*(self._objects.head(object_key(organization_id, name)) for name in names))
        return {
            name: VersionSize(info.size, info.etag) if info else None for name, info in zip(names, heads, strict=True)
        }

    async def mark_stored(self, organization_id: str, reservation: Reservation, etag: str) -> None:
        await self._store.mark_stored(organization_id, reservation.reservation_id, etag)

    async def release(self, organization_id: str, reservation: Reservation) -> None:
        """Give back what was reserved for an upload that has stored nothing."""
        await self._store.release(organization_id, reservation.reservation_id)

    async def forget_deleted(self, organization_id: str, name: str) -> None:
        """After a deletion: the next reservation asks the store whether the object is gone."""
        await self._store.expire_stored(organization_id, name, self._now())
