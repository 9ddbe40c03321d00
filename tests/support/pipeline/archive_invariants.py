"""What must be true of every archive at every quiet moment, whatever has happened before."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import combinations

from found_footy.archive.dedup.copies import parse_recording
from found_footy.archive.moderation.model import parse_moderation
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import TRASH_PREFIX
from found_footy.fingerprint import Fingerprint, compare_fingerprints
from found_footy.platform.mongo import Database, Document
from found_footy.platform.objects import ObjectInfo, ObjectStore

_PARTS = ("events", "removed_events")
_KEY_FIELDS = ("_s3_key", "thumbnail_key", "preview_key", "fingerprint_key")
_LARGEST = 1024 * 1024
# What people sent away, what was looked at, what is on its way and what has lost are looked after elsewhere.
_NOT_CLIPS = ("scratch/", "blocklist/", TRASH_PREFIX)
_BESIDE_CLIPS = ("/evidence/", "/wrong/")


@dataclass(frozen=True)
class Goal:
    event: Document
    removed: bool

    @property
    def clips(self) -> list[Document]:
        return self.event.get("_s3_videos") or []


async def assert_records_are_sound(database: Database) -> None:
    goals = [goal async for goal in _goals(database)]
    for goal in goals:
        _assert_ranked(goal.clips)
        _assert_apart(goal.clips)
        for clip in goal.clips:
            _assert_counted(clip)
    await _assert_redirects_lead_somewhere(database, goals)


async def assert_archive_is_sound(database: Database, objects: ObjectStore) -> None:
    """Records, and between them and the objects: nothing missing, nothing changed, nothing left over, nothing twice."""
    await assert_records_are_sound(database)
    goals = [goal async for goal in _goals(database)]
    stored = {info.key: info async for info in objects.list()}
    for goal in goals:
        for clip in goal.clips:
            _assert_has_its_objects(clip, stored)
        await _assert_each_recording_once(goal, objects)
    _assert_nothing_untracked(goals, stored)


async def _goals(database: Database) -> AsyncIterator[Goal]:
    for collection in (FixtureCollection.ACTIVE, FixtureCollection.COMPLETED):
        async for fixture in database[collection].find():
            for part in _PARTS:
                for event in fixture.get(part) or ():
                    yield Goal(event, removed=part == "removed_events")


def _assert_ranked(clips: list[Document]) -> None:
    assert [clip["rank"] for clip in clips] == list(range(1, len(clips) + 1)), "ranks have gaps"
    order = [
        (not c.get("pinned"), not c["timestamp_verified"], -c["popularity"], -c["file_size"], c["md5"]) for c in clips
    ]
    assert order == sorted(order), "clips are not in their order"


def _assert_apart(clips: list[Document]) -> None:
    ids = [clip["clip_id"] for clip in clips]
    files = [md5 for clip in clips for md5 in clip.get("_md5s") or [clip["md5"]]]
    assert len(ids) == len(set(ids)), "two clips have one id"
    assert len(files) == len(set(files)), "one file belongs to two clips"


def _assert_counted(clip: Document) -> None:
    sources = clip["_sources"]
    assert len(sources) == len(set(sources)), "a source is counted twice"
    assert clip["popularity"] == len(sources), "popularity is not the number of sources"
    members = parse_recording(clip).copies
    assert {source for member in members for source in member.sources} == set(sources)
    assert clip["timestamp_status"] != "rejected", "a clip of another minute is shown"
    assert clip["timestamp_verified"] or clip.get("pinned") or not any(member.verified for member in members), (
        "a verified clip lost to an unverified one"
    )


async def _assert_redirects_lead_somewhere(database: Database, goals: list[Goal]) -> None:
    redirects = {row["_id"]: row["to"] async for row in database.clip_redirects.find()}
    refused = {row["clip_id"] for goal in goals for row in (goal.event.get("_judgements") or {}).get("refused") or ()}
    known = {clip["clip_id"] for goal in goals for clip in goal.clips} | refused
    for start in redirects:
        at, steps = start, 0
        while at not in known and at in redirects and steps <= len(redirects):
            at, steps = redirects[at], steps + 1
        assert at in known, f"clip {start} leads nowhere"


def _assert_has_its_objects(clip: Document, stored: dict[str, ObjectInfo]) -> None:
    file = stored.get(clip["_s3_key"])
    assert file is not None, f"{clip['_s3_key']} is missing"
    assert (file.size, file.etag) == (clip["file_size"], clip["md5"]), f"{file.key} is not what it was"
    beside = [clip.get("thumbnail_key"), clip.get("preview_key"), clip.get("fingerprint_key")]
    beside += [member.fingerprint_key for member in parse_recording(clip).copies]
    missing = [key for key in beside if key and key not in stored]
    assert not missing, f"{missing} are missing"


async def _assert_each_recording_once(goal: Goal, objects: ObjectStore) -> None:
    """Verified or not: a copy of a clip is no second clip, unless a person pinned it or keeps the two apart."""
    clips, word = goal.clips, parse_moderation(goal.event)
    prints = {
        clip["clip_id"]: Fingerprint.from_bytes(await objects.get_bytes(clip["fingerprint_key"], limit=_LARGEST))
        for clip in clips
        if clip.get("fingerprint_key")
    }
    for one, other in combinations([clip for clip in clips if clip["clip_id"] in prints], 2):
        wanted = one.get("pinned") or other.get("pinned") or word.are_kept_apart(_names(one), _names(other))
        if not wanted:
            assert not compare_fingerprints(prints[one["clip_id"]], prints[other["clip_id"]]).matched, (
                "one recording is kept twice"
            )


def _names(clip: Document) -> list[str]:
    return [clip["clip_id"], *(clip.get("_md5s") or [clip["md5"]])]


def _assert_nothing_untracked(goals: list[Goal], stored: dict[str, ObjectInfo]) -> None:
    """A removed goal may have left a copy behind that was never recorded; the sweep takes it."""
    named = {clip.get(name) for goal in goals for clip in goal.clips for name in _KEY_FIELDS}
    named |= {
        member.fingerprint_key for goal in goals for clip in goal.clips for member in parse_recording(clip).copies
    }
    removed = tuple(
        f"{goal.event['_event_id'].split('_')[0]}/{goal.event['_event_id']}/" for goal in goals if goal.removed
    )
    left_over = [
        key
        for key in stored.keys() - named
        if not key.startswith((*_NOT_CLIPS, *removed)) and not any(part in key for part in _BESIDE_CLIPS)
    ]
    assert not left_over, f"nothing refers to {sorted(left_over)}"
