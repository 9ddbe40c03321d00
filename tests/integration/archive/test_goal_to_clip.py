"""A goal walks through stages two to four."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from found_footy.domain.ids import twitter_workflow_id, upload_workflow_id
from found_footy.domain.messages import TWITTER_WORKFLOW, Goal, PipelinePace, SearchGoal
from found_footy.platform.mongo import Document
from tests.support.histories import record
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, running_worker, until

pytestmark = pytest.mark.usefixtures("sound_records")


async def search_to_the_end(pipeline: PipelineServices, goal: Goal, pace: PipelinePace) -> Document:
    await pipeline.temporal.execute_workflow(
        TWITTER_WORKFLOW,
        SearchGoal(goal, pace),
        id=twitter_workflow_id(goal.slug, goal.event_id),
        task_queue=pipeline.queues.main,
    )
    await until(lambda: is_complete(pipeline, goal))
    await pipeline.temporal.get_workflow_handle(upload_workflow_id(goal.event_id)).result()
    return await event_of(pipeline.database, goal)


async def is_complete(pipeline: PipelineServices, goal: Goal) -> bool:
    return bool((await event_of(pipeline.database, goal))["_download_complete"])


def posts_of_a_goal(outside: OutsideServices) -> None:
    """Two clips; the first was posted twice, byte for byte, and found by two searches."""
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2, faststart=False), "/3.mp4": mp4(1)}
    outside.finds([outside.video(1), outside.video(2)], [outside.video(3), outside.video(1)])


async def assert_archived(pipeline: PipelineServices, event: Document) -> None:
    assert event["_monitor_complete"]
    assert event["_download_complete"]
    assert event["_completion_reason"] == "delivered"
    assert len(event["_download_workflows"]) == 3
    assert set(event["_download_workflows"]) == set(event["_delivered_workflows"])
    assert len(event["_discovered_videos"]) == 3
    clips = event["_s3_videos"]
    assert [(clip["rank"], clip["popularity"]) for clip in clips] == [(1, 2), (2, 1)]
    for clip in clips:
        stored = await pipeline.objects.head(clip["_s3_key"])
        assert stored is not None
        assert (stored.size, stored.content_type) == (clip["file_size"], "video/mp4")
        assert stored.metadata["event-id"] == event["_event_id"]
        assert await pipeline.objects.head(clip["thumbnail_key"]) is not None
    assert [found.key async for found in pipeline.objects.list("scratch/")] == []


async def test_a_goal_is_searched_fetched_and_archived(pipeline: PipelineServices, outside: OutsideServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    posts_of_a_goal(outside)
    async with running_worker(pipeline):
        event = await search_to_the_end(pipeline, goal, make_pace(pipeline.queues))
        await record(pipeline.temporal.get_workflow_handle(twitter_workflow_id(goal.slug, goal.event_id)), "twitter")
        await record(pipeline.temporal.get_workflow_handle(event["_download_workflows"][0]), "download")
        await record(pipeline.temporal.get_workflow_handle(upload_workflow_id(goal.event_id)), "upload-by-pictures")
    await assert_archived(pipeline, event)
    assert sorted(path for path in outside.fetched if path.endswith(".mp4")) == ["/1.mp4", "/2.mp4", "/3.mp4"]


def twice(activity: Callable[..., Any]) -> Callable[..., Any]:
    """As if the worker had died after the activity did its work, and another had done it again."""

    @wraps(activity)
    async def repeated(*args: Any) -> Any:
        await activity(*args)
        return await activity(*args)

    return repeated


async def test_every_activity_done_twice_gives_the_same_goal(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    posts_of_a_goal(outside)
    outside.finds([], [outside.video(1), outside.video(2)], [], [outside.video(3), outside.video(1)])
    async with running_worker(pipeline, [twice(activity) for activity in pipeline.activities()]):
        event = await search_to_the_end(pipeline, goal, make_pace(pipeline.queues))
    await assert_archived(pipeline, event)


async def test_the_outcome_of_each_video_is_recorded(pipeline: PipelineServices, outside: OutsideServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(1), "/3.mp4": mp4(3, seconds=1.0), "/4.mp4": b"<html>" * 99}
    outside.statuses = {"/5.mp4": [403]}
    outside.finds([outside.video(number) for number in (1, 2, 3, 4)], [outside.video(5)])
    async with running_worker(pipeline):
        event = await search_to_the_end(pipeline, goal, make_pace(pipeline.queues))
    attempts = sorted(event["_telemetry"]["attempts"].values(), key=lambda attempt: attempt["attempt"])
    assert [(attempt["found"], attempt["taken"]) for attempt in attempts] == [(4, 4), (1, 1), (0, 0)]
    assert attempts[0]["query"] == "(Florian OR Wirtz) Liverpool"
    reported = {clip["url"].split("/")[3]: clip for attempt in attempts for clip in attempt.get("clips", {}).values()}
    outcomes = {name: clip["outcome"] for name, clip in reported.items()}
    # Of the same bytes, those that arrive first are kept.
    first, second = sorted(("fan1", "fan2"), key=lambda name: outcomes[name], reverse=True)
    assert outcomes == {
        first: "uploaded",
        second: "duplicate",
        "fan3": "filtered_duration",
        "fan4": "download_failed",
        "fan5": "download_geo",
    }
    assert reported[first]["reason"] == "accept-all: not checked"
    assert reported["fan3"]["reason"] == "1.0 s is not within 3–60 s"
