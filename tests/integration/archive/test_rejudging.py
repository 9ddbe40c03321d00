"""Clips of a goal are judged again when the feed lists another goal of the match."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.messages import SaveClips, UploadedClip
from found_footy.archive.proof_store import ProofStore
from found_footy.archive.store import ArchiveStore
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import TRASH_PREFIX, link_field_name
from found_footy.domain.messages import Goal, OtherGoal
from found_footy.domain.outcomes import TimestampStatus
from found_footy.domain.scores import Score
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.vision.expectation import ProofRules
from tests.support.archive.judged_goals import DOWNLOAD_ID, judged_event, match_of, readings_of, stored_clip
from tests.support.pipeline.batches import make_clip
from tests.support.pipeline.goals import event_of, make_goal

MD5, OTHER = "a" * 32, "b" * 32


def make_goals() -> tuple[Goal, Goal]:
    first = replace(make_goal(1), elapsed=116, score_before=Score(1, 1), score_after=Score(2, 1))
    second = make_goal(2, first.fixture_id)
    return first, replace(second, elapsed=117, score_before=Score(2, 1), score_after=Score(3, 1))


async def store_match(database: Database, *events: dict[str, Any]) -> None:
    await database[FixtureCollection.ACTIVE].insert_one(match_of(*events))


async def verified_clips(database: Database, goal: Goal) -> list[bool]:
    return [clip["timestamp_verified"] for clip in (await event_of(database, goal))["_s3_videos"]]


@pytest.fixture
def activities(database: Database, objects: ObjectStore) -> ArchiveActivities:
    return ArchiveActivities(ArchiveStore(database, objects.bucket), objects)


async def test_a_clip_that_fits_both_goals_is_verified_for_neither(
    database: Database, activities: ArchiveActivities
) -> None:
    first, second = make_goals()
    clip, readings = stored_clip(MD5), {MD5: readings_of("2–1", "2–1")}
    await store_match(database, judged_event(first, [clip], readings), judged_event(second, [clip], readings))
    await asyncio.gather(*(activities.rejudge_match_clips(goal) for goal in (first, second, first)))
    assert [await verified_clips(database, goal) for goal in (first, second)] == [[False], [False]]


async def test_a_withdrawn_clip_leaves_its_outcome_and_its_file_goes_to_the_trash(
    database: Database, activities: ArchiveActivities, objects: ObjectStore
) -> None:
    first, second = make_goals()
    key = f"{first.fixture_id}/{first.event_id}/{MD5}.mp4"
    await objects.put_bytes(key, b"clip", content_type="video/mp4")
    clips = [stored_clip(MD5, _s3_key=key), stored_clip(OTHER, rank=2)]
    readings = {MD5: readings_of("3–1", "3–1"), OTHER: readings_of("1–1", "2–1")}
    await store_match(database, judged_event(first, clips, readings), judged_event(second, [], {}))
    assert await activities.rejudge_match_clips(second)
    event = await event_of(database, first)
    assert [(clip["md5"], clip["rank"]) for clip in event["_s3_videos"]] == [(OTHER, 1)]
    note = event["_telemetry"]["attempts"][DOWNLOAD_ID]["clips"][link_field_name(f"https://x.com/{MD5}")]
    assert (note["outcome"], note["retry"]) == ("wrong_goal", "never")
    assert await objects.head(key) is None
    assert await objects.head(f"{TRASH_PREFIX}{key}") is not None
    assert not await activities.rejudge_match_clips(second)


async def test_a_clip_that_was_checked_before_the_other_goal_was_known_is_judged_when_it_is_saved(
    database: Database, activities: ArchiveActivities
) -> None:
    first, second = make_goals()
    clip = make_clip(first, 1, MD5, TimestampStatus.VERIFIED)
    event = judged_event(first, [], {clip.md5: readings_of("2–1", "2–1")})
    await store_match(database, event, judged_event(second, [], {}))
    uploaded = (UploadedClip(clip, "", "", first.first_seen),)
    saved = SaveClips(first, DOWNLOAD_ID, (replace(uploaded[0], key=f"{clip.md5}.mp4"),))
    await activities._store.save_clips(saved)
    assert await verified_clips(database, first) == [True]
    proof_store = ProofStore(database, ProofRules())
    assert await proof_store.is_outdated(first)
    known = replace(first, other_goals=(OtherGoal(117, None, Score(2, 1), Score(3, 1)),))
    assert not await proof_store.is_outdated(known)
    await activities.save_video_objects(saved)
    assert await verified_clips(database, first) == [False]


async def test_a_list_that_changes_meanwhile_is_judged_as_it_is_then(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_goals()
    readings = {MD5: readings_of("2–1", "2–1")}
    await store_match(database, judged_event(first, [stored_clip(MD5)], readings), judged_event(second, [], {}))
    store, fixtures = ProofStore(database, ProofRules()), database[FixtureCollection.ACTIVE]
    write, sizes = store._write, iter([1001, 1002])

    async def interfere(*args: Any) -> bool:
        if (size := next(sizes, None)) is not None:
            await fixtures.update_one({"_id": first.fixture_id}, {"$set": {"events.0._s3_videos.0.file_size": size}})
        return await write(*args)

    monkeypatch.setattr(store, "_write", interfere)
    await store.rejudge_match(first.fixture_id)
    [clip] = (await event_of(database, first))["_s3_videos"]
    assert (clip["timestamp_verified"], clip["file_size"]) == (False, 1002)


async def test_a_list_that_never_stands_still_is_judged_later(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_goals()
    readings = {MD5: readings_of("2–1", "2–1")}
    await store_match(database, judged_event(first, [stored_clip(MD5)], readings), judged_event(second, [], {}))
    store = ProofStore(database, ProofRules())

    async def refuse(*_: Any) -> bool:
        return False

    monkeypatch.setattr(store, "_write", refuse)
    with pytest.raises(Unavailable):
        await store.rejudge_match(first.fixture_id)


async def test_a_match_that_is_gone_has_nothing_to_judge(database: Database, activities: ArchiveActivities) -> None:
    assert not await activities.rejudge_match_clips(make_goal())
    assert not await ProofStore(database, ProofRules()).is_outdated(make_goal())
