"""MongoDB operations of the Reddit source: the posts that were seen, and the state of the shared poll."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from pymongo import ReturnDocument, UpdateOne

from found_footy.discovery.sources.reddit.posts import RedditPost
from found_footy.platform.mongo import Database, MongoIndex, translate_mongo_errors

POSTS = "reddit_posts"
STATE = "reddit_state"
# Reddit asks that deleted posts be forgotten within two days.
_KEPT = timedelta(hours=24)
_POLL_ID = "poll"
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_POSTS_READ = 1000

INDEXES = (MongoIndex(POSTS, (("created_at", 1),), expire_after=_KEPT),)


@dataclass(frozen=True)
class PollState:
    """The result of the last poll. `error` is the name of a failure's class, empty after a poll that worked;
    `failures` counts those since. `known_ids` are the newest posts seen; while `gap_after` is set, older posts than
    that are still to be read. `claim` names the caller whose poll this is.
    """

    next_at: datetime = _LONG_AGO
    claim: str = ""
    failures: int = 0
    error: str = ""
    message: str = ""
    known_ids: tuple[str, ...] = ()
    gap_after: str | None = None
    worked_at: datetime | None = None


class RedditStore:
    def __init__(self, database: Database) -> None:
        self._posts = database[POSTS]
        self._state = database[STATE]

    async def read_state(self) -> PollState:
        with translate_mongo_errors():
            row = await self._state.find_one({"_id": _POLL_ID})
        return _to_state(row or {})

    async def claim_poll(self, now: datetime, until: datetime) -> PollState | None:
        """Claim the next poll until a time; None if none is due or another process has it."""
        with translate_mongo_errors():
            await self._state.update_one({"_id": _POLL_ID}, {"$setOnInsert": {"next_at": _LONG_AGO}}, upsert=True)
            row = await self._state.find_one_and_update(
                {"_id": _POLL_ID, "next_at": {"$lte": now}},
                {"$set": {"next_at": until, "claim": uuid4().hex}},
                return_document=ReturnDocument.AFTER,
            )
        return _to_state(row) if row else None

    async def finish_poll(self, state: PollState) -> bool:
        """Record the result of a claimed poll. False if its claim ended and another process polls."""
        fields = asdict(state)
        with translate_mongo_errors():
            result = await self._state.update_one({"_id": _POLL_ID, "claim": state.claim}, {"$set": fields})
        return result.matched_count == 1

    async def save_posts(self, posts: Sequence[RedditPost]) -> None:
        """Store posts; one seen again is stored as it is now."""
        if not posts:
            return
        writes = [UpdateOne({"_id": post.id}, {"$set": _post_document(post)}, upsert=True) for post in posts]
        with translate_mongo_errors():
            await self._posts.bulk_write(writes, ordered=False)

    async def claim_unread_comments(self, since: datetime, until: datetime) -> str | None:
        """The id of a post of this time whose comments nobody has read; from now on they count as read."""
        condition = {"created_at": {"$gte": since, "$lte": until}, "removed": False, "comments_read": {"$ne": True}}
        with translate_mongo_errors():
            row = await self._posts.find_one_and_update(condition, {"$set": {"comments_read": True}}, {"_id": 1})
        return row["_id"] if row else None

    async def save_mirrors(self, post_id: str, links: Sequence[str]) -> None:
        with translate_mongo_errors():
            await self._posts.update_one({"_id": post_id}, {"$set": {"mirrors": list(links)}})

    async def find_posts(self, since: datetime) -> list[RedditPost]:
        """Posts from a time on that are not removed, newest first."""
        condition = {"created_at": {"$gte": since}, "removed": False}
        with translate_mongo_errors():
            rows = self._posts.find(condition).sort("created_at", -1).limit(_MAX_POSTS_READ)
            return [_to_post(row) async for row in rows]


def _post_document(post: RedditPost) -> dict[str, Any]:
    """Without the mirrors, which lists of posts do not show: one seen again keeps them."""
    return {name: value for name, value in asdict(post).items() if name not in ("id", "mirrors")}


def _to_post(row: Mapping[str, Any]) -> RedditPost:
    fields = {name: value for name, value in row.items() if name in RedditPost.__dataclass_fields__}
    return RedditPost(row["_id"], **{**fields, "mirrors": tuple(row.get("mirrors") or ())})


def _to_state(row: Mapping[str, Any]) -> PollState:
    fields = {name: value for name, value in row.items() if name in PollState.__dataclass_fields__}
    return PollState(**{**fields, "known_ids": tuple(row.get("known_ids") or ())})
