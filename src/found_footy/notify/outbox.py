"""What is done with a message of the outbox: what it tells now, and what a failure means for it. Pure."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Literal

from found_footy.domain.notify_documents import IntentDocument, OutboxDocument
from found_footy.notify.errors import UnknownOutcome
from found_footy.platform.errors import FoundFootyError, RateLimited

_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=15), timedelta(minutes=15)
_MAX_DOUBLINGS = 10
# The moments in these fields of a message need nothing more; it is open while it wants others.
SETTLED_FIELDS: Final[tuple[Literal["told", "failed", "doubtful"], ...]] = ("told", "failed", "doubtful")


class DeliveryAction(StrEnum):
    SEND = "send"
    EDIT = "edit"
    HOLD = "hold"
    """Do not send: it may have been sent before."""
    GIVE_UP = "give_up"


@dataclass(frozen=True)
class DeliveryPlan:
    action: DeliveryAction
    intent: IntentDocument


@dataclass(frozen=True)
class ChannelTraits:
    """`edits`: a message that was sent can be replaced. `repeatable`: a message that is sent twice is shown once."""

    edits: bool
    repeatable: bool


@dataclass(frozen=True)
class FailureVerdict:
    """What follows from a failed call: a pause, or the end. `may_have_arrived`: the request may have been carried
    out. `pauses_channel`: the channel asked us to wait.
    """

    pause: timedelta | None
    may_have_arrived: bool = False
    pauses_channel: bool = False


def plan_delivery(
    entry: OutboxDocument, traits: ChannelTraits, now: datetime, send_within: timedelta, *, resends: bool
) -> DeliveryPlan:
    """Decide what is done with a claimed message. An intent that is left over means that its request may have arrived:
    it is repeated as it was, if a repetition does no harm.
    """
    left_over = entry.get("intent")
    intent = left_over or _build_intent(entry, now)
    edits = traits.edits and entry.get("message_id") is not None
    if left_over and not (edits or traits.repeatable or resends):
        return DeliveryPlan(DeliveryAction.HOLD, intent)
    if now - (entry.get("wanted_at") or entry["created_at"]) > send_within:
        return DeliveryPlan(DeliveryAction.GIVE_UP, intent)
    return DeliveryPlan(DeliveryAction.EDIT if edits else DeliveryAction.SEND, intent)


def _build_intent(entry: OutboxDocument, now: datetime) -> IntentDocument:
    settled = {moment for field in SETTLED_FIELDS for moment in entry.get(field) or ()}
    moments = sorted(set(entry.get("wanted") or ()) - settled)
    return {"id": build_message_id(entry["_id"], moments), "moments": moments, "at": now}


def build_message_id(entry_id: str, moments: list[str]) -> str:
    """Return the id by which a receiver recognizes a message that it gets twice."""
    return hashlib.sha256("\n".join([entry_id, *moments]).encode()).hexdigest()[:32]


def judge_failure(error: FoundFootyError, tries: int) -> FailureVerdict:
    """Decide what follows from an error of a channel, after `tries` that failed before."""
    if not error.retryable:
        return FailureVerdict(None)
    pause = min(_FIRST_PAUSE * 2 ** min(tries, _MAX_DOUBLINGS), _LONGEST_PAUSE)
    if isinstance(error, RateLimited):
        asked = timedelta(seconds=error.retry_after) if error.retry_after is not None else pause
        return FailureVerdict(asked, pauses_channel=True)
    return FailureVerdict(pause, may_have_arrived=isinstance(error, UnknownOutcome))
