"""MongoDB operations on the browsers that subscribed on the page. Each changes one document and is idempotent."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import cast

from found_footy.domain.notify_documents import PushSubscriptionDocument
from found_footy.notify.rules import NotifyRule
from found_footy.notify.settings import WebPushSubscription
from found_footy.platform.errors import BadInput
from found_footy.platform.mongo import Database, translate_mongo_errors

PUSH_SUBSCRIPTIONS = "push_subscriptions"
# Each is a call per message: more than this is not one household's browsers.
MAX_SUBSCRIPTIONS = 100
_NAME_PREFIX = "push-"
_LISTS = ("leagues", "teams", "players", "moments")


def channel_name(endpoint: str) -> str:
    """The channel of a browser: the same for the same subscription."""
    return _NAME_PREFIX + hashlib.sha256(endpoint.encode()).hexdigest()[:16]


class PushSubscriptionStore:
    def __init__(self, database: Database) -> None:
        self._subscriptions = database[PUSH_SUBSCRIPTIONS]

    async def add(
        self, subscription: WebPushSubscription, rule: NotifyRule, label: str, now: datetime
    ) -> PushSubscriptionDocument:
        """Add a browser, or change what a known one is told. Raises BadInput if there are too many."""
        name = channel_name(subscription.endpoint)
        chosen = rule.model_dump(mode="json", include=set(_LISTS))
        change = {
            "label": label,
            "endpoint": subscription.endpoint,
            "p256dh": subscription.keys.p256dh,
            "auth": subscription.keys.auth.get_secret_value(),
            "rule": chosen,
        }
        with translate_mongo_errors():
            others = await self._subscriptions.count_documents({"_id": {"$ne": name}}, limit=MAX_SUBSCRIPTIONS)
            if others >= MAX_SUBSCRIPTIONS:
                raise BadInput(f"there are {MAX_SUBSCRIPTIONS} browsers already; remove one first")
            row = await self._subscriptions.find_one_and_update(
                {"_id": name}, {"$set": change, "$setOnInsert": {"created_at": now}}, upsert=True, return_document=True
            )
        return cast(PushSubscriptionDocument, row)

    async def remove(self, name: str) -> bool:
        with translate_mongo_errors():
            result = await self._subscriptions.delete_one({"_id": name})
        return result.deleted_count == 1

    async def list_all(self) -> list[PushSubscriptionDocument]:
        with translate_mongo_errors():
            rows = await self._subscriptions.find({}).sort("created_at", 1).limit(MAX_SUBSCRIPTIONS).to_list()
        return [cast(PushSubscriptionDocument, row) for row in rows]

    async def load_rules(self) -> Sequence[NotifyRule]:
        return [build_rule(one) for one in await self.list_all()]


def build_rule(subscription: PushSubscriptionDocument) -> NotifyRule:
    return NotifyRule.model_validate({"channels": [subscription["_id"]], **subscription["rule"]})
