"""A worker that stands still between looking and deleting, while others go on."""

from dataclasses import replace
from typing import Any, cast

import pytest

from found_footy.archive.activities import ArchiveActivities
from found_footy.archive.messages import ReplaceObjects
from found_footy.archive.store import ArchiveStore
from found_footy.domain.ids import TRASH_PREFIX
from found_footy.domain.messages import Goal
from found_footy.platform.mongo import Document
from found_footy.platform.objects import ObjectStore
from tests.support.pipeline.batches import make_batch
from tests.support.pipeline.deliveries import archived, register_goal
from tests.support.pipeline.goals import event_of, make_pace
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import PipelineServices, running_worker


class Frozen:
    """A store whose caller stands still before it deletes, until the goal's clips are others."""

    def __init__(self, pipeline: PipelineServices, goal: Goal, clips: list[Document]) -> None:
        self._house = pipeline
        self._goal = goal
        self._clips = clips

    def __getattr__(self, name: str) -> Any:
        return getattr(self._house.objects, name)

    async def delete(self, key: str) -> None:
        fixtures = self._house.database.fixtures_active
        await fixtures.update_one({"_id": self._goal.fixture_id}, {"$set": {"events.0._s3_videos": self._clips}})
        await self._house.objects.delete(key)


async def test_a_file_that_is_stored_again_before_it_is_deleted_stays(pipeline: PipelineServices) -> None:
    goal = await register_goal(pipeline)
    await put_copies(pipeline.objects, goal, copy_of(1))
    async with running_worker(pipeline):
        event = await archived(pipeline, make_batch(goal, make_pace(pipeline.queues), 1, [copy_of(1).found(goal, "a")]))
    [clip] = event["_s3_videos"]
    fixtures = pipeline.database.fixtures_active
    await fixtures.update_one({"_id": goal.fixture_id}, {"$set": {"events.0._s3_videos": []}})
    store = ArchiveStore(pipeline.database, pipeline.objects.bucket)
    late = ArchiveActivities(store, cast(ObjectStore, Frozen(pipeline, goal, [clip])))
    await late.replace_s3_video(ReplaceObjects(goal, (clip["_s3_key"], clip["thumbnail_key"])))
    assert (await event_of(pipeline.database, goal))["_s3_videos"] == [clip]
    for key in (clip["_s3_key"], clip["thumbnail_key"]):
        assert await pipeline.objects.head(key) is not None


@pytest.mark.parametrize("in_trash", [True, False], ids=["from the trash", "from the scratch area"])
async def test_an_object_that_is_recorded_after_it_was_moved_to_the_trash_is_restored(
    pipeline: PipelineServices, in_trash: bool
) -> None:
    goal = await register_goal(pipeline)
    pace = make_pace(pipeline.queues)
    await put_copies(pipeline.objects, goal, copy_of(1))
    find = copy_of(1).found(goal, "a")
    async with running_worker(pipeline):
        event = await archived(pipeline, make_batch(goal, pace, 1, [find]))
    [clip] = event["_s3_videos"]
    key = clip["_s3_key"]
    if in_trash:
        await pipeline.objects.copy(key, TRASH_PREFIX + key)

    class MovedAway(ArchiveStore):
        async def save_clips(self, saved: Any) -> bool:
            """The record names the file; a moment before, a late replacement took it away."""
            await pipeline.objects.delete(key)
            return await super().save_clips(saved)

    await put_copies(pipeline.objects, goal, copy_of(1))
    await pipeline.database.fixtures_active.update_one({"_id": goal.fixture_id}, {"$set": {"events.0._s3_videos": []}})
    store = MovedAway(pipeline.database, pipeline.objects.bucket)
    served = ArchiveActivities(store, pipeline.objects)
    async with running_worker(replace(pipeline, archive=served)):
        event = await archived(pipeline, make_batch(goal, pace, 2, [find]))
    [clip] = event["_s3_videos"]
    assert await pipeline.objects.head(clip["_s3_key"]) is not None
