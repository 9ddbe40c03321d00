"""What must be true of every archive at every quiet moment, whatever has happened before. Finds what is not."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from found_footy.archive.dedup.copies import parse_recording
from found_footy.archive.moderation.model import parse_moderation
from found_footy.domain.clip_files import list_named_keys
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import TRASH_PREFIX
from found_footy.fingerprint import Fingerprint, compare_fingerprints
from found_footy.platform.mongo import Database, Document
from found_footy.platform.objects import ObjectInfo, ObjectStore

_EVENT_LISTS = ("events", "removed_events")
_MAX_FINGERPRINT_BYTES = 1024 * 1024
# What people sent away, what was checked, what is in progress and what has lost are looked after elsewhere.
_OTHER_PREFIXES = ("scratch/", "blocklist/", TRASH_PREFIX)
_BESIDE_CLIPS = ("/evidence/", "/wrong/")


@dataclass(frozen=True)
class StoredGoal:
    event: Document
    removed: bool

    @property
    def event_id(self) -> str:
        return str(self.event["_event_id"])

    @property
    def clips(self) -> list[Document]:
        return self.event.get("_s3_videos") or []


async def find_record_faults(database: Database) -> list[str]:
    """Faults of the records alone: ranks, counts, ids and redirects."""
    goals = [goal async for goal in _iter_goals(database)]
    faults = [f"{goal.event_id}: {fault}" for goal in goals for fault in _find_clip_faults(goal.clips)]
    return faults + await _find_redirect_faults(database, goals)


async def find_archive_faults(database: Database, objects: ObjectStore, *, with_leftovers: bool = True) -> list[str]:
    """Faults of the records, and between them and the objects: something missing, changed, there twice or, with
    `with_leftovers`, left over. A process that was killed may leave an object that nothing refers to; the sweep takes
    it.
    """
    faults = await find_record_faults(database)
    goals = [goal async for goal in _iter_goals(database)]
    stored = {info.key: info async for info in objects.list()}
    for goal in goals:
        for clip in goal.clips:
            faults += [f"{goal.event_id}: {fault}" for fault in _find_object_faults(clip, stored)]
        faults += [f"{goal.event_id}: {fault}" for fault in await _find_recordings_kept_twice(goal, objects, stored)]
    return faults + (_find_leftovers(goals, stored) if with_leftovers else [])


async def _iter_goals(database: Database) -> AsyncIterator[StoredGoal]:
    for collection in (FixtureCollection.ACTIVE, FixtureCollection.COMPLETED):
        async for fixture in database[collection].find():
            for name in _EVENT_LISTS:
                for event in fixture.get(name) or ():
                    yield StoredGoal(event, removed=name == "removed_events")


def _find_clip_faults(clips: Sequence[Document]) -> Iterator[str]:
    if [clip["rank"] for clip in clips] != list(range(1, len(clips) + 1)):
        yield "ranks have gaps"
    order = [_order_of(clip) for clip in clips]
    if order != sorted(order):
        yield "clips are not in their order"
    if len({clip["clip_id"] for clip in clips}) != len(clips):
        yield "two clips have one id"
    files = [md5 for clip in clips for md5 in clip.get("_md5s") or [clip["md5"]]]
    if len(files) != len(set(files)):
        yield "one file belongs to two clips"
    for clip in clips:
        yield from _find_count_faults(clip)


def _order_of(clip: Document) -> tuple[Any, ...]:
    """What posts say orders only the clips that are not verified."""
    is_verified = clip["timestamp_verified"]
    said = (True, 0) if is_verified else (not clip.get("title_confirmed"), clip.get("post_doubts") or 0)
    return (not clip.get("pinned"), not is_verified, *said, -clip["popularity"], -clip["file_size"], clip["md5"])


def _find_count_faults(clip: Document) -> Iterator[str]:
    sources, copies = clip["_sources"], parse_recording(clip).copies
    if len(sources) != len(set(sources)):
        yield f"a source of clip {clip['clip_id']} is counted twice"
    if clip["popularity"] != len(sources):
        yield f"the popularity of clip {clip['clip_id']} is not the number of its sources"
    if {source for copy in copies for source in copy.sources} != set(sources):
        yield f"the copies of clip {clip['clip_id']} have other sources than it"
    if clip["timestamp_status"] == "rejected":
        yield f"clip {clip['clip_id']} was rejected and is shown"
    if not clip["timestamp_verified"] and not clip.get("pinned") and any(copy.verified for copy in copies):
        yield f"a verified copy lost to the unverified clip {clip['clip_id']}"


async def _find_redirect_faults(database: Database, goals: Sequence[StoredGoal]) -> list[str]:
    redirects = {row["_id"]: row["to"] async for row in database.clip_redirects.find()}
    refused = {row["clip_id"] for goal in goals for row in (goal.event.get("_judgements") or {}).get("refused") or ()}
    known = {clip["clip_id"] for goal in goals for clip in goal.clips} | refused
    faults = []
    for start in redirects:
        at, steps = start, 0
        while at not in known and at in redirects and steps <= len(redirects):
            at, steps = redirects[at], steps + 1
        faults += [] if at in known else [f"the redirect of clip {start} leads nowhere"]
    return faults


def _find_object_faults(clip: Document, stored: dict[str, ObjectInfo]) -> Iterator[str]:
    file = stored.get(clip["_s3_key"])
    if file is None:
        yield f"{clip['_s3_key']} is missing"
    elif (file.size, file.etag) != (clip["file_size"], clip["md5"]):
        yield f"{file.key} is not what it was"
    beside = list_named_keys(clip) - {clip["_s3_key"]}
    yield from (f"{key} is missing" for key in sorted(beside - stored.keys()))


async def _find_recordings_kept_twice(
    goal: StoredGoal, objects: ObjectStore, stored: dict[str, ObjectInfo]
) -> list[str]:
    """Verified or not: a copy of a clip is no second clip, unless a person pinned it or keeps the two apart."""
    moderation = parse_moderation(goal.event)
    prints = {
        clip["clip_id"]: Fingerprint.from_bytes(
            await objects.get_bytes(clip["fingerprint_key"], limit=_MAX_FINGERPRINT_BYTES)
        )
        for clip in goal.clips
        if clip.get("fingerprint_key") in stored
    }
    faults = []
    for one, other in combinations([clip for clip in goal.clips if clip["clip_id"] in prints], 2):
        apart = moderation.are_kept_apart(_list_names(one), _list_names(other))
        wanted = one.get("pinned") or other.get("pinned") or apart
        if not wanted and compare_fingerprints(prints[one["clip_id"]], prints[other["clip_id"]]).matched:
            faults.append(f"the clips {one['clip_id']} and {other['clip_id']} are one recording")
    return faults


def _list_names(clip: Document) -> list[str]:
    return [clip["clip_id"], *(clip.get("_md5s") or [clip["md5"]])]


def _find_leftovers(goals: Sequence[StoredGoal], stored: dict[str, ObjectInfo]) -> list[str]:
    """A removed goal may have left a copy behind that was never recorded; the sweep takes it."""
    named = {key for goal in goals for clip in goal.clips for key in list_named_keys(clip)}
    removed = tuple(f"{goal.event_id.split('_')[0]}/{goal.event_id}/" for goal in goals if goal.removed)
    return [
        f"nothing refers to {key}"
        for key in sorted(stored.keys() - named)
        if not key.startswith((*_OTHER_PREFIXES, *removed)) and not any(part in key for part in _BESIDE_CLIPS)
    ]
