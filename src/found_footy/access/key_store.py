"""API keys of users: scope, expiry, last use. Stored is a digest; the key is shown once."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from found_footy.access.levels import AccessLevel, KeyScope, compute_key_level
from found_footy.access.user_store import User, UserStore
from found_footy.domain.access_documents import ApiKeyDocument
from found_footy.platform.clock import Clock
from found_footy.platform.http.issued_keys import API_KEY_PREFIX, KeyRecord, generate_key, is_right_key, parse_key_id
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors

API_KEYS = "api_keys"
INDEXES = (
    MongoIndex(API_KEYS, (("expires_at", 1),), expire_after=timedelta(0)),
    MongoIndex(API_KEYS, (("user_id", 1), ("created_at", -1))),
)
_USE_INTERVAL = timedelta(minutes=1)
_MAX_LISTED = 500
# Compared with where no key has the id, so that the time does not tell which ids exist.
_DECOY = generate_key(API_KEY_PREFIX)[1]


@dataclass(frozen=True)
class ApiKey:
    key_id: str
    user_id: str
    label: str
    scope: KeyScope
    created_at: datetime
    expires_at: datetime | None = None
    used_at: datetime | None = None


@dataclass(frozen=True)
class KeyHolder:
    """The owner of a key, and what the key opens now."""

    user: User
    key: ApiKey
    level: AccessLevel


class ApiKeyStore:
    def __init__(self, database: Database, users: UserStore, now: Clock) -> None:
        self._keys = database[API_KEYS]
        self._users = users
        self._now = now

    async def add(self, user: User, label: str, scope: KeyScope, lifetime: timedelta | None) -> tuple[str, ApiKey]:
        """Return the new key, which is not stored, and its description."""
        key, record = generate_key(API_KEY_PREFIX)
        now = self._now()
        document: ApiKeyDocument = {
            "_id": record.key_id,
            "user_id": user.user_id,
            "label": label,
            "scope": scope.value,
            "salt": record.salt,
            "digest": record.digest,
            "created_at": now,
        }
        if lifetime is not None:
            document["expires_at"] = now + lifetime
        with translate_mongo_errors():
            await self._keys.insert_one(cast(Document, document))
        return key, _parse_key(document)

    async def authenticate(self, key: str) -> KeyHolder | None:
        """Return who a key belongs to; None if it is wrong, has expired or was revoked, or its owner was removed."""
        key_id = parse_key_id(key, API_KEY_PREFIX)
        if key_id is None:
            return None
        with translate_mongo_errors():
            row = cast(ApiKeyDocument | None, await self._keys.find_one({"_id": key_id}))
        record = KeyRecord(row["_id"], row["salt"], row["digest"]) if row else _DECOY
        if not is_right_key(key, record) or row is None:
            return None
        now = self._now()
        found, user = _parse_key(row), await self._users.get(row["user_id"])
        if user is None or (found.expires_at is not None and found.expires_at <= now):
            return None
        if found.used_at is None or now - found.used_at >= _USE_INTERVAL:
            with translate_mongo_errors():
                await self._keys.update_one({"_id": key_id}, {"$set": {"used_at": now}})
        return KeyHolder(user, found, compute_key_level(found.scope, user.role))

    async def list_keys(self, user_id: str | None = None) -> list[ApiKey]:
        """The keys of a user, or all, the newest first."""
        condition = {"user_id": user_id} if user_id else {}
        with translate_mongo_errors():
            rows = await self._keys.find(condition).sort("created_at", -1).limit(_MAX_LISTED).to_list()
        return [_parse_key(cast(ApiKeyDocument, row)) for row in rows]

    async def revoke(self, key_id: str, user_id: str | None = None) -> bool:
        """Delete a key, of this user only if one is given; False if there is none."""
        condition = {"_id": key_id} | ({"user_id": user_id} if user_id else {})
        with translate_mongo_errors():
            return (await self._keys.delete_one(condition)).deleted_count == 1

    async def revoke_all(self, user_id: str) -> None:
        with translate_mongo_errors():
            await self._keys.delete_many({"user_id": user_id})


def _parse_key(row: ApiKeyDocument) -> ApiKey:
    return ApiKey(
        row["_id"],
        row["user_id"],
        row["label"],
        KeyScope(row["scope"]),
        row["created_at"],
        row.get("expires_at"),
        row.get("used_at"),
    )
