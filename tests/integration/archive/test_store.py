"""What is written to a goal is decided and written in one operation."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from found_footy.archive.dedup.decide import plan_by_md5
from found_footy.archive.dedup.records import make_clip_id
from found_footy.archive.maintenance.store import IntegrityStore
from found_footy.archive.messages import ExtraSource, SaveClips, UploadedClip
from found_footy.archive.moderation import store as moderation_store
from found_footy.archive.store import ArchiveStore
from found_footy.domain.collections import CLIP_REDIRECTS, FixtureCollection
from found_footy.domain.messages import ClipBatch, Goal, PipelinePace, TaskQueues
from found_footy.domain.outcomes import TimestampStatus
from found_footy.platform.mongo import Database, ensure_indexes
from tests.support.pipeline.batches import make_batch, make_clip
from tests.support.pipeline.goals import complete_fixture, event_of, make_goal, make_pace, remove_goal, store_goals

pytestmark = pytest.mark.usefixtures("sound_records")

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)


@pytest.fixture
def store(database: Database) -> ArchiveStore:
    return ArchiveStore(database, "footy")


@pytest.fixture
def pace() -> PipelinePace:
    return make_pace(TaskQueues())


async def saved(store: ArchiveStore, batch: ClipBatch) -> bool:
    """What the workflow does with a batch, without the objects."""
    plan = plan_by_md5(batch.clips, (await store.load_summary(batch.goal)).clips)
    uploaded = tuple(UploadedClip(clip, f"{clip.md5}.mp4", f"{clip.md5}.jpg", NOW) for clip in plan.uploads)
    return await store.save_clips(SaveClips(batch.goal, batch.download_id, uploaded, plan.extra_sources))


async def ranked(database: Database, goal: Goal) -> list[tuple[int, int, str]]:
    clips = (await event_of(database, goal))["_s3_videos"]
    return [(clip["rank"], clip["popularity"], clip["md5"]) for clip in clips]


async def test_ranks_prefer_verified_then_popular_then_large(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await store_goals(database, goal)
    # The higher the number, the larger the file: the popular clip is the smallest.
    small, large = make_clip(goal, 2, "a"), make_clip(goal, 3, "b")
    popular, verified = make_clip(goal, 1, "c"), make_clip(goal, 4, "d", TimestampStatus.VERIFIED)
    await saved(store, make_batch(goal, pace, 1, [small, large, popular, verified]))
    await saved(store, make_batch(goal, pace, 2, [make_clip(goal, 1, "e")]))
    assert await ranked(database, goal) == [
        (1, 1, verified.md5),
        (2, 2, popular.md5),
        (3, 1, large.md5),
        (4, 1, small.md5),
    ]


async def test_a_clip_that_is_stored_separately_again_redirects_to_no_other(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await store_goals(database, goal)
    await saved(store, make_batch(goal, pace, 1, [make_clip(goal, 1, "a")]))
    [winner] = (await event_of(database, goal))["_s3_videos"]
    clip = make_clip(goal, 2, "b")
    again, still = make_clip_id(goal.event_id, clip.md5), "older"
    await database[CLIP_REDIRECTS].insert_many({"_id": name, "to": winner["clip_id"]} for name in (again, still))
    await saved(store, make_batch(goal, pace, 2, [clip]))
    assert again in {record["clip_id"] for record in (await event_of(database, goal))["_s3_videos"]}
    assert await database[CLIP_REDIRECTS].distinct("_id") == [still]


async def test_a_batch_saved_again_changes_nothing(database: Database, store: ArchiveStore, pace: PipelinePace) -> None:
    goal = make_goal()
    await store_goals(database, goal)
    batch = make_batch(goal, pace, 1, [make_clip(goal, 1, "a"), make_clip(goal, 1, "b"), make_clip(goal, 2, "c")])
    plan = plan_by_md5(batch.clips, ())
    uploaded = tuple(UploadedClip(clip, f"{clip.md5}.mp4", "", NOW) for clip in plan.uploads)
    message = SaveClips(goal, batch.download_id, uploaded, plan.extra_sources)
    await store.save_clips(message)
    first = await event_of(database, goal)
    await asyncio.gather(*(store.save_clips(message) for _ in range(3)))
    assert await event_of(database, goal) == first
    assert sorted(popularity for _, popularity, _ in await ranked(database, goal)) == [1, 2]


async def test_a_batch_that_finds_its_own_clips_does_not_call_them_duplicates(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await store_goals(database, goal)
    batch = make_batch(goal, pace, 1, [make_clip(goal, 1, "a"), make_clip(goal, 1, "b")])
    await saved(store, batch)
    first = await event_of(database, goal)
    await saved(store, batch)
    assert await event_of(database, goal) == first
    clips = first["_telemetry"]["attempts"][batch.download_id]["clips"].values()
    assert {clip["url"][-1]: clip["outcome"] for clip in clips} == {"a": "uploaded", "b": "duplicate"}


async def test_fifty_links_stored_at_once_make_one_clip_of_popularity_fifty(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await store_goals(database, goal)
    batches = [
        make_batch(goal, pace, number, [make_clip(goal, 1, f"fan{number}-{place}") for place in range(10)])
        for number in range(5)
    ]
    await asyncio.gather(*(saved(store, batch) for batch in batches))
    assert [popularity for _, popularity, _ in await ranked(database, goal)] == [50]


async def test_a_link_that_looks_like_an_expression_is_taken_literally(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await store_goals(database, goal)
    await store.save_clips(SaveClips(goal, "download1-x", (), (ExtraSource("$md5", "$$ROOT"),)))
    clip = UploadedClip(make_clip(goal, 1, "a"), "$_id.mp4", "$$ROOT", NOW)
    await store.save_clips(SaveClips(goal, "download1-x", (clip,), (ExtraSource(clip.clip.md5, "$$ROOT"),)))
    [stored] = (await event_of(database, goal))["_s3_videos"]
    assert (stored["_s3_key"], stored["thumbnail_key"]) == ("$_id.mp4", "$$ROOT")
    assert set(stored["_sources"]) == {"https://x.com/a", "$$ROOT"}


async def test_another_goal_of_the_fixture_is_left_alone(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    other = make_goal(2, goal.fixture_id)
    await store_goals(database, goal, other)
    before = await event_of(database, other)
    await saved(store, make_batch(goal, pace, 1, [make_clip(goal, 1, "a")]))
    await store.record_delivery(make_batch(goal, pace, 1), NOW)
    assert await event_of(database, other) == before


async def test_a_removed_goal_stores_no_more_clips(database: Database, store: ArchiveStore, pace: PipelinePace) -> None:
    goal = make_goal()
    await store_goals(database, goal)
    await remove_goal(database, goal)
    assert not (await store.load_summary(goal)).exists
    assert not await saved(store, make_batch(goal, pace, 1, [make_clip(goal, 1, "a")]))
    assert not await store.record_delivery(make_batch(goal, pace, 1), NOW)


async def test_a_goal_of_a_finished_fixture_stores_late_clips_and_keeps_its_own(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await store_goals(database, goal, _download_complete=True, _completion_reason="delivered")
    await saved(store, make_batch(goal, pace, 1, [make_clip(goal, 1, "a")]))
    await complete_fixture(database, goal)
    assert await saved(store, make_batch(goal, pace, 2, [make_clip(goal, 2, "b")]))
    assert await store.record_delivery(make_batch(goal, pace, 2), NOW)
    event = await event_of(database, goal, FixtureCollection.COMPLETED)
    assert len(event["_s3_videos"]) == 2
    assert (event["_completion_reason"], event["_delivered_workflows"]) == (
        "delivered",
        [make_batch(goal, pace, 2).download_id],
    )
    assert await database[FixtureCollection.ACTIVE].find_one() is None


async def test_a_goal_with_open_links_keeps_its_scratch(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await store_goals(database, goal, _download_complete=True, _open_links=["https://x.com/1"])
    assert not await store.record_delivery(make_batch(goal, pace, 1), NOW)
    assert await IntegrityStore(database).is_scratch_needed(goal.event_id)
    await complete_fixture(database, goal)
    assert await IntegrityStore(database).is_scratch_needed(goal.event_id)
    await database[FixtureCollection.COMPLETED].update_one({}, {"$set": {"events.0._open_links": []}})
    assert await store.record_delivery(make_batch(goal, pace, 1), NOW)
    assert not await IntegrityStore(database).is_scratch_needed(goal.event_id)


COMPLETION: list[tuple[dict[str, Any], bool, str | None]] = [
    ({"registered": 2, "delivered": 2}, False, None),
    ({"registered": 3, "delivered": 2}, False, None),
    ({"registered": 3, "delivered": 3}, True, "delivered"),
    ({"registered": 4, "delivered": 4}, True, "delivered"),
    ({"registered": 2, "delivered": 2, "state": "exhausted"}, True, "attempts_exhausted"),
    ({"registered": 2, "delivered": 1, "state": "exhausted"}, False, None),
    ({"registered": 0, "delivered": 0, "state": "exhausted"}, True, "attempts_exhausted"),
    ({"registered": 2, "delivered": 2, "state": "session_expired"}, False, None),
]


@pytest.mark.parametrize(("sets", "complete", "reason"), COMPLETION)
async def test_completion_is_derived_from_the_sets_of_downloads(
    database: Database,
    store: ArchiveStore,
    pace: PipelinePace,
    sets: dict[str, Any],
    complete: bool,
    reason: str | None,
) -> None:
    goal = make_goal()
    fields = {
        "_download_workflows": [f"download{n}" for n in range(sets["registered"])],
        "_delivered_workflows": [f"download{n}" for n in range(sets["delivered"])],
        "_search_state": {"state": sets.get("state", "searching")},
    }
    await store_goals(database, goal, **fields)
    assert await store.record_delivery(ClipBatch(goal, pace, download_id=""), NOW) is complete
    event = await event_of(database, goal)
    assert (event["_download_complete"], event["_completion_reason"]) == (complete, reason)
    assert event["_download_completed_at"] == (NOW if complete else None)


async def test_a_clip_added_by_hand_is_delivered_but_is_no_attempt(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    names = ["download1-x", "download2-x", "extra1234-x"]
    await store_goals(database, goal, _download_workflows=names, _delivered_workflows=names)
    assert not await store.record_delivery(ClipBatch(goal, pace, download_id=""), NOW)


async def test_the_last_delivery_completes_the_goal_and_later_checks_keep_its_time(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    batches = [make_batch(goal, pace, number) for number in (1, 2, 3)]
    await store_goals(database, goal, _download_workflows=[batch.download_id for batch in batches])
    assert [await store.record_delivery(batch, NOW) for batch in batches] == [False, False, True]
    assert await store.record_delivery(batches[0], NOW.replace(hour=23))
    assert (await event_of(database, goal))["_download_completed_at"] == NOW


async def test_while_a_download_added_by_hand_runs_the_goal_is_not_complete(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    names = ["download1-x", "download2-x", "download3-x"]
    registered = [*names, "extra1234-x"]
    await store_goals(
        database, goal, _download_workflows=registered, _delivered_workflows=names, _download_complete=True
    )
    assert not await store.record_delivery(ClipBatch(goal, pace, download_id=""), NOW)
    assert await store.record_delivery(ClipBatch(goal, pace, download_id="extra1234-x"), NOW)


async def test_a_goal_completed_by_its_deadline_keeps_that_reason(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await store_goals(database, goal, _download_complete=True, _completion_reason="deadline")
    assert await store.record_delivery(make_batch(goal, pace, 1), NOW)
    event = await event_of(database, goal)
    assert event["_completion_reason"] == "deadline"
    assert len(event["_delivered_workflows"]) == 1


async def test_a_goal_without_any_of_the_fields_can_be_read(
    database: Database, store: ArchiveStore, pace: PipelinePace
) -> None:
    goal = make_goal()
    await database[FixtureCollection.ACTIVE].insert_one(
        {"_id": goal.fixture_id, "events": [{"_event_id": goal.event_id}]}
    )
    assert await saved(store, make_batch(goal, pace, 1, [make_clip(goal, 1, "a")]))
    assert not await store.record_delivery(make_batch(goal, pace, 1), NOW)
    assert len((await event_of(database, goal))["_s3_videos"]) == 1


async def test_addresses_that_redirect_to_a_clip_are_found_by_an_index(database: Database) -> None:
    await ensure_indexes(database, moderation_store.INDEXES)
    plan = await database.command("explain", {"find": CLIP_REDIRECTS, "filter": {"to": "a"}})
    assert plan["queryPlanner"]["winningPlan"]["inputStage"]["stage"] == "IXSCAN"
