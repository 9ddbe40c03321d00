"""What the archive has of one goal, as it is read before a batch is planned or saved."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from found_footy.archive.elsewhere import OtherClip
from found_footy.archive.judgement import JUDGEMENTS, Judgements, judgements_of
from found_footy.archive.members import Holding, holding_of
from found_footy.archive.messages import EventData, Sample, StoredClip
from found_footy.archive.records import Record


@dataclass(frozen=True)
class GoalArchive:
    """`state` is what a change is decided on: it must still be so when the change is written."""

    event_id: str
    records: tuple[Record, ...] = ()
    judgements: Judgements = field(default_factory=Judgements)
    others: tuple[OtherClip, ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)

    @property
    def holdings(self) -> tuple[Holding, ...]:
        return tuple(map(holding_of, self.records))


def goal_archive(
    event_id: str, events: Iterable[Mapping[str, Any]], blocklist: Iterable[Mapping[str, Any]]
) -> GoalArchive | None:
    """The goal's part of its fixture; None if the fixture has no such goal."""
    events = list(events)
    event = next((event for event in events if event["_event_id"] == event_id), None)
    if event is None:
        return None
    return GoalArchive(
        event_id,
        records=tuple(event.get("_s3_videos") or ()),
        judgements=judgements_of(event, blocklist),
        others=tuple(other for one in events if one is not event for other in _others(one)),
        state={name: event[name] for name in ("_s3_videos", JUDGEMENTS) if name in event},
    )


def event_data(archive: GoalArchive | None) -> EventData:
    """What a workflow is told: which files are known, and where their fingerprints lie."""
    if archive is None:
        return EventData(exists=False)
    others = (
        Sample(other.name, other.print_key, other.hash_version, other.verified)
        for other in archive.others
        if other.print_key
    )
    clips = tuple(_stored(holding, archive.event_id) for holding in archive.holdings)
    return EventData(exists=True, clips=clips, others=tuple(others))


def _stored(holding: Holding, event_id: str) -> StoredClip:
    members = tuple(
        Sample(member.md5, member.print_key, member.hash_version, member.verified) for member in holding.members
    )
    strangers = (member.md5 for member in holding.members if member.print_key and member.home != event_id)
    return StoredClip(holding.clip_id, holding.md5, members, tuple(strangers))


def _others(event: Mapping[str, Any]) -> Iterator[OtherClip]:
    time = event.get("time") or {}
    minute = (time.get("elapsed") or 0) + (time.get("extra") or 0)
    for record in () if event.get("_removed") else event.get("_s3_videos") or ():
        for member in holding_of(record).members:
            yield OtherClip(
                event["_event_id"],
                record["clip_id"],
                member.md5,
                member.verified,
                minute,
                # The file that stands speaks for its recording; all of them would be too many to compare with.
                member.print_key if member.md5 == record["md5"] else "",
                member.hash_version,
            )
