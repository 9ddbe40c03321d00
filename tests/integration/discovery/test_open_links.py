"""A clip that could not be looked at is looked at when that is possible again, long after its goal's search is over."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from found_footy.clips.messages import CheckResult
from found_footy.discovery.messages import RetryRequest, RetrySummary
from found_footy.discovery.retry_workflow import RetryWorkflow
from found_footy.discovery.sources.manual import ManualClipService
from found_footy.discovery.store import DiscoveryStore
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import twitter_workflow_id
from found_footy.domain.messages import Goal, PipelinePace, SearchGoal
from found_footy.domain.outcomes import GoalStatus, TimestampStatus
from found_footy.fixtures.goals.changes import ReattributeGoal
from found_footy.fixtures.goals.reattribution import build_reattribution_pipeline
from found_footy.platform.errors import Denied
from found_footy.platform.mongo import Database, Document
from found_footy.views.fixture_views import build_goal_view, build_team_view
from tests.support.histories import record
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import (
    complete_fixture,
    event_document,
    event_of,
    make_goal,
    make_pace,
    remove_goal,
    store_goals,
)
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, running_worker, until, utc_now


class ScriptedRecognizer:
    """A reader that is away until somebody puts it back."""

    name = "recognizer"

    def __init__(self) -> None:
        self.away = True

    async def check(self, look: Any, file: Callable[[], Awaitable[Path]]) -> CheckResult:
        if self.away:
            raise Denied("vision", "nobody there")
        return CheckResult(self.name, TimestampStatus.UNVERIFIED, reason="seen")


def pace_of(pipeline: PipelineServices) -> PipelinePace:
    return make_pace(pipeline.queues, attempts_wanted=1, attempts_limit=1)


async def searched(pipeline: PipelineServices, goal: Goal) -> Document:
    """The goal after its last attempt has been delivered."""
    await pipeline.temporal.execute_workflow(
        TwitterWorkflow.run,
        SearchGoal(goal, pace_of(pipeline)),
        id=twitter_workflow_id(goal.slug, goal.event_id),
        task_queue=pipeline.queues.main,
    )
    await until(lambda: is_complete(pipeline, goal))
    return await event_of(pipeline.database, goal)


async def is_complete(pipeline: PipelineServices, goal: Goal) -> bool:
    return bool((await event_of(pipeline.database, goal))["_download_complete"])


async def look_again(pipeline: PipelineServices, after: timedelta, name: str = "") -> RetrySummary:
    """What the schedule starts, so long after now."""
    pipeline.retries._now = lambda: utc_now() + after
    handle = await pipeline.temporal.start_workflow(
        RetryWorkflow.run, RetryRequest(pace_of(pipeline)), id=f"retry-{uuid4().hex}", task_queue=pipeline.queues.main
    )
    result: RetrySummary = await handle.result()
    if name:
        await record(handle, name)
    return result


async def is_settled(pipeline: PipelineServices, goal: Goal, collection: FixtureCollection) -> bool:
    return not (await event_of(pipeline.database, goal, collection)).get("_open_links")


def shown(event: Document) -> tuple[GoalStatus, str]:
    home, away = build_team_view({"id": 40, "name": "Liverpool"}), build_team_view({"id": 42, "name": "Arsenal"})
    view = build_goal_view(event, home, away, attempts_wanted=1)
    return view.status, view.note


async def test_clips_of_a_finished_fixture_are_checked_when_the_reader_answers_again(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal, recognizer = make_goal(), ScriptedRecognizer()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2)}
    outside.finds([outside.video(1), outside.video(2)])
    pipeline.clips._checker = recognizer
    async with running_worker(pipeline):
        event = await searched(pipeline, goal)
        assert len(event["_open_links"]) == 2
        status, note = shown(event)
        assert status is GoalStatus.SEARCHING
        assert note.startswith("2 clips could not be checked yet, next try at ")
        await complete_fixture(pipeline.database, goal)
        assert await look_again(pipeline, timedelta(0)) == RetrySummary(0, 0, 0)
        begun = utc_now().replace(microsecond=0)
        assert (await look_again(pipeline, timedelta(hours=1), "retry")).downloads == 1
        await until(lambda: has_told(pipeline, goal, "vision_unavailable", times=2))
        event = await event_of(pipeline.database, goal, FixtureCollection.COMPLETED)
        assert shown(event)[0] is GoalStatus.SEARCHING
        assert event["_retry_at"] >= begun + timedelta(hours=1) + pace_of(pipeline).retry_first
        recognizer.away = False
        assert (await look_again(pipeline, timedelta(hours=9))).downloads == 1
        await until(lambda: is_settled(pipeline, goal, FixtureCollection.COMPLETED))
        assert (await look_again(pipeline, timedelta(days=1))).settled == 1
        event = await event_of(pipeline.database, goal, FixtureCollection.COMPLETED)
    assert len(event["_s3_videos"]) == 2
    assert shown(event)[0] is GoalStatus.WATCHABLE
    assert "_retry_at" not in event
    assert sorted(path for path in outside.fetched if path.endswith(".mp4")) == ["/1.mp4", "/2.mp4"]


async def has_told(pipeline: PipelineServices, goal: Goal, outcome: str, times: int) -> bool:
    """Whether so many downloads have said this of all their clips."""
    attempts = (await event_of(pipeline.database, goal, FixtureCollection.COMPLETED))["_telemetry"]["attempts"].values()
    reported = [{clip.get("outcome") for clip in (attempt.get("clips") or {}).values()} for attempt in attempts]
    return sum(one == {outcome} for one in reported) >= times


async def test_a_temporary_failure_of_a_host_is_not_final_and_a_deleted_post_is(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    outside.statuses = {"/1.mp4": [500] * 3, "/2.mp4": [410] * 9}
    outside.finds([outside.video(1), outside.video(2)])
    async with running_worker(pipeline):
        event = await searched(pipeline, goal)
        assert event["_open_links"] == [outside.video(1)["url"]]
        assert (await look_again(pipeline, timedelta(hours=1))).downloads == 1
        await until(lambda: is_settled(pipeline, goal, FixtureCollection.ACTIVE))
        event = await event_of(pipeline.database, goal)
    assert [clip["source_url"] for clip in event["_s3_videos"]] == [outside.video(1)["url"]]
    assert outside.fetched.count("/2.mp4") == 1


async def test_open_candidates_after_the_last_attempt_are_retried(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {f"/{n}.mp4": mp4(n) for n in range(1, 4)}
    known_refusal = outside.video(9, duration=300.0)
    outside.finds([*(outside.video(n) for n in range(1, 4)), known_refusal])
    pace = replace(pace_of(pipeline), clips_per_attempt=2)
    async with running_worker(pipeline):
        await pipeline.temporal.execute_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, pace),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=pipeline.queues.main,
        )
        await until(lambda: is_complete(pipeline, goal))
        event = await event_of(pipeline.database, goal)
        assert {link["author"]: link["taken"] for link in event["_discovered_videos"]} == {
            "fan1": True,
            "fan2": True,
            "fan3": False,
            "fan9": False,
        }
        assert (await look_again(pipeline, timedelta(hours=1))).downloads == 1
        await until(lambda: is_settled(pipeline, goal, FixtureCollection.ACTIVE))
        event = await event_of(pipeline.database, goal)
    reported = [
        clip for attempt in event["_telemetry"]["attempts"].values() for clip in (attempt.get("clips") or {}).values()
    ]
    outcomes = {clip["url"].split("/")[3]: clip["outcome"] for clip in reported}
    assert outcomes["fan9"] == "filtered_duration"
    assert outcomes["fan3"] in ("uploaded", "duplicate")
    assert "/9.mp4" not in outside.fetched


async def test_a_running_download_is_left_alone_and_an_ended_one_is_retried(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal, gate = make_goal(), threading.Event()
    await store_goals(pipeline.database, goal)
    outside.files, outside.gates = {"/1.mp4": mp4(1)}, {"/1.mp4": gate}
    outside.finds([outside.video(1)])
    async with running_worker(pipeline):
        search = asyncio.create_task(searched(pipeline, goal))
        await until(lambda: has_registered(pipeline, goal))
        assert (await look_again(pipeline, timedelta(hours=1))).downloads == 0
        for name in (await event_of(pipeline.database, goal))["_download_workflows"]:
            await pipeline.temporal.get_workflow_handle(name).terminate("lost with Temporal's database")
        gate.set()
        await pipeline.temporal.get_workflow_handle(twitter_workflow_id(goal.slug, goal.event_id)).result()
        search.cancel()
        assert (await look_again(pipeline, timedelta(hours=3))).downloads == 1
        await until(lambda: is_settled(pipeline, goal, FixtureCollection.ACTIVE))
        event = await event_of(pipeline.database, goal)
    assert len(event["_s3_videos"]) == 1


async def has_registered(pipeline: PipelineServices, goal: Goal) -> bool:
    return bool((await event_of(pipeline.database, goal))["_download_workflows"])


async def test_a_removed_or_deleted_goal_is_not_retried(pipeline: PipelineServices, outside: OutsideServices) -> None:
    removed, deleted = make_goal(), make_goal()
    pipeline.clips._checker = ScriptedRecognizer()
    outside.files = {"/1.mp4": mp4(1)}
    async with running_worker(pipeline):
        for goal in (removed, deleted):
            await store_goals(pipeline.database, goal)
            outside.finds(*[[outside.video(1)]] * 4)
            assert (await searched(pipeline, goal))["_open_links"]
        await remove_goal(pipeline.database, removed)
        await pipeline.database[FixtureCollection.ACTIVE].delete_one({"_id": deleted.fixture_id})
        assert await look_again(pipeline, timedelta(days=1)) == RetrySummary(0, 0, 0)


async def test_a_clip_added_by_hand_while_its_fixture_is_archived_is_stored(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal, gate = make_goal(), threading.Event()
    await store_goals(pipeline.database, goal, _download_complete=True, _monitor_complete=True)
    outside.files, outside.gates = {"/1.mp4": mp4(1)}, {"/1.mp4": gate}
    manual = ManualClipService(DiscoveryStore(pipeline.database), pipeline.temporal, pace_of(pipeline))
    async with running_worker(pipeline):
        await manual.add_clip(goal.event_id, f"{outside.base}/1.mp4", utc_now())
        await until(lambda: has_registered(pipeline, goal))
        await complete_fixture(pipeline.database, goal)
        gate.set()
        await until(lambda: is_settled(pipeline, goal, FixtureCollection.COMPLETED))
        event = await event_of(pipeline.database, goal, FixtureCollection.COMPLETED)
    assert len(event["_s3_videos"]) == 1


async def test_a_reattributed_goal_keeps_its_open_candidates(pipeline: PipelineServices) -> None:
    old, new = make_goal(1), make_goal(2)
    new = replace(new, fixture_id=old.fixture_id, event_id=old.event_id.replace("_234_", "_235_"))
    due = utc_now().replace(microsecond=0)
    links = [{"url": "https://x.com/unseen", "attempt": 1}, {"url": "https://x.com/seen", "attempt": 1}]
    given: dict[str, Any] = {
        "_discovered_videos": links,
        "_open_links": ["https://x.com/unseen"],
        "_retry_at": due,
        "_download_workflows": ["download1-a"],
        "_delivered_workflows": ["download1-a"],
    }
    await pipeline.database[FixtureCollection.ACTIVE].insert_one(
        {"_id": old.fixture_id, "events": [event_document(old, **given), event_document(new)], "removed_events": []}
    )
    move = ReattributeGoal(old.event_id, new.event_id, False, 3, due)
    await pipeline.database[FixtureCollection.ACTIVE].update_one(
        {"_id": old.fixture_id}, build_reattribution_pipeline(move)
    )
    heir = await event_of(pipeline.database, new)
    assert (heir["_open_links"], heir["_retry_at"]) == (["https://x.com/unseen"], due)
    row = await pipeline.database[FixtureCollection.ACTIVE].find_one({"_id": old.fixture_id})
    assert row is not None
    assert row["removed_events"][0]["_open_links"] == []


@pytest.mark.parametrize(
    ("link", "complete", "moves"),
    [
        ({"url": "u", "attempt": 0}, False, True),
        ({"url": "u", "attempt": 2}, False, False),
        ({"url": "u", "attempt": 2}, True, True),
    ],
    ids=["given by a person", "found again by the new search", "nobody will search again"],
)
async def test_open_candidates_that_no_search_finds_again_move_to_the_new_scorer(
    database: Database, link: Document, complete: bool, moves: bool
) -> None:
    old, new = make_goal(1), make_goal(2)
    new = replace(new, fixture_id=old.fixture_id, event_id=old.event_id.replace("_234_", "_235_"))
    due = utc_now().replace(microsecond=0)
    given: dict[str, Any] = {
        "_discovered_videos": [link],
        "_open_links": ["u"],
        "_retry_at": due,
        "_download_complete": complete,
        "_download_workflows": ["download1-a", "download2-a"],
        "_delivered_workflows": ["download1-a"],
    }
    await database[FixtureCollection.ACTIVE].insert_one(
        {"_id": old.fixture_id, "events": [event_document(old, **given), event_document(new)], "removed_events": []}
    )
    move = ReattributeGoal(old.event_id, new.event_id, False, 3, due)
    await database[FixtureCollection.ACTIVE].update_one({"_id": old.fixture_id}, build_reattribution_pipeline(move))
    heir = await event_of(database, new)
    assert heir["_open_links"] == (["u"] if moves else [])
    assert heir["_discovered_videos"] == ([link] if moves else [])
