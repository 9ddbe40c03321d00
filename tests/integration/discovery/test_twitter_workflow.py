"""A goal is searched until enough attempts have run, it is gone, or patience ends."""

import asyncio
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from temporalio import activity, workflow
from temporalio.client import WorkflowHandle
from temporalio.common import WorkflowIDReusePolicy

from found_footy.clips.messages import RegisterDownload
from found_footy.clips.steps import ClipSteps
from found_footy.discovery.messages import (
    BuildSearch,
    RunSearch,
    SearchAnswer,
    SearchData,
    SearchState,
    SearchSummary,
)
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import GoalSlug, download_workflow_id, link_field_name, twitter_workflow_id
from found_footy.domain.messages import DOWNLOAD_WORKFLOW, DownloadClips, Goal, OtherGoal, PipelinePace, SearchGoal
from found_footy.domain.scores import Score
from found_footy.platform.errors import Refused
from found_footy.platform.mongo import Document
from found_footy.platform.temporal.steps import run_step
from tests.support.histories import record
from tests.support.pipeline.goals import event_of, make_goal, make_pace, remove_goal, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, is_known, running_worker, until
from tests.support.steps import activities_of

Handle = WorkflowHandle[TwitterWorkflow, SearchSummary]
VIDEO_1 = OutsideServices(0).video(1)["url"]


async def start(pipeline: PipelineServices, goal: Goal, pace: PipelinePace | None = None) -> Handle:
    return await pipeline.temporal.start_workflow(
        TwitterWorkflow.run,
        SearchGoal(goal, pace or make_pace(pipeline.queues)),
        id=twitter_workflow_id(goal.slug, goal.event_id),
        task_queue=pipeline.queues.main,
        id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
    )


async def searched(pipeline: PipelineServices, goal: Goal, pace: PipelinePace | None = None) -> SearchSummary:
    return await (await start(pipeline, goal, pace)).result()


def attempts(event: Document) -> list[int]:
    return sorted(attempt["attempt"] for attempt in event["_telemetry"]["attempts"].values())


async def test_a_search_that_finds_nothing_still_runs_all_its_attempts(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline):
        ended = await searched(pipeline, goal)
        event = await event_of(pipeline.database, goal)
        first, second, last = [
            await is_known(pipeline, download_workflow_id(goal.slug, goal.event_id, number)) for number in (1, 2, 3)
        ]
    assert ended == SearchSummary(SearchState.FINISHED, attempts=3)
    assert event["_monitor_complete"]
    assert set(event["_download_workflows"]) == {
        download_workflow_id(goal.slug, goal.event_id, number) for number in (1, 2, 3)
    }
    assert (first, second, last) == (False, False, True), "an attempt without candidates needs no download"
    done = {download_workflow_id(goal.slug, goal.event_id, number) for number in (1, 2)}
    assert done <= set(event["_delivered_workflows"])
    assert (event["_twitter_search"], event["_twitter_aliases"]) == ("(Florian OR Wirtz) Liverpool", ["Liverpool"])
    attempts = sorted(event["_telemetry"]["attempts"].values(), key=lambda attempt: attempt["attempt"])
    assert [attempt["form"] for attempt in attempts] == ["scorer", "wide", "team"]
    assert len({attempt["query"] for attempt in attempts}) == 3


@pytest.mark.parametrize(("moment", "minutes"), [("first_seen", 20), ("scored_at", 40)])
async def test_the_first_search_reaches_back_to_before_the_goal_and_later_ones_to_the_last_answer(
    pipeline: PipelineServices, outside: OutsideServices, moment: str, minutes: int
) -> None:
    seen = make_goal()
    earlier = seen.first_seen - timedelta(minutes=minutes)
    goal = replace(seen, **{moment: earlier})  # type: ignore[arg-type]
    await store_goals(pipeline.database, goal)
    began = datetime.now(UTC)
    async with running_worker(pipeline):
        await searched(pipeline, goal)
    first, *later = [datetime.fromisoformat(asked["since"]) for asked in outside.asked]
    assert first == earlier - timedelta(minutes=2)
    assert began <= later[0] < later[1]
    assert [asked["max_age_minutes"] for asked in outside.asked] == [3, 3, 3]


class WaitingSearch:
    """A search service that cannot be reached at first: the activity waits, as for a worker or in a queue."""

    def __init__(self, pipeline: PipelineServices, waits: asyncio.Event) -> None:
        self._house = pipeline
        self._waits = waits

    @activity.defn(name="execute_twitter_search")
    async def execute_twitter_search(self, run: RunSearch) -> SearchAnswer:
        await self._waits.wait()
        return await self._house.discovery.execute_twitter_search(run)


async def test_a_search_that_is_made_late_reaches_back_as_far_and_counts_from_when_it_was_made(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal, waits = make_goal(), asyncio.Event()
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline, instead_of(pipeline, WaitingSearch(pipeline, waits))):
        handle = await start(pipeline, goal)
        await until(lambda: is_scheduled(handle, "execute_twitter_search"))
        made = datetime.now(UTC)
        waits.set()
        await handle.result()
    first, second, _ = [datetime.fromisoformat(asked["since"]) for asked in outside.asked]
    assert first == goal.first_seen - timedelta(minutes=2)
    assert second >= made


async def is_scheduled(handle: Handle, name: str) -> bool:
    pending = (await handle.describe()).raw_description.pending_activities
    return any(one.activity_type.name == name for one in pending)


@pytest.mark.parametrize(("fell_hours_ago", "authors"), [(0, {"fan2"}), (2, {"fan1", "fan2"})])
async def test_a_post_from_before_the_goal_is_not_taken_for_it(
    pipeline: PipelineServices, outside: OutsideServices, fell_hours_ago: int, authors: set[str]
) -> None:
    seen = make_goal()
    goal = replace(seen, scored_at=seen.first_seen - timedelta(hours=fell_hours_ago))
    await store_goals(pipeline.database, goal)
    an_hour_old = (seen.first_seen - timedelta(hours=1)).isoformat()
    outside.finds([outside.video(1, posted_at=an_hour_old), outside.video(2)])
    async with running_worker(pipeline):
        await searched(pipeline, goal)
        event = await event_of(pipeline.database, goal)
    assert {link["author"] for link in event["_discovered_videos"]} == authors


async def test_candidates_beyond_an_attempt_are_recorded_and_fetched_by_the_next(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    posts = [outside.video(number, duration=number + 2) for number in (1, 2, 3, 4)]
    outside.finds(posts, posts, posts)
    async with running_worker(pipeline):
        await searched(pipeline, goal, make_pace(pipeline.queues, clips_per_attempt=2))
        event = await event_of(pipeline.database, goal)
    found = {link["author"]: (link["attempt"], link["taken"]) for link in event["_discovered_videos"]}
    assert found == {f"fan{number}": (1, True) for number in (1, 2, 3, 4)}
    taken = {attempt["attempt"]: attempt["links"] for attempt in event["_telemetry"]["attempts"].values()}
    assert taken == {1: [posts[3]["url"], posts[2]["url"]], 2: [posts[1]["url"], posts[0]["url"]], 3: []}
    assert all(isinstance(link["tweet_id"], str) for link in event["_discovered_videos"])
    assert [len(asked["exclude"]) for asked in outside.asked] == [0, 4, 4]


async def test_a_deleted_goal_is_not_searched_for(pipeline: PipelineServices, outside: OutsideServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    await remove_goal(pipeline.database, goal)
    async with running_worker(pipeline):
        assert (await searched(pipeline, goal)).event_removed
    assert outside.asked == []


async def test_a_goal_that_is_removed_meanwhile_ends_its_search(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline):
        handle = await start(pipeline, goal, make_pace(pipeline.queues, attempts_wanted=50, attempts_limit=50))
        await until(lambda: has_asked(outside, 1))
        await remove_goal(pipeline.database, goal)
        ended = await handle.result()
    assert ended.event_removed
    assert len(outside.asked) < 50


async def has_asked(outside: OutsideServices, times: int) -> bool:
    return len(outside.asked) >= times


async def test_an_expired_session_uses_no_attempt_and_is_reported(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.searches = [(503, {"error": "session_expired", "detail": "log in again"})]
    async with running_worker(pipeline):
        handle = await start(pipeline, goal)
        await until(lambda: has_asked(outside, 3))
        await until(lambda: pauses_for(pipeline, goal, "session_expired"))
        assert (await event_of(pipeline.database, goal))["_download_workflows"] == []
        outside.finds([outside.video(1)])
        ended = await handle.result()
        await record(handle, "twitter-session-expired")
        event = await event_of(pipeline.database, goal)
    assert ended == SearchSummary(SearchState.FINISHED, attempts=3)
    assert attempts(event) == [1, 2, 3]
    assert event["_search_state"]["state"] == "finished"


async def pauses_for(pipeline: PipelineServices, goal: Goal, state: str) -> bool:
    reported: Document = (await event_of(pipeline.database, goal)).get("_search_state") or {}
    return reported.get("state") == state


class FailingSearch:
    """A pool that has nobody to ask, for a while."""

    def __init__(self, pipeline: PipelineServices, failures: int) -> None:
        self._house = pipeline
        self.left = failures

    @activity.defn(name="execute_twitter_search")
    async def execute_twitter_search(self, run: RunSearch) -> SearchAnswer:
        if self.left:
            self.left -= 1
            raise Refused("X search", "nobody there")
        return await self._house.discovery.execute_twitter_search(run)


def instead_of(pipeline: PipelineServices, other: object) -> list[Any]:
    """The pipeline's activities, with those of `other` in place of their namesakes."""
    mine = activities_of(other)
    return mine + [a for a in pipeline.activities() if a.__name__ not in {m.__name__ for m in mine}]


async def test_a_search_that_fails_is_a_pause_and_never_an_empty_answer(pipeline: PipelineServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline, instead_of(pipeline, FailingSearch(pipeline, failures=2))):
        ended = await searched(pipeline, goal)
        event = await event_of(pipeline.database, goal)
    assert ended == SearchSummary(SearchState.FINISHED, attempts=3)
    assert attempts(event) == [1, 2, 3]


async def test_a_search_that_runs_out_of_attempts_completes_after_its_deliveries(pipeline: PipelineServices) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline):
        handle = await start(pipeline, goal, make_pace(pipeline.queues, attempts_wanted=9, attempts_limit=2))
        ended = await handle.result()
        await record(handle, "twitter-exhausted")
        await until(lambda: is_complete(pipeline, goal))
    assert ended == SearchSummary(SearchState.EXHAUSTED, attempts=2)
    event = await event_of(pipeline.database, goal)
    assert event["_completion_reason"] == "attempts_exhausted"
    assert len(event["_delivered_workflows"]) == len(event["_download_workflows"]) == 2


async def is_complete(pipeline: PipelineServices, goal: Goal) -> bool:
    return bool((await event_of(pipeline.database, goal))["_download_complete"])


async def test_a_goal_that_was_completed_elsewhere_is_searched_for_no_longer(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal, _download_complete=True, _completion_reason="deadline")
    async with running_worker(pipeline):
        ended = await searched(pipeline, goal)
    assert ended == SearchSummary(SearchState.FINISHED, attempts=0)
    assert outside.asked == []


async def test_a_restarted_search_continues_where_the_first_one_ended(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    pace = make_pace(pipeline.queues)
    async with running_worker(pipeline):
        handle = await start(pipeline, goal, replace(pace, attempt_min_wait=timedelta(hours=1)))
        await until(lambda: has_download(pipeline, goal))
        await handle.terminate("killed")
        ended = await searched(pipeline, goal, pace)
        event = await event_of(pipeline.database, goal)
    assert ended == SearchSummary(SearchState.FINISHED, attempts=3)
    assert attempts(event) == [1, 2, 3]
    assert len(outside.asked) == 3


async def has_download(pipeline: PipelineServices, goal: Goal) -> bool:
    return bool((await event_of(pipeline.database, goal))["_download_workflows"])


@workflow.defn(name=DOWNLOAD_WORKFLOW, sandboxed=False)
class OnlyRegisters:
    """A download that is done as soon as it is counted."""

    @workflow.run
    async def run(self, work: DownloadClips) -> bool:
        register = RegisterDownload(work.goal, workflow.info().workflow_id)
        return await run_step(ClipSteps.register_download_workflow, register)


async def test_added_time_that_is_filled_in_later_reaches_the_next_download(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    """And what was judged by the minute as it was is judged again."""
    goal = replace(make_goal(), elapsed=90, slug=GoalSlug.from_goal("Liverpool", "Florian Wirtz", 90, None))
    await store_goals(pipeline.database, goal, _score_before=asdict(Score(0, 0)), _score_after=asdict(Score(1, 0)))
    outside.finds([outside.video(1)])
    async with running_worker(
        pipeline, instead_of(pipeline, FillsIn(pipeline, extra=6)), workflows=(TwitterWorkflow, OnlyRegisters)
    ):
        await searched(pipeline, goal)
        event = await event_of(pipeline.database, goal)
        works = [await work_of(pipeline, name) for name in sorted(event["_download_workflows"])]
    assert [(work.attempt, work.goal.elapsed, work.goal.extra) for work in works] == [
        (1, 90, None),
        (2, 90, 6),
        (3, 90, 6),
    ]
    assert [[video.author for video in work.videos] for work in works] == [["fan1"], ["fan1"], []]
    assert {(work.goal.slug, work.goal.event_id) for work in works} == {(goal.slug, goal.event_id)}
    times = {a["attempt"]: a["time"] for a in event["_telemetry"]["attempts"].values()}
    assert times == {1: {"elapsed": 90, "extra": None}, 2: {"elapsed": 90, "extra": 6}, 3: {"elapsed": 90, "extra": 6}}
    assert {(work.goal.score_before, work.goal.score_after) for work in works} == {(Score(0, 0), Score(1, 0))}
    later = OtherGoal(90, 8, Score(1, 0), Score(1, 1))
    assert [work.goal.other_goals for work in works] == [(), (later,), (later,)]
    assert "Gunners" in works[0].goal.away_aliases


class FillsIn:
    """A feed that fills in added time and lists one more goal before the second attempt, when the first has called its
    clip one of another minute.
    """

    def __init__(self, pipeline: PipelineServices, extra: int) -> None:
        self._house = pipeline
        self._extra = extra
        self._filled_in = False

    @activity.defn(name="get_twitter_search_data")
    async def get_twitter_search_data(self, build: BuildSearch) -> SearchData:
        before = await self._house.discovery.get_twitter_search_data(build)
        if before.progress.registered and not self._filled_in:
            self._filled_in = True
            await self._fill_in(build.goal)
        return await self._house.discovery.get_twitter_search_data(build)

    async def _fill_in(self, goal: Goal) -> None:
        name, url = download_workflow_id(goal.slug, goal.event_id, 1), VIDEO_1
        verdict = {"url": url, "outcome": "wrong_minute"}
        await self._house.database[FixtureCollection.ACTIVE].update_one(
            {"_id": goal.fixture_id},
            {
                "$set": {
                    "events.0.time.extra": self._extra,
                    f"events.0._telemetry.attempts.{name}.clips.{link_field_name(url)}": verdict,
                }
            },
        )
        scores = {"_score_before": asdict(Score(1, 0)), "_score_after": asdict(Score(1, 1))}
        event = {"_event_id": f"{goal.event_id}0", "time": {"elapsed": 90, "extra": 8}, **scores}
        await self._house.database[FixtureCollection.ACTIVE].update_one(
            {"_id": goal.fixture_id}, {"$push": {"events": event}}
        )


async def work_of(pipeline: PipelineServices, download_id: str) -> DownloadClips:
    """What a download was asked to do."""
    history = await pipeline.temporal.get_workflow_handle(download_id).fetch_history()
    [work] = await pipeline.temporal.data_converter.decode(
        history.events[0].workflow_execution_started_event_attributes.input.payloads, [DownloadClips]
    )
    assert isinstance(work, DownloadClips)
    return work


async def test_the_history_of_the_longest_search_stays_small(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.searches = [
        (200, {"videos": [outside.video(n, text="x" * 300) for n in range(i * 9, i * 9 + 9)]}) for i in range(15)
    ]
    pace = make_pace(pipeline.queues, attempts_wanted=15, attempts_limit=15, attempt_min_wait=timedelta(milliseconds=1))
    async with running_worker(pipeline, workflows=(TwitterWorkflow, OnlyRegisters)):
        handle = await start(pipeline, goal, replace(pace, attempt_spacing=timedelta(0)))
        assert (await handle.result()).attempts == 15
        history = await handle.fetch_history()
    assert len(history.events) < 1_500
    assert sum(event.ByteSize() for event in history.events) < 1_000_000
