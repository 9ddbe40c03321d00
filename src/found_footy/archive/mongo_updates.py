"""MongoDB expressions that evaluate the document's current value, so that checking and writing are one operation."""

from collections.abc import Mapping
from typing import Any

from found_footy.domain.completion import delivery_reason_expression

Expression = dict[str, Any]


def build_event_update(event_id: str, fields: Mapping[str, Any]) -> list[Expression]:
    """An update that sets `fields` on one goal; they may refer to its current state as $$event."""
    changed = {"$mergeObjects": ["$$event", dict(fields)]}
    chosen = {"$cond": [{"$eq": ["$$event._event_id", event_id]}, changed, "$$event"]}
    return [{"$set": {"events": {"$map": {"input": "$events", "as": "event", "in": chosen}}}}]


def array_or_empty(field: str) -> Expression:
    return {"$ifNull": [f"$$event.{field}", []]}


def completion_fields(attempts_wanted: int, download_id: str, now: Any) -> dict[str, Expression]:
    """The fields that record a delivery, and the goal's completion if it is complete with that delivery."""
    deliveries = {
        "$setUnion": [array_or_empty("_delivered_workflows"), [{"$literal": download_id}] if download_id else []]
    }
    reason = delivery_reason_expression("$$event", attempts_wanted, deliveries)
    done = {"$and": [{"$ne": [reason, None]}, {"$not": [_is_complete()]}]}
    return {
        "_delivered_workflows": deliveries,
        "_download_complete": {"$or": [_is_complete(), done]},
        "_download_completed_at": {"$cond": [done, now, _field_or_none("_download_completed_at")]},
        "_completion_reason": {"$cond": [done, reason, _field_or_none("_completion_reason")]},
    }


def _is_complete() -> Expression:
    return {"$ifNull": ["$$event._download_complete", False]}


def _field_or_none(field: str) -> Expression:
    return {"$ifNull": [f"$$event.{field}", None]}
