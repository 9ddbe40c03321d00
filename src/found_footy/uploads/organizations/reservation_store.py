"""MongoDB operations on reservations: one document per organization, with the reservations as a named set.

Every write replaces `revision`, and a new reservation requires the revision that its quota was computed with: two
uploads cannot both take the last place.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from found_footy.platform.errors import Conflict
from found_footy.platform.mongo import Database, Document, translate_mongo_errors
from found_footy.uploads.organizations.quotas import Reservation
from found_footy.uploads.organizations.store import RESERVATIONS


@dataclass(frozen=True)
class ReservationSet:
    """The reservations of an organization; `revision` is None before the first."""

    revision: str | None
    reservations: tuple[Reservation, ...]


class ReservationStore:
    def __init__(self, database: Database) -> None:
        self._sets = database[RESERVATIONS]

    async def read(self, organization_id: str) -> ReservationSet:
        with translate_mongo_errors():
            found = await self._sets.find_one({"_id": organization_id})
        if found is None:
            return ReservationSet(None, ())
        return ReservationSet(found["revision"], tuple(map(_parse_reservation, found["reservations"])))

    async def replace(self, organization_id: str, revision: str | None, reservations: Iterable[Reservation]) -> bool:
        """Replace the set that had this revision; False if it has changed since."""
        content: Document = {"revision": _new_revision(), "reservations": list(map(_dump_reservation, reservations))}
        try:
            with translate_mongo_errors():
                if revision is None:
                    await self._sets.insert_one({"_id": organization_id, **content})
                    return True
                result = await self._sets.update_one({"_id": organization_id, "revision": revision}, {"$set": content})
        except Conflict:
            return False
        return result.matched_count == 1

    async def mark_stored(self, organization_id: str, reservation_id: str, etag: str) -> None:
        await self._update(
            {"_id": organization_id, "reservations.id": reservation_id}, {"$set": {"reservations.$.etag": etag}}
        )

    async def release(self, organization_id: str, reservation_id: str) -> None:
        await self._update({"_id": organization_id}, {"$pull": {"reservations": {"id": reservation_id}}})

    async def expire_stored(self, organization_id: str, name: str, now: datetime) -> None:
        """Let the reservations of stored objects of this name expire, so that the next one asks the store about it."""
        filters = [{"one.name": name, "one.etag": {"$ne": None}}]
        await self._update({"_id": organization_id}, {"$set": {"reservations.$[one].expires_at": now}}, filters)

    async def delete(self, organization_id: str) -> None:
        with translate_mongo_errors():
            await self._sets.delete_one({"_id": organization_id})

    async def _update(
        self, condition: Document, change: dict[str, Document], filters: Sequence[Mapping[str, Any]] | None = None
    ) -> None:
        renewed = {**change, "$set": {**change.get("$set", {}), "revision": _new_revision()}}
        with translate_mongo_errors():
            await self._sets.update_one(condition, renewed, array_filters=filters)


def _new_revision() -> str:
    return secrets.token_hex(8)


def _dump_reservation(one: Reservation) -> Document:
    return {
        "id": one.reservation_id,
        "name": one.name,
        "size": one.size,
        "expires_at": one.expires_at,
        "etag": one.etag,
    }


def _parse_reservation(document: dict[str, Any]) -> Reservation:
    return Reservation(document["id"], document["name"], document["size"], document["expires_at"], document.get("etag"))
