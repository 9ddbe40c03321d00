"""Sessions of users. The browser has a random token, the database its digest."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from found_footy.access.user_store import User, UserStore
from found_footy.domain.access_documents import UserSessionDocument
from found_footy.platform.clock import Clock
from found_footy.platform.http.session_tokens import MAX_TOKEN_LENGTH, compute_csrf_token, digest_token, generate_token
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors

USER_SESSIONS = "user_sessions"
INDEXES = (
    MongoIndex(USER_SESSIONS, (("expires_at", 1),), expire_after=timedelta(0)),
    MongoIndex(USER_SESSIONS, (("idle_expires_at", 1),), expire_after=timedelta(0)),
    MongoIndex(USER_SESSIONS, (("user_id", 1), ("seen_at", -1))),
)
# A session's use is written this often at most.
_SEEN_INTERVAL = timedelta(minutes=1)
_MAX_LISTED = 100
_MAX_AGENT_LENGTH = 200
_MAX_NOTICE_LENGTH = 1000


@dataclass(frozen=True)
class UserSession:
    user: User
    session_id: str
    csrf_token: str


@dataclass(frozen=True)
class SessionSummary:
    session_id: str
    created_at: datetime
    seen_at: datetime
    address: str
    agent: str


class UserSessionStore:
    """`idle` ends a session that is not used, `lifetime` any session."""

    def __init__(self, database: Database, users: UserStore, idle: timedelta, lifetime: timedelta, now: Clock) -> None:
        self._sessions = database[USER_SESSIONS]
        self._users = users
        self._idle = idle
        self._lifetime = lifetime
        self._now = now

    @property
    def lifetime(self) -> timedelta:
        return self._lifetime

    async def open(self, user: User, address: str, agent: str) -> str:
        """Open a session and return its token, which is always a new one."""
        token, now = generate_token(), self._now()
        document: UserSessionDocument = {
            "_id": digest_token(token),
            "user_id": user.user_id,
            "stamp": user.stamp,
            "created_at": now,
            "seen_at": now,
            "idle_expires_at": min(now + self._idle, now + self._lifetime),
            "expires_at": now + self._lifetime,
            "address": address,
            "agent": agent[:_MAX_AGENT_LENGTH],
        }
        with translate_mongo_errors():
            await self._sessions.insert_one(cast(Document, document))
        return token

    async def find(self, token: str) -> UserSession | None:
        """Return the session of a token; None if it has ended, or if its user's password or role changed since."""
        if not token or len(token) > MAX_TOKEN_LENGTH:
            return None
        with translate_mongo_errors():
            found = await self._sessions.find_one({"_id": digest_token(token)})
        row, now = cast(UserSessionDocument | None, found), self._now()
        # MongoDB deletes expired documents about once a minute; until then they are refused here.
        if row is None or min(row["expires_at"], row["idle_expires_at"]) <= now:
            return None
        user = await self._users.get(row["user_id"])
        if user is None or user.stamp != row["stamp"]:
            return None
        if now - row["seen_at"] >= _SEEN_INTERVAL:
            await self._record_use(row, now)
        return UserSession(user, row["_id"], compute_csrf_token(token))

    async def close(self, token: str) -> None:
        with translate_mongo_errors():
            await self._sessions.delete_one({"_id": digest_token(token)})

    async def close_one(self, user_id: str, session_id: str) -> bool:
        with translate_mongo_errors():
            return (await self._sessions.delete_one({"_id": session_id, "user_id": user_id})).deleted_count == 1

    async def set_notice(self, session_id: str, text: str) -> None:
        """Keep a sentence that the session's next page shows."""
        with translate_mongo_errors():
            await self._sessions.update_one({"_id": session_id}, {"$set": {"notice": text[:_MAX_NOTICE_LENGTH]}})

    async def take_notice(self, session_id: str) -> str:
        with translate_mongo_errors():
            row = await self._sessions.find_one_and_update(
                {"_id": session_id, "notice": {"$exists": True}}, {"$unset": {"notice": ""}}
            )
        return str(row["notice"]) if row else ""

    async def close_all(self, user_id: str) -> None:
        """Delete the sessions of a user; a new stamp has ended them already."""
        with translate_mongo_errors():
            await self._sessions.delete_many({"user_id": user_id})

    async def list_open(self, user: User) -> list[SessionSummary]:
        """The sessions of a user that have not ended, the one used last first."""
        condition = {"user_id": user.user_id, "stamp": user.stamp, "idle_expires_at": {"$gt": self._now()}}
        with translate_mongo_errors():
            rows = await self._sessions.find(condition).sort("seen_at", -1).limit(_MAX_LISTED).to_list()
        return [
            SessionSummary(row["_id"], row["created_at"], row["seen_at"], row["address"], row["agent"]) for row in rows
        ]

    async def _record_use(self, row: UserSessionDocument, now: datetime) -> None:
        idle_end = min(now + self._idle, row["expires_at"])
        with translate_mongo_errors():
            await self._sessions.update_one(
                {"_id": row["_id"]}, {"$set": {"seen_at": now, "idle_expires_at": idle_end}}
            )
