"""Share links: whoever has one sees one goal, without signing in, until it expires or is revoked."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from found_footy.domain.access_documents import ShareLinkDocument
from found_footy.platform.clock import Clock
from found_footy.platform.http.session_tokens import MAX_TOKEN_LENGTH, digest_token, generate_token
from found_footy.platform.mongo import Database, Document, MongoIndex, translate_mongo_errors

SHARE_LINKS = "share_links"
INDEXES = (
    MongoIndex(SHARE_LINKS, (("expires_at", 1),), expire_after=timedelta(0)),
    MongoIndex(SHARE_LINKS, (("user_id", 1), ("created_at", -1))),
)
_ID_BYTES = 6
_MAX_LISTED = 200


@dataclass(frozen=True)
class ShareLink:
    """`link_id` names the link where it is listed and revoked; it opens nothing."""

    link_id: str
    user_id: str
    event_id: str
    created_at: datetime
    expires_at: datetime


class ShareLinkStore:
    def __init__(self, database: Database, now: Clock) -> None:
        self._links = database[SHARE_LINKS]
        self._now = now

    async def add(self, user_id: str, event_id: str, lifetime: timedelta) -> tuple[str, ShareLink]:
        """Return the token of a new link, which is not stored, and its description."""
        token, now = generate_token(), self._now()
        document: ShareLinkDocument = {
            "_id": digest_token(token),
            "link_id": secrets.token_hex(_ID_BYTES),
            "user_id": user_id,
            "event_id": event_id,
            "created_at": now,
            "expires_at": now + lifetime,
        }
        with translate_mongo_errors():
            await self._links.insert_one(cast(Document, document))
        return token, _parse_link(document)

    async def find(self, token: str) -> ShareLink | None:
        """Return the link of a token; None if it has expired or was revoked."""
        if not token or len(token) > MAX_TOKEN_LENGTH:
            return None
        # MongoDB deletes expired documents about once a minute; until then they are refused here.
        with translate_mongo_errors():
            row = await self._links.find_one({"_id": digest_token(token), "expires_at": {"$gt": self._now()}})
        return _parse_link(cast(ShareLinkDocument, row)) if row else None

    async def list_links(self, user_id: str | None = None) -> list[ShareLink]:
        """The links of a user that have not expired, or all, the newest first."""
        condition: Document = {"expires_at": {"$gt": self._now()}} | ({"user_id": user_id} if user_id else {})
        with translate_mongo_errors():
            rows = await self._links.find(condition).sort("created_at", -1).limit(_MAX_LISTED).to_list()
        return [_parse_link(cast(ShareLinkDocument, row)) for row in rows]

    async def revoke(self, link_id: str, user_id: str | None = None) -> bool:
        """Revoke a link, of this user only if one is given; False without it."""
        condition = {"link_id": link_id} | ({"user_id": user_id} if user_id else {})
        with translate_mongo_errors():
            return (await self._links.delete_one(condition)).deleted_count == 1

    async def revoke_all(self, user_id: str) -> None:
        with translate_mongo_errors():
            await self._links.delete_many({"user_id": user_id})


def _parse_link(row: ShareLinkDocument) -> ShareLink:
    return ShareLink(row["link_id"], row["user_id"], row["event_id"], row["created_at"], row["expires_at"])
