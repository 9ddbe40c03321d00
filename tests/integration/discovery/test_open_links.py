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
from tests.support.pipeline.goals import a_goal, a_pace, event_document, event_of, finish, store_goals, strike_out
from tests.support.pipeline.outside import Outside
from tests.support.pipeline.services import House, at_work, until, utc_now


class Eyes:
    """A reader that is away until somebody puts it back."""

    name = "eyes"

    def __init__(self) -> None:
        self.away = True

    async def check(self, look: Any, file: Callable[[], Awaitable[Path]]) -> CheckResult:
        if self.away:
            raise Denied("vision", "nobody there")
        return CheckResult(self.name, TimestampStatus.UNVERIFIED, reason="seen")


def pace_of(house: House) -> PipelinePace:
    return a_pace(house.queues, attempts_wanted=1, attempts_limit=1)


async def searched(house: House, goal: Goal) -> Document:
    """The goal after its last attempt has been delivered."""
    await house.temporal.execute_workflow(
        TwitterWorkflow.run,
        SearchGoal(goal, pace_of(house)),
        id=twitter_workflow_id(goal.slug, goal.event_id),
        task_queue=house.queues.main,
    )
    await until(lambda: is_complete(house, goal))
    return await event_of(house.database, goal)


async def is_complete(house: House, goal: Goal) -> bool:
    return bool((await event_of(house.database, goal))["_download_complete"])


async def look_again(house: House, after: timedelta, name: str = "") -> RetrySummary:
    """What the schedule starts, so long after now."""
    house.retries._now = lambda: utc_now() + after
    handle = await house.temporal.start_workflow(
        RetryWorkflow.run, RetryRequest(pace_of(house)), id=f"retry-{uuid4().hex}", task_queue=house.queues.main
    )
    result: RetrySummary = await handle.result()
    if name:
        await record(handle, name)
    return result


async def is_settled(house: House, goal: Goal, room: FixtureCollection) -> bool:
    return not (await event_of(house.database, goal, room)).get("_open_links")


def shown(event: Document) -> tuple[GoalStatus, str]:
    home, away = build_team_view({"id": 40, "name": "Liverpool"}), build_team_view({"id": 42, "name": "Arsenal"})
    view = build_goal_view(event, home, away, attempts_wanted=1)
    return view.status, view.note


async def test_clips_of_a_finished_match_are_looked_at_when_the_reader_is_back(house: House, outside: Outside) -> None:
    goal, eyes = a_goal(), Eyes()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2)}
    outside.finds([outside.video(1), outside.video(2)])
    house.clips._checker = eyes
    async with at_work(house):
        event = await searched(house, goal)
        assert len(event["_open_links"]) == 2
        status, note = shown(event)
        assert status is GoalStatus.SEARCHING
        assert note.startswith("2 clips could not be checked yet, next try at ")
        await finish(house.database, goal)
        assert await look_again(house, timedelta(0)) == RetrySummary(0, 0, 0)
        begun = utc_now().replace(microsecond=0)
        assert (await look_again(house, timedelta(hours=1), "retry")).downloads == 1
        await until(lambda: has_told(house, goal, "vision_unavailable", times=2))
        event = await event_of(house.database, goal, FixtureCollection.COMPLETED)
        assert shown(event)[0] is GoalStatus.SEARCHING
        assert event["_retry_at"] >= begun + timedelta(hours=1) + pace_of(house).retry_first
        eyes.away = False
        assert (await look_again(house, timedelta(hours=9))).downloads == 1
        await until(lambda: is_settled(house, goal, FixtureCollection.COMPLETED))
        assert (await look_again(house, timedelta(days=1))).settled == 1
        event = await event_of(house.database, goal, FixtureCollection.COMPLETED)
    assert len(event["_s3_videos"]) == 2
    assert shown(event)[0] is GoalStatus.WATCHABLE
    assert "_retry_at" not in event
    assert sorted(path for path in outside.fetched if path.endswith(".mp4")) == ["/1.mp4", "/2.mp4"]


async def has_told(house: House, goal: Goal, outcome: str, times: int) -> bool:
    """Whether so many downloads have said this of all their clips."""
    attempts = (await event_of(house.database, goal, FixtureCollection.COMPLETED))["_telemetry"]["attempts"].values()
    told = [{clip.get("outcome") for clip in (attempt.get("clips") or {}).values()} for attempt in attempts]
    return sum(one == {outcome} for one in told) >= times


async def test_a_hosts_passing_failure_is_not_final_and_a_deleted_post_is(house: House, outside: Outside) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    outside.statuses = {"/1.mp4": [500] * 3, "/2.mp4": [410] * 9}
    outside.finds([outside.video(1), outside.video(2)])
    async with at_work(house):
        event = await searched(house, goal)
        assert event["_open_links"] == [outside.video(1)["url"]]
        assert (await look_again(house, timedelta(hours=1))).downloads == 1
        await until(lambda: is_settled(house, goal, FixtureCollection.ACTIVE))
        event = await event_of(house.database, goal)
    assert [clip["source_url"] for clip in event["_s3_videos"]] == [outside.video(1)["url"]]
    assert outside.fetched.count("/2.mp4") == 1


async def test_links_left_over_after_the_last_attempt_are_taken_up(house: House, outside: Outside) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {f"/{n}.mp4": mp4(n) for n in range(1, 4)}
    known_refusal = outside.video(9, duration=300.0)
    outside.finds([*(outside.video(n) for n in range(1, 4)), known_refusal])
    pace = replace(pace_of(house), clips_per_attempt=2)
    async with at_work(house):
        await house.temporal.execute_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, pace),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=house.queues.main,
        )
        await until(lambda: is_complete(house, goal))
        event = await event_of(house.database, goal)
        assert {link["author"]: link["taken"] for link in event["_discovered_videos"]} == {
            "fan1": True,
            "fan2": True,
            "fan3": False,
            "fan9": False,
        }
        assert (await look_again(house, timedelta(hours=1))).downloads == 1
        await until(lambda: is_settled(house, goal, FixtureCollection.ACTIVE))
        event = await event_of(house.database, goal)
    told = [
        clip for attempt in event["_telemetry"]["attempts"].values() for clip in (attempt.get("clips") or {}).values()
    ]
    outcomes = {clip["url"].split("/")[3]: clip["outcome"] for clip in told}
    assert outcomes["fan9"] == "filtered_duration"
    assert outcomes["fan3"] in ("uploaded", "duplicate")
    assert "/9.mp4" not in outside.fetched


async def test_a_download_that_runs_is_left_alone_and_one_that_died_is_taken_up(house: House, outside: Outside) -> None:
    goal, gate = a_goal(), threading.Event()
    await store_goals(house.database, goal)
    outside.files, outside.gates = {"/1.mp4": mp4(1)}, {"/1.mp4": gate}
    outside.finds([outside.video(1)])
    async with at_work(house):
        search = asyncio.create_task(searched(house, goal))
        await until(lambda: has_registered(house, goal))
        assert (await look_again(house, timedelta(hours=1))).downloads == 0
        for name in (await event_of(house.database, goal))["_download_workflows"]:
            await house.temporal.get_workflow_handle(name).terminate("lost with Temporal's database")
        gate.set()
        await house.temporal.get_workflow_handle(twitter_workflow_id(goal.slug, goal.event_id)).result()
        search.cancel()
        assert (await look_again(house, timedelta(hours=3))).downloads == 1
        await until(lambda: is_settled(house, goal, FixtureCollection.ACTIVE))
        event = await event_of(house.database, goal)
    assert len(event["_s3_videos"]) == 1


async def has_registered(house: House, goal: Goal) -> bool:
    return bool((await event_of(house.database, goal))["_download_workflows"])


async def test_a_goal_that_was_struck_out_or_deleted_is_not_looked_at_again(house: House, outside: Outside) -> None:
    struck, deleted = a_goal(), a_goal()
    house.clips._checker = Eyes()
    outside.files = {"/1.mp4": mp4(1)}
    async with at_work(house):
        for goal in (struck, deleted):
            await store_goals(house.database, goal)
            outside.finds(*[[outside.video(1)]] * 4)
            assert (await searched(house, goal))["_open_links"]
        await strike_out(house.database, struck)
        await house.database[FixtureCollection.ACTIVE].delete_one({"_id": deleted.fixture_id})
        assert await look_again(house, timedelta(days=1)) == RetrySummary(0, 0, 0)


async def test_a_clip_added_by_hand_while_its_fixture_is_archived_is_stored(house: House, outside: Outside) -> None:
    goal, gate = a_goal(), threading.Event()
    await store_goals(house.database, goal, _download_complete=True, _monitor_complete=True)
    outside.files, outside.gates = {"/1.mp4": mp4(1)}, {"/1.mp4": gate}
    manual = ManualClipService(DiscoveryStore(house.database), house.temporal, pace_of(house))
    async with at_work(house):
        await manual.add_clip(goal.event_id, f"{outside.base}/1.mp4", utc_now())
        await until(lambda: has_registered(house, goal))
        await finish(house.database, goal)
        gate.set()
        await until(lambda: is_settled(house, goal, FixtureCollection.COMPLETED))
        event = await event_of(house.database, goal, FixtureCollection.COMPLETED)
    assert len(event["_s3_videos"]) == 1


async def test_a_goal_given_to_another_scorer_takes_its_open_links_along(house: House) -> None:
    old, new = a_goal(1), a_goal(2)
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
    await house.database[FixtureCollection.ACTIVE].insert_one(
        {"_id": old.fixture_id, "events": [event_document(old, **given), event_document(new)], "removed_events": []}
    )
    move = ReattributeGoal(old.event_id, new.event_id, False, 3, due)
    await house.database[FixtureCollection.ACTIVE].update_one(
        {"_id": old.fixture_id}, build_reattribution_pipeline(move)
    )
    heir = await event_of(house.database, new)
    assert (heir["_open_links"], heir["_retry_at"]) == (["https://x.com/unseen"], due)
    row = await house.database[FixtureCollection.ACTIVE].find_one({"_id": old.fixture_id})
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
async def test_open_links_that_no_search_finds_again_move_to_the_other_scorer(
    database: Database, link: Document, complete: bool, moves: bool
) -> None:
    old, new = a_goal(1), a_goal(2)
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
