"""Sessions of people who signed in on the page. The browser has a random token, the database its digest."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.http.session_tokens import (
    MAX_TOKEN_LENGTH,
    compute_csrf_token,
    digest_token,
    generate_token,
)
from found_footy.platform.mongo import Database, translate_mongo_errors
from found_footy.uploads.organizations.store import SESSIONS


@dataclass(frozen=True)
class Session:
    """`proof` identifies the key or token that the session was opened with: when that is replaced, the session ends.
    An operator's session has no organization.
    """

    organization_id: str | None
    proof: str
    csrf_token: str


class SessionStore:
    def __init__(self, database: Database, lifetime: timedelta, now: Clock = utc_now) -> None:
        self._sessions = database[SESSIONS]
        self._lifetime = lifetime
        self._now = now

    async def open(self, organization_id: str | None, proof: str) -> str:
        """Open a session and return its token."""
        token, now = generate_token(), self._now()
        document = {
            "_id": digest_token(token),
            "organization_id": organization_id,
            "proof": proof,
            "created_at": now,
            "expires_at": now + self._lifetime,
        }
        with translate_mongo_errors():
            await self._sessions.insert_one(document)
        return token

    async def find(self, token: str) -> Session | None:
        """Return the session of a token; None if it has ended."""
        if not token or len(token) > MAX_TOKEN_LENGTH:
            return None
        with translate_mongo_errors():
            found = await self._sessions.find_one({"_id": digest_token(token)})
        if found is None or _is_over(found["expires_at"], self._now()):
            return None
        return Session(found["organization_id"], found["proof"], compute_csrf_token(token))

    async def close(self, token: str) -> None:
        with translate_mongo_errors():
            await self._sessions.delete_one({"_id": digest_token(token)})

    async def close_all(self, organization_id: str) -> None:
        with translate_mongo_errors():
            await self._sessions.delete_many({"organization_id": organization_id})


def _is_over(expires_at: datetime, now: datetime) -> bool:
    """MongoDB deletes expired documents about once a minute; until then they are refused here."""
    return expires_at <= now
