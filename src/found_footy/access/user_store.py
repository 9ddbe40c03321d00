"""MongoDB operations on users: each changes one document, and its filter holds its full precondition."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast
from uuid import uuid4

from found_footy.access.levels import Role
from found_footy.domain.access_documents import UserDocument
from found_footy.platform.errors import Conflict
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors

USERS = "users"
INDEXES = (
    MongoIndex(USERS, (("name", 1),), unique=True),
    MongoIndex(
        USERS,
        (("identity.issuer", 1), ("identity.subject", 1)),
        unique=True,
        partial={"identity.subject": {"$exists": True}},
    ),
)
_MAX_LISTED = 1000


@dataclass(frozen=True)
class User:
    """`password_hash` is None while no password was chosen, and for those who sign in by an identity provider."""

    user_id: str
    name: str
    role: Role
    stamp: str
    created_at: datetime
    password_hash: str | None = None
    is_external: bool = False


def generate_stamp() -> str:
    return uuid4().hex


class UserStore:
    def __init__(self, database: Database) -> None:
        self._users = database[USERS]

    async def add(self, user: User, identity: tuple[str, str] | None = None) -> bool:
        """Insert the user; False if the name, or the issuer's subject, is taken."""
        document: UserDocument = {
            "_id": user.user_id,
            "name": user.name,
            "role": user.role.value,
            "stamp": user.stamp,
            "created_at": user.created_at,
            "password_hash": user.password_hash,
        }
        if identity is not None:
            document["identity"] = {"issuer": identity[0], "subject": identity[1]}
        try:
            with translate_mongo_errors():
                await self._users.insert_one(cast(Document, document))
        except Conflict:
            return False
        return True

    async def get(self, user_id: str) -> User | None:
        return await self._find({"_id": user_id})

    async def find_by_name(self, name: str) -> User | None:
        return await self._find({"name": name})

    async def find_by_identity(self, issuer: str, subject: str) -> User | None:
        return await self._find({"identity.issuer": issuer, "identity.subject": subject})

    async def list_all(self) -> list[User]:
        with translate_mongo_errors():
            rows = await self._users.find({}).sort("name", 1).limit(_MAX_LISTED).to_list()
        return [_parse_user(row) for row in rows]

    async def is_empty(self) -> bool:
        with translate_mongo_errors():
            return await self._users.find_one({}, {"_id": 1}) is None

    async def set_role(self, user_id: str, role: Role) -> bool:
        """Set the role and end the sessions; False if the role was this one already, or there is no such user."""
        return await self._change({"_id": user_id, "role": {"$ne": role.value}}, {"role": role.value})

    async def set_password(self, user_id: str, password_hash: str) -> bool:
        """Set the password and end the user's sessions; False if there is no such user."""
        return await self._change({"_id": user_id}, {"password_hash": password_hash})

    async def renew_hash(self, user_id: str, before: str, after: str) -> None:
        """Replace the hash of an unchanged password."""
        with translate_mongo_errors():
            await self._users.update_one({"_id": user_id, "password_hash": before}, {"$set": {"password_hash": after}})

    async def end_sessions(self, user_id: str) -> bool:
        return await self._change({"_id": user_id}, {})

    async def remove(self, user_id: str) -> bool:
        with translate_mongo_errors():
            return (await self._users.delete_one({"_id": user_id})).deleted_count == 1

    async def _change(self, condition: Document, fields: Document) -> bool:
        """A new stamp with the change: every session that has the one before ends with it, in the same operation."""
        with translate_mongo_errors():
            result = await self._users.update_one(condition, {"$set": {**fields, "stamp": generate_stamp()}})
        return result.matched_count == 1

    async def _find(self, condition: Document) -> User | None:
        with translate_mongo_errors():
            row = await self._users.find_one(condition)
        return _parse_user(row) if row else None


def _parse_user(stored: Document) -> User:
    row = cast(UserDocument, stored)
    return User(
        row["_id"],
        row["name"],
        Role(row["role"]),
        row["stamp"],
        row["created_at"],
        row.get("password_hash"),
        "identity" in row,
    )
