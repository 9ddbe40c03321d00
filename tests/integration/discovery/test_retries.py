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
from tests.support.pipeline.goals import a_goal, a_pace, event_of, store_goals
from tests.support.pipeline.outside import Outside
from tests.support.pipeline.services import House, activities_of, at_work, until


class OutFor:
    """A reader that is out for its first looks."""

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


class Patient:
    """Begins an attempt only when the one before has delivered."""

    def __init__(self, house: House) -> None:
        self._house = house

    @activity.defn(name="get_twitter_search_data")
    async def get_twitter_search_data(self, build: BuildSearch) -> SearchData:
        await until(lambda: all_delivered(self._house, build.goal))
        return await self._house.discovery.get_twitter_search_data(build)


async def searched(house: House, goal: Goal, reader: OutFor, attempts: int) -> Document:
    """The goal after so many attempts."""
    house.clips._checker = reader
    others = [a for a in house.activities() if a.__name__ != "get_twitter_search_data"]
    pace = a_pace(house.queues, attempts_wanted=attempts, attempts_limit=attempts)
    async with at_work(house, others + activities_of(Patient(house))):
        ended: SearchSummary = await house.temporal.execute_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, pace),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=house.queues.main,
        )
        assert ended == SearchSummary(SearchState.FINISHED, attempts)
        await until(lambda: all_delivered(house, goal))
        return await event_of(house.database, goal)


async def all_delivered(house: House, goal: Goal) -> bool:
    event = await event_of(house.database, goal)
    return set(event["_download_workflows"]) <= set(event["_delivered_workflows"])


def verdicts(event: Document) -> list[list[str | None]]:
    """Per attempt, what it said of its clips."""
    attempts = sorted(event["_telemetry"]["attempts"].values(), key=lambda attempt: attempt["attempt"])
    return [[clip.get("outcome") for clip in (attempt.get("clips") or {}).values()] for attempt in attempts]


async def test_a_link_that_nobody_could_look_at_is_taken_up_again_and_ends_stored(
    house: House, outside: Outside
) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    outside.finds([outside.video(1)])
    event = await searched(house, goal, OutFor(looks=1), attempts=3)
    assert verdicts(event) == [["vision_unavailable"], ["uploaded"], []]
    [link] = event["_discovered_videos"]
    assert (link["attempt"], link["source"], [one["bitrate"] for one in link["variants"]]) == (1, "x", [800_000])
    [clip] = event["_s3_videos"]
    assert clip["popularity"] == 1


async def test_a_link_that_never_comes_to_a_verdict_is_left_alone_after_three_tries(
    house: House, outside: Outside
) -> None:
    goal = a_goal()
    await store_goals(house.database, goal)
    outside.files = {"/1.mp4": mp4(1)}
    outside.finds([outside.video(1)])
    reader = OutFor(looks=99)
    event = await searched(house, goal, reader, attempts=MAX_TRIES + 1)
    assert verdicts(event) == [["vision_unavailable"]] * MAX_TRIES + [[]]
    assert event["_s3_videos"] == []
    assert len(outside.asked[-1]["exclude"]) == 1
