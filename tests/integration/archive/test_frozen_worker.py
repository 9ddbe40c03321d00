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
from tests.support.pipeline.batches import a_batch
from tests.support.pipeline.deliveries import a_registered_goal, archived
from tests.support.pipeline.goals import a_pace, event_of
from tests.support.pipeline.recordings import copy_of, put_copies
from tests.support.pipeline.services import House, at_work


class Frozen:
    """A store whose caller stands still before it deletes, until the goal's clips are others."""

    def __init__(self, house: House, goal: Goal, clips: list[Document]) -> None:
        self._house = house
        self._goal = goal
        self._clips = clips

    def __getattr__(self, name: str) -> Any:
        return getattr(self._house.objects, name)

    async def delete(self, key: str) -> None:
        fixtures = self._house.database.fixtures_active
        await fixtures.update_one({"_id": self._goal.fixture_id}, {"$set": {"events.0._s3_videos": self._clips}})
        await self._house.objects.delete(key)


async def test_a_file_that_stands_again_by_the_time_it_is_deleted_stays(house: House) -> None:
    goal = await a_registered_goal(house)
    await put_copies(house.objects, goal, copy_of(1))
    async with at_work(house):
        event = await archived(house, a_batch(goal, a_pace(house.queues), 1, [copy_of(1).found(goal, "a")]))
    [clip] = event["_s3_videos"]
    fixtures = house.database.fixtures_active
    await fixtures.update_one({"_id": goal.fixture_id}, {"$set": {"events.0._s3_videos": []}})
    store = ArchiveStore(house.database, house.objects.bucket)
    late = ArchiveActivities(store, cast(ObjectStore, Frozen(house, goal, [clip])))
    await late.replace_s3_video(ReplaceObjects(goal, (clip["_s3_key"], clip["thumbnail_key"])))
    assert (await event_of(house.database, goal))["_s3_videos"] == [clip]
    for key in (clip["_s3_key"], clip["thumbnail_key"]):
        assert await house.objects.head(key) is not None


@pytest.mark.parametrize("in_trash", [True, False], ids=["from the trash", "from the scratch area"])
async def test_what_is_recorded_after_it_was_moved_away_is_brought_back(house: House, in_trash: bool) -> None:
    goal = await a_registered_goal(house)
    pace = a_pace(house.queues)
    await put_copies(house.objects, goal, copy_of(1))
    find = copy_of(1).found(goal, "a")
    async with at_work(house):
        event = await archived(house, a_batch(goal, pace, 1, [find]))
    [clip] = event["_s3_videos"]
    key = clip["_s3_key"]
    if in_trash:
        await house.objects.copy(key, TRASH_PREFIX + key)

    class MovedAway(ArchiveStore):
        async def save_clips(self, saved: Any) -> bool:
            """The record names the file; a moment before, a late replacement took it away."""
            await house.objects.delete(key)
            return await super().save_clips(saved)

    await put_copies(house.objects, goal, copy_of(1))
    await house.database.fixtures_active.update_one({"_id": goal.fixture_id}, {"$set": {"events.0._s3_videos": []}})
    store = MovedAway(house.database, house.objects.bucket)
    served = ArchiveActivities(store, house.objects)
    async with at_work(replace(house, archive=served)):
        event = await archived(house, a_batch(goal, pace, 2, [find]))
    [clip] = event["_s3_videos"]
    assert await house.objects.head(clip["_s3_key"]) is not None
