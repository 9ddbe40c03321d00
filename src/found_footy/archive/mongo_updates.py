"""MongoDB expressions that evaluate the document's current value, so that checking and writing are one operation."""

from collections.abc import Mapping
from typing import Any

from found_footy.domain.ids import EXTRA_DOWNLOAD_PREFIX

Expression = dict[str, Any]


def build_event_update(event_id: str, fields: Mapping[str, Any]) -> list[Expression]:
    """An update that sets `fields` on one goal; they may refer to its current state as $$event."""
    changed = {"$mergeObjects": ["$$event", dict(fields)]}
    chosen = {"$cond": [{"$eq": ["$$event._event_id", event_id]}, changed, "$$event"]}
    return [{"$set": {"events": {"$map": {"input": "$events", "as": "event", "in": chosen}}}}]


def array_or_empty(field: str) -> Expression:
    return {"$ifNull": [f"$$event.{field}", []]}


def completion_fields(attempts_wanted: int, download_id: str, exhausted_state: str, now: Any) -> dict[str, Expression]:
    """The goal's completion fields: complete with enough attempts, or an exhausted search, and all attempts
    delivered."""
    deliveries = {
        "$setUnion": [array_or_empty("_delivered_workflows"), [{"$literal": download_id}] if download_id else []]
    }
    enough = {"$gte": [{"$size": _search_attempts()}, attempts_wanted]}
    no_more = {"$eq": ["$$event._search_state.state", exhausted_state]}
    all_here = {"$setIsSubset": [array_or_empty("_download_workflows"), deliveries]}
    done = {"$and": [{"$or": [enough, no_more]}, all_here, {"$not": [_is_complete()]}]}
    reason = {"$cond": [enough, "delivered", "attempts_exhausted"]}
    return {
        "_delivered_workflows": deliveries,
        "_download_complete": {"$or": [_is_complete(), done]},
        "_download_completed_at": {"$cond": [done, now, _field_or_none("_download_completed_at")]},
        "_completion_reason": {"$cond": [done, reason, _field_or_none("_completion_reason")]},
    }


def _search_attempts() -> Expression:
    """The registered downloads that are attempts of the search."""
    kind = {"$substrCP": ["$$download", 0, len(EXTRA_DOWNLOAD_PREFIX)]}
    cond = {"$ne": [kind, EXTRA_DOWNLOAD_PREFIX]}
    return {"$filter": {"input": array_or_empty("_download_workflows"), "as": "download", "cond": cond}}


def _is_complete() -> Expression:
    return {"$ifNull": ["$$event._download_complete", False]}


def _field_or_none(field: str) -> Expression:
    return {"$ifNull": [f"$$event.{field}", None]}
