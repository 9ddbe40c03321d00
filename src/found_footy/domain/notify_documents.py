"""The documents of notifications. `documents.py` says how they are used."""

from datetime import datetime
from typing import Any, Required, TypedDict


class MomentDocument(TypedDict, total=False):
    """One moment of a goal that was noticed, in `goal_moments`. `goal` is the id that the goal had at its first moment;
    `event_id` the one it had at this moment.
    """

    _id: Required[str]
    goal: Required[str]
    event_id: Required[str]
    fixture_id: Required[int]
    moment: Required[str]
    at: Required[datetime]
    clip_id: str | None
    verified: bool
    height: int
    removed_at: datetime | None


class ClaimDocument(TypedDict):
    """Who is sending a message, and until when nobody else may."""

    holder: str
    until: datetime


class IntentDocument(TypedDict):
    """What was about to be sent: written before the request, removed when its outcome is known."""

    id: str
    moments: list[str]
    at: datetime


class OutboxDocument(TypedDict, total=False):
    """The message about one goal in one channel, in `notify_outbox`.

    `wanted` are the moments that the message must tell; `told`, `failed` and `doubtful` those of them that were sent,
    can never be sent, or may have been sent. `open` says that some are in none of these.
    """

    _id: Required[str]
    channel: Required[str]
    goal: Required[str]
    facts: Required[dict[str, Any]]
    created_at: Required[datetime]
    wanted_at: datetime
    wanted: list[str]
    told: list[str]
    failed: list[str]
    doubtful: list[str]
    open: bool
    message_id: str | None
    claim: ClaimDocument | None
    intent: IntentDocument | None
    tries: list[str]
    not_before: datetime
    failure: str | None
    sent_at: datetime


class NotifyStateDocument(TypedDict, total=False):
    """In `notify_state`: when notifications were switched on and last ran, and until when a channel asked to wait."""

    _id: Required[str]
    since: datetime
    last_run_at: datetime
    not_before: datetime


class PushSubscriptionDocument(TypedDict):
    """A browser that is told about goals, in `push_subscriptions`. Its id is the name of its channel; `rule` has the
    lists of a rule.
    """

    _id: str
    label: str
    endpoint: str
    p256dh: str
    auth: str
    rule: dict[str, list[int | str]]
    created_at: datetime
