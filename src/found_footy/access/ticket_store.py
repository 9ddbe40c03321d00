"""Tickets that a browser or a person carries and of which the database has the digest: one-time links, known devices,
sign-ins that an identity provider has not answered yet.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from found_footy.domain.access_documents import KnownDeviceDocument, OidcRequestDocument, OneTimeLinkDocument
from found_footy.platform.clock import Clock
from found_footy.platform.http.session_tokens import MAX_TOKEN_LENGTH, digest_token, generate_token
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors

ONE_TIME_LINKS, KNOWN_DEVICES, OIDC_REQUESTS = "one_time_links", "known_devices", "oidc_requests"
INDEXES = tuple(
    MongoIndex(collection, (("expires_at", 1),), expire_after=timedelta(0))
    for collection in (ONE_TIME_LINKS, KNOWN_DEVICES, OIDC_REQUESTS)
)
DEVICE_LIFETIME = timedelta(days=180)
_OIDC_LIFETIME = timedelta(minutes=10)


@dataclass(frozen=True)
class OneTimeLink:
    """`user_id` is None for the link that makes the first admin."""

    user_id: str | None
    expires_at: datetime


@dataclass(frozen=True)
class OidcRequest:
    nonce: str
    verifier: str
    target: str
    redirect_uri: str


class TicketStore:
    def __init__(self, database: Database, now: Clock) -> None:
        self._links = database[ONE_TIME_LINKS]
        self._devices = database[KNOWN_DEVICES]
        self._requests = database[OIDC_REQUESTS]
        self._now = now

    async def add_link(self, user_id: str | None, lifetime: timedelta) -> str:
        """Return the token of a new link; links given out before for the same user, or the first admin, are void."""
        token = generate_token()
        document: OneTimeLinkDocument = {
            "_id": digest_token(token),
            "user_id": user_id,
            "expires_at": self._now() + lifetime,
        }
        with translate_mongo_errors():
            await self._links.delete_many({"user_id": user_id})
            await self._links.insert_one(cast(Document, document))
        return token

    async def find_link(self, token: str) -> OneTimeLink | None:
        if len(token) > MAX_TOKEN_LENGTH:
            return None
        with translate_mongo_errors():
            row = await self._links.find_one({"_id": digest_token(token), "expires_at": {"$gt": self._now()}})
        return OneTimeLink(row["user_id"], row["expires_at"]) if row else None

    async def use_link(self, token: str) -> OneTimeLink | None:
        """Take the link away and return it: of any number of callers one gets it."""
        with translate_mongo_errors():
            row = await self._links.find_one_and_delete(
                {"_id": digest_token(token), "expires_at": {"$gt": self._now()}}
            )
        return OneTimeLink(row["user_id"], row["expires_at"]) if row else None

    async def remember_device(self, user_id: str) -> str:
        token = generate_token()
        document: KnownDeviceDocument = {
            "_id": digest_token(token),
            "user_id": user_id,
            "expires_at": self._now() + DEVICE_LIFETIME,
        }
        with translate_mongo_errors():
            await self._devices.insert_one(cast(Document, document))
        return token

    async def find_device_user(self, token: str) -> str | None:
        """Return the user who has signed in with the browser of this token."""
        if not token or len(token) > MAX_TOKEN_LENGTH:
            return None
        with translate_mongo_errors():
            row = await self._devices.find_one({"_id": digest_token(token), "expires_at": {"$gt": self._now()}})
        return str(row["user_id"]) if row else None

    async def add_oidc_request(self, state: str, request: OidcRequest) -> None:
        document: OidcRequestDocument = {
            "_id": digest_token(state),
            "nonce": request.nonce,
            "verifier": request.verifier,
            "target": request.target,
            "redirect_uri": request.redirect_uri,
            "expires_at": self._now() + _OIDC_LIFETIME,
        }
        with translate_mongo_errors():
            await self._requests.insert_one(cast(Document, document))

    async def take_oidc_request(self, state: str) -> OidcRequest | None:
        """Take the request of a state away and return it: an answer is used once."""
        with translate_mongo_errors():
            row = await self._requests.find_one_and_delete(
                {"_id": digest_token(state), "expires_at": {"$gt": self._now()}}
            )
        return OidcRequest(row["nonce"], row["verifier"], row["target"], row["redirect_uri"]) if row else None
