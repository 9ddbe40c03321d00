"""The stored clips of one goal, as read before a batch is planned or saved."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from found_footy.archive.dedup.copies import StoredRecording, parse_recording
from found_footy.archive.dedup.other_goals import OtherGoalClip
from found_footy.archive.dedup.records import ClipRecord
from found_footy.archive.messages import FingerprintRef, GoalArchiveSummary, StoredClip
from found_footy.archive.moderation.model import MODERATION_FIELD, GoalModeration, parse_moderation
from found_footy.domain.messages import CONFIRMED_WITNESS


@dataclass(frozen=True)
class GoalArchive:
    """`expected_state` is the state that a change is based on: it must be unchanged when the change is written.
    `witnesses` has, by the address of a post, why its title confirms the goal.
    """

    event_id: str
    records: tuple[ClipRecord, ...] = ()
    moderation: GoalModeration = field(default_factory=GoalModeration)
    other_clips: tuple[OtherGoalClip, ...] = ()
    expected_state: Mapping[str, Any] = field(default_factory=dict)
    witnesses: Mapping[str, str] = field(default_factory=dict)

    @property
    def recordings(self) -> tuple[StoredRecording, ...]:
        return tuple(map(parse_recording, self.records))


def parse_goal_archive(
    event_id: str, events: Iterable[Mapping[str, Any]], blocklist: Iterable[Mapping[str, Any]]
) -> GoalArchive | None:
    """Parse the goal from its fixture's events; None if the fixture has no such goal."""
    events = list(events)
    event = next((event for event in events if event["_event_id"] == event_id), None)
    if event is None:
        return None
    return GoalArchive(
        event_id,
        records=tuple(event.get("_s3_videos") or ()),
        moderation=parse_moderation(event, blocklist),
        other_clips=tuple(other for one in events if one is not event for other in _iter_other_clips(one)),
        expected_state={name: event[name] for name in ("_s3_videos", MODERATION_FIELD) if name in event},
        witnesses=_collect_witnesses(event),
    )


def summarize_archive(archive: GoalArchive | None) -> GoalArchiveSummary:
    """The summary for the workflow: which files are known, and the keys of their fingerprints."""
    if archive is None:
        return GoalArchiveSummary(exists=False)
    others = (
        FingerprintRef(other.name, other.fingerprint_key, other.hash_version, other.verified)
        for other in archive.other_clips
        if other.fingerprint_key
    )
    clips = tuple(_to_stored_clip(recording, archive.event_id) for recording in archive.recordings)
    return GoalArchiveSummary(exists=True, clips=clips, other_goal_files=tuple(others))


def _to_stored_clip(recording: StoredRecording, event_id: str) -> StoredClip:
    copies = tuple(
        FingerprintRef(copy.md5, copy.fingerprint_key, copy.hash_version, copy.verified) for copy in recording.copies
    )
    uncompared = (
        copy.md5 for copy in recording.copies if copy.fingerprint_key and copy.compared_for_event_id != event_id
    )
    return StoredClip(recording.clip_id, recording.md5, copies, tuple(uncompared))


def _collect_witnesses(event: Mapping[str, Any]) -> dict[str, str]:
    found = ((link["url"], link.get("witness") or "") for link in event.get("_discovered_videos") or ())
    return {url: witness for url, witness in found if witness.startswith(CONFIRMED_WITNESS)}


def _iter_other_clips(event: Mapping[str, Any]) -> Iterator[OtherGoalClip]:
    time = event.get("time") or {}
    minute = (time.get("elapsed") or 0) + (time.get("extra") or 0)
    for record in () if event.get("_removed") else event.get("_s3_videos") or ():
        for copy in parse_recording(record).copies:
            yield OtherGoalClip(
                event["_event_id"],
                record["clip_id"],
                copy.md5,
                copy.verified,
                minute,
                # Only the winner is compared for its recording; comparing all copies would be too many.
                copy.fingerprint_key if copy.md5 == record["md5"] else "",
                copy.hash_version,
            )
