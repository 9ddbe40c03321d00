"""Why the URL of a deleted clip is gone. The reasons outlive the fixture document."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, cast

from found_footy.domain.documents import FixtureDocument, GoalDocument

GONE_CLIPS = "gone_clips"
_TAKEDOWN_SCOPE = "taken_down"


class ClipRemovalReason(StrEnum):
    GOAL_REMOVED = "struck_out"
    CLIP_REMOVED = "removed"
    """A moderator removed the clip from its goal."""
    TAKEN_DOWN = "taken_down"
    CLEARED = "cleared"
    """The clip was deleted with its fixture when the retention period ended."""


def clip_removal_reasons(stored: Mapping[str, Any]) -> dict[str, ClipRemovalReason]:
    """Map every clip id of a fixture to the reason why its URL is gone once the fixture is deleted.

    A moderation decision overrides the other reasons, unless it was lifted.
    """
    fixture = cast(FixtureDocument, stored)
    events, tombstones = fixture.get("events") or [], fixture.get("removed_events") or []
    reasons: dict[str, ClipRemovalReason] = dict.fromkeys(_clip_ids(tombstones), ClipRemovalReason.GOAL_REMOVED)
    reasons |= dict.fromkeys(
        _clip_ids(event for event in events if event.get("_removed")), ClipRemovalReason.GOAL_REMOVED
    )
    reasons |= dict.fromkeys(
        _clip_ids(event for event in events if not event.get("_removed")), ClipRemovalReason.CLEARED
    )
    rejected = [
        row for event in (*events, *tombstones) for row in (event.get("_judgements") or {}).get("refused") or ()
    ]
    for row in sorted(rejected, key=lambda row: row.get("scope") == _TAKEDOWN_SCOPE):
        why = ClipRemovalReason.TAKEN_DOWN if row.get("scope") == _TAKEDOWN_SCOPE else ClipRemovalReason.CLIP_REMOVED
        if not row.get("lifted"):
            reasons[row["clip_id"]] = why
        else:
            reasons.setdefault(row["clip_id"], why)
    return reasons


def _clip_ids(events: Iterable[GoalDocument]) -> Iterator[str]:
    for event in events:
        yield from (clip["clip_id"] for clip in event.get("_s3_videos") or () if clip.get("clip_id"))
        yield from event.get("_gone_clips") or ()
