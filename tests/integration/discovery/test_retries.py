"""A clip that nobody could look at is tried again by a later attempt, although no search finds it a second time."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from temporalio import activity

from found_footy.clips.messages import CheckResult
from found_footy.discovery.candidates.retries import MAX_TRIES
from found_footy.discovery.messages import BuildSearch, SearchData, SearchState, SearchSummary
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.ids import twitter_workflow_id
from found_footy.domain.messages import Goal, SearchGoal
from found_footy.domain.outcomes import TimestampStatus
from found_footy.platform.errors import Denied
from found_footy.platform.mongo import Document
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, running_worker, until
from tests.support.steps import activities_of


class LateReader:
    """A reader that fails for its first checks."""

    name = "late"

    def __init__(self, looks: int) -> None:
        self.left = looks
        self.looks = 0

    async def check(self, look: Any, file: Callable[[], Awaitable[Path]]) -> CheckResult:
        self.looks += 1
        if self.left:
            self.left -= 1
            raise Denied("vision", "nobody there")
        return CheckResult(self.name, TimestampStatus.UNVERIFIED, reason="seen")


class OrderedDownloads:
    """Begins an attempt only when the one before has delivered."""

    def __init__(self, pipeline: PipelineServices) -> None:
        self._house = pipeline

    @activity.defn(name="get_twitter_search_data")
    async def get_twitter_search_data(self, build: BuildSearch) -> SearchData:
        await until(lambda: all_delivered(self._house, build.goal))
        return await self._house.discovery.get_twitter_search_data(build)


async def searched(pipeline: PipelineServices, goal: Goal, reader: LateReader, attempts: int) -> Document:
    """The goal after so many attempts."""
    pipeline.clips._checker = reader
    others = [a for a in pipeline.activities() if a.__name__ != "get_twitter_search_data"]
    pace = make_pace(pipeline.queues, attempts_wanted=attempts, attempts_limit=attempts)
    async with running_worker(pipeline, others + activities_of(OrderedDownloads(pipeline))):
        ended: SearchSummary = await pipeline.temporal.execute_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, pace),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=pipeline.queues.main,
        )
        assert ended == SearchSummary(SearchState.FINISHED, attempts)
        await until(lambda: all_delivered(pipeline, goal))
        return await event_of(pipeline.database, goal)


async def all_delivered(pipeline: PipelineServices, goal: Goal) -> bool:
    """Every download that was recorded, also one that has not registered yet."""
    event = await event_of(pipeline.database, goal)
    recorded = (event.get("_telemetry") or {}).get("attempts") or {}
    return set(recorded) <= set(event["_delivered_workflows"])


def verdicts(event: Document) -> list[list[str | None]]:
    """Per attempt, what it said of its clips."""
    attempts = sorted(event["_telemetry"]["attempts"].values(), key=lambda attempt: attempt["attempt"])
    return [[clip.get("outcome") for clip in (attempt.get("clips") or {}).values()] for attempt in attempts]


async def test_a_candidate_that_could_not_be_checked_is_retried_and_ends_stored(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    outside.finds([outside.video(1)])
    event = await searched(pipeline, goal, LateReader(looks=1), attempts=3)
    assert verdicts(event) == [["vision_unavailable"], ["uploaded"], []]
    [link] = event["_discovered_videos"]
    assert (link["attempt"], link["source"], [one["bitrate"] for one in link["variants"]]) == (1, "x", [800_000])
    [clip] = event["_s3_videos"]
    assert clip["popularity"] == 1


async def test_a_candidate_that_never_gets_a_verdict_is_left_alone_after_three_tries(
    pipeline: PipelineServices, outside: OutsideServices
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    outside.finds([outside.video(1)])
    reader = LateReader(looks=99)
    event = await searched(pipeline, goal, reader, attempts=MAX_TRIES + 1)
    assert verdicts(event) == [["vision_unavailable"]] * MAX_TRIES + [[]]
    assert event["_s3_videos"] == []
    assert len(outside.asked[-1]["exclude"]) == 1
