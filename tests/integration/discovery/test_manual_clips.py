"""A clip that a person adds goes the way of all clips, and the goal's sets stay true."""

from datetime import UTC, datetime

import pytest

from found_footy.discovery.sources.manual import ManualClipResult, ManualClipService
from found_footy.discovery.store import DiscoveryStore, read_search_progress
from found_footy.domain.ids import download_workflow_id
from found_footy.domain.messages import Goal
from found_footy.platform.errors import BadInput, NotFound
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import event_of, make_goal, make_pace, remove_goal, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, running_worker, until

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)


def by_hand(pipeline: PipelineServices) -> ManualClipService:
    return ManualClipService(DiscoveryStore(pipeline.database), pipeline.temporal, make_pace(pipeline.queues))


async def added(pipeline: PipelineServices, goal: Goal, url: str) -> ManualClipResult:
    return await by_hand(pipeline).add_clip(goal.event_id, url, NOW)


async def is_delivered(pipeline: PipelineServices, goal: Goal, download_id: str) -> bool:
    return download_id in (await event_of(pipeline.database, goal))["_delivered_workflows"]


async def test_a_clip_added_by_hand_is_stored_with_the_goal(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files["/hand.mp4"] = mp4()
    async with running_worker(pipeline):
        first = await added(pipeline, goal, f"{outside.base}/hand.mp4")
        await until(lambda: is_delivered(pipeline, goal, first.download_id))
        event = await event_of(pipeline.database, goal)
    [link] = event["_discovered_videos"]
    assert (link["source"], link["attempt"]) == ("manual", 0)
    assert event["_download_workflows"] == event["_delivered_workflows"] == [first.download_id]
    assert len(event["_s3_videos"]) == 1
    assert not event["_download_complete"]


async def test_the_same_link_twice_is_one_link_one_download_and_one_clip(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files["/hand.mp4"] = mp4()
    first = await added(pipeline, goal, f"{outside.base}/hand.mp4")
    second = await added(pipeline, goal, f"{outside.base}/hand.mp4")
    assert (first.already_running, second.already_running) == (False, True)
    async with running_worker(pipeline):
        await until(lambda: is_delivered(pipeline, goal, first.download_id))
        third = await added(pipeline, goal, f"{outside.base}/hand.mp4")
        await pipeline.temporal.get_workflow_handle(third.download_id).result()
        event = await event_of(pipeline.database, goal)
    assert first.download_id == second.download_id == third.download_id
    assert len(event["_discovered_videos"]) == len(event["_download_workflows"]) == 1
    assert len(event["_s3_videos"]) == event["_s3_videos"][0]["popularity"] == 1


async def test_an_addition_is_not_counted_as_an_attempt_of_the_search(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    await added(pipeline, goal, f"{outside.base}/gone.mp4")
    event = await DiscoveryStore(pipeline.database).find_goal(goal)
    progress = read_search_progress(event or {}, goal.event_id)
    assert progress.attempts == 0
    assert download_workflow_id(goal.slug, goal.event_id, 1) not in progress.registered


async def test_no_clip_is_added_to_a_goal_that_is_not_in_play(pipeline: PipelineServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    await remove_goal(pipeline.database, goal)
    for name in (goal.event_id, "7_1_1_Goal_1", "nonsense", ""):
        with pytest.raises(NotFound):
            await by_hand(pipeline).add_clip(name, "https://x.com/fan/status/2089000000000000001", NOW)


async def test_a_link_that_cannot_be_a_clip_stores_nothing(pipeline: PipelineServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    for url in ("https://example.org/page", "https://bsky.app/profile/a.b/post/3l3"):
        with pytest.raises(BadInput):
            await added(pipeline, goal, url)
    assert (await event_of(pipeline.database, goal))["_discovered_videos"] == []
