"""MongoDB operations on organizations: each changes one document, and its filter holds its full precondition."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from found_footy.domain.uploads import PREVIEW_PREFIX
from found_footy.platform.errors import Conflict
from found_footy.platform.http.issued_keys import KeyRecord
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors
from found_footy.uploads.organizations.quotas import Quota, StoredUse, VersionSize
from found_footy.uploads.store import UPLOADS

ORGANIZATIONS = "organizations"
SESSIONS = "upload_sessions"
RESERVATIONS = "upload_reservations"

INDEXES = (
    MongoIndex(ORGANIZATIONS, (("key.id", 1),), unique=True),
    MongoIndex(SESSIONS, (("expires_at", 1),), expire_after=timedelta(0)),
    MongoIndex(SESSIONS, (("organization_id", 1),)),
    # Covers the sum that every quota is compared with.
    MongoIndex(UPLOADS, (("organizationId", 1), ("deletedAt", 1), ("name", 1), ("size", 1), ("etag", 1))),
)

_QUERY_TIMEOUT_MS = 5000


@dataclass(frozen=True)
class Organization:
    """`max_bytes` and `max_objects` are its own quotas; without one, the setting holds. An organization that is being
    removed has `removed_at`, and its key opens nothing.
    """

    organization_id: str
    key: KeyRecord
    created_at: datetime
    max_bytes: int | None = None
    max_objects: int | None = None
    removed_at: datetime | None = None

    def resolve_quota(self, default: Quota) -> Quota:
        return Quota(
            default.max_bytes if self.max_bytes is None else self.max_bytes,
            default.max_objects if self.max_objects is None else self.max_objects,
        )


class OrganizationStore:
    def __init__(self, database: Database) -> None:
        self._organizations = database[ORGANIZATIONS]
        self._uploads = database[UPLOADS]

    async def add(self, organization: Organization) -> bool:
        """Insert the organization; False if there is one of this id."""
        document = {
            "_id": organization.organization_id,
            "key": _dump_key(organization.key),
            "created_at": organization.created_at,
            "max_bytes": organization.max_bytes,
            "max_objects": organization.max_objects,
        }
        try:
            with translate_mongo_errors():
                await self._organizations.insert_one(document)
        except Conflict:
            return False
        return True

    async def get(self, organization_id: str) -> Organization | None:
        with translate_mongo_errors():
            found = await self._organizations.find_one({"_id": organization_id}, max_time_ms=_QUERY_TIMEOUT_MS)
        return _parse_organization(found) if found else None

    async def find_by_key_id(self, key_id: str) -> Organization | None:
        with translate_mongo_errors():
            found = await self._organizations.find_one({"key.id": key_id}, max_time_ms=_QUERY_TIMEOUT_MS)
        return _parse_organization(found) if found else None

    async def list_all(self) -> list[Organization]:
        with translate_mongo_errors():
            found = await self._organizations.find({}, max_time_ms=_QUERY_TIMEOUT_MS).sort("_id", 1).to_list()
        return [_parse_organization(one) for one in found]

    async def replace_key(self, organization_id: str, key: KeyRecord) -> bool:
        """Replace the key: the one before opens nothing from now on. False without such an organization."""
        with translate_mongo_errors():
            result = await self._organizations.update_one(
                {"_id": organization_id, "removed_at": None}, {"$set": {"key": _dump_key(key)}}
            )
        return result.matched_count == 1

    async def mark_removed(self, organization_id: str, now: datetime) -> bool:
        """Close the organization to its key; one already closed keeps its time. False without such an organization."""
        with translate_mongo_errors():
            await self._organizations.update_one(
                {"_id": organization_id, "removed_at": None}, {"$set": {"removed_at": now}}
            )
            return await self._organizations.find_one({"_id": organization_id}, {"_id": 1}) is not None

    async def delete(self, organization_id: str) -> None:
        """Delete an organization that was marked as removed."""
        with translate_mongo_errors():
            await self._organizations.delete_one({"_id": organization_id, "removed_at": {"$ne": None}})

    async def sum_use(self, organization_id: str, names: Collection[str]) -> StoredUse:
        """Sum the rows of the organization's stored objects; those of `names` are returned one by one. One query, so
        that a row is counted in one of the two ways; its names are matched, because an expression would compare each
        row with each name.
        """
        pipeline: list[Document] = [
            {"$match": {"organizationId": organization_id, "deletedAt": None}},
            {"$project": {"_id": 0, "name": 1, "size": 1, "etag": 1}},
            {
                "$facet": {
                    "all": [{"$group": {"_id": None, "size": {"$sum": "$size"}, "objects": {"$sum": 1}}}],
                    "named": [{"$match": {"name": {"$in": list(names)}}}],
                }
            },
        ]
        with translate_mongo_errors():
            cursor = await self._uploads.aggregate(pipeline, maxTimeMS=_QUERY_TIMEOUT_MS)
            (found,) = await cursor.to_list()
        if not found["all"]:
            return StoredUse(0, 0, {})
        (every,) = found["all"]
        versions = {row["name"]: VersionSize(row.get("size") or 0, row.get("etag") or "") for row in found["named"]}
        named_size = sum(version.size for version in versions.values())
        return StoredUse(every["size"] - named_size, every["objects"] - len(versions), versions)

    async def list_preview_keys(self, organization_id: str) -> list[str]:
        """Return the keys of the previews that the organization's rows, tombstones included, name."""
        with translate_mongo_errors():
            rows = self._uploads.find({"organizationId": organization_id}, {"previewKey": 1})
            keys = [row.get("previewKey") async for row in rows]
        return [key for key in keys if isinstance(key, str) and key.startswith(PREVIEW_PREFIX)]

    async def delete_rows(self, organization_id: str) -> int:
        with translate_mongo_errors():
            result = await self._uploads.delete_many({"organizationId": organization_id})
        return int(result.deleted_count)


def _dump_key(key: KeyRecord) -> Document:
    return {"id": key.key_id, "salt": key.salt, "digest": key.digest}


def _parse_organization(document: dict[str, Any]) -> Organization:
    key = document["key"]
    return Organization(
        document["_id"],
        KeyRecord(key["id"], key["salt"], key["digest"]),
        document["created_at"],
        document.get("max_bytes"),
        document.get("max_objects"),
        document.get("removed_at"),
    )
