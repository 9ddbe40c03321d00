"""Addresses of clips that are no more: why each is gone, kept when the fixture that could tell is deleted."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

GONE_CLIPS = "gone_clips"
_TAKEN_DOWN = "taken_down"


class Why(StrEnum):
    STRUCK_OUT = "struck_out"
    REMOVED = "removed"
    """A person took the clip off its goal."""
    TAKEN_DOWN = "taken_down"
    CLEARED = "cleared"
    """The clip was deleted with its match, after the time that matches are kept."""


def gone_with(fixture: Mapping[str, Any]) -> dict[str, Why]:
    """Every clip id that a fixture knows, and why its address is gone once the fixture is deleted.

    What a person has decided is the reason before all others, unless it was lifted and the clip came back.
    """
    events, graves = (list(fixture.get(part) or ()) for part in ("events", "removed_events"))
    reasons: dict[str, Why] = dict.fromkeys(_clip_ids(graves), Why.STRUCK_OUT)
    reasons |= dict.fromkeys(_clip_ids(event for event in events if event.get("_removed")), Why.STRUCK_OUT)
    reasons |= dict.fromkeys(_clip_ids(event for event in events if not event.get("_removed")), Why.CLEARED)
    refused = [row for event in (*events, *graves) for row in (event.get("_judgements") or {}).get("refused") or ()]
    for row in sorted(refused, key=lambda row: row.get("scope") == _TAKEN_DOWN):
        why = Why.TAKEN_DOWN if row.get("scope") == _TAKEN_DOWN else Why.REMOVED
        if not row.get("lifted"):
            reasons[row["clip_id"]] = why
        else:
            reasons.setdefault(row["clip_id"], why)
    return reasons


def _clip_ids(events: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for event in events:
        yield from (clip["clip_id"] for clip in event.get("_s3_videos") or () if clip.get("clip_id"))
        yield from event.get("_gone_clips") or ()
