"""Several sources are searched as one; none hides what another found, and none's outage loses a post."""

from dataclasses import replace
from datetime import timedelta

from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.messages import SearchState, SearchSummary
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.base import SourceRequest, SourceResult
from found_footy.discovery.sources.errors import Blocked, SessionExpired
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.ids import twitter_workflow_id
from found_footy.domain.messages import ClipCandidate, Goal, SearchGoal
from found_footy.platform.errors import ExternalSystemError, Unavailable
from found_footy.platform.mongo import Document
from tests.support.histories import record
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.services import PipelineServices, running_worker, until
from tests.support.steps import activities_of


class Place:
    """A source that fails as told, then finds each of its videos once."""

    def __init__(self, name: str, *videos: ClipCandidate, failures: list[ExternalSystemError] | None = None) -> None:
        self.name = name
        self.videos = list(videos)
        self.failures = failures or []
        self.asked: list[SourceRequest] = []
        self.cut_short: list[bool] = []

    async def find_candidates(self, request: SourceRequest) -> SourceResult:
        self.asked.append(request)
        if self.failures:
            raise self.failures.pop(0)
        cut_short = bool(self.cut_short and self.cut_short.pop(0))
        return SourceResult(
            tuple(video for video in self.videos if video.url not in request.known_urls), incomplete=cut_short
        )


def make_video(number: int, source: str) -> ClipCandidate:
    return ClipCandidate(f"https://{source}.example/{number}", str(number), "fan", None, 9.0, source=source)


def with_places(pipeline: PipelineServices, *places: Place) -> list[object]:
    main, *others = places
    stage = DiscoveryActivities(pipeline.discovery._store, main, DiscoverySettings(), other_sources=others)
    mine = activities_of(stage)
    return [*mine, *(a for a in pipeline.activities() if a.__name__ not in {m.__name__ for m in mine})]


async def searched(
    pipeline: PipelineServices, goal: Goal, *places: Place, kept: str = "", **pace: int
) -> tuple[SearchSummary, Document]:
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline, with_places(pipeline, *places)):  # type: ignore[arg-type]
        handle = await pipeline.temporal.start_workflow(
            TwitterWorkflow.run,
            SearchGoal(goal, make_pace(pipeline.queues, **pace)),
            id=twitter_workflow_id(goal.slug, goal.event_id),
            task_queue=pipeline.queues.main,
        )
        ended = await handle.result()
        if kept:
            await record(handle, kept)
        await until(lambda: all_delivered(pipeline, goal))
        return ended, await event_of(pipeline.database, goal)


async def all_delivered(pipeline: PipelineServices, goal: Goal) -> bool:
    event = await event_of(pipeline.database, goal)
    return set(event["_download_workflows"]) <= set(event["_delivered_workflows"])


async def test_what_every_source_found_is_taken_and_carries_its_source(pipeline: PipelineServices) -> None:
    x, bluesky = Place("x", make_video(1, "x")), Place("bluesky", make_video(2, "bluesky"))
    ended, event = await searched(pipeline, make_goal(), x, bluesky)
    assert ended == SearchSummary(SearchState.FINISHED, attempts=3)
    assert {link["source"]: link["attempt"] for link in event["_discovered_videos"]} == {"x": 1, "bluesky": 1}


async def test_a_failing_second_source_changes_nothing_and_is_recorded(pipeline: PipelineServices) -> None:
    x = Place("x", make_video(1, "x"))
    bluesky = Place("bluesky", failures=[Blocked("Bluesky", "closed")])
    ended, event = await searched(pipeline, make_goal(), x, bluesky)
    assert ended == SearchSummary(SearchState.FINISHED, attempts=3)
    attempts = {a["attempt"]: a["sources"] for a in event["_telemetry"]["attempts"].values()}
    assert attempts[1] == {"x": "answered", "bluesky": "Blocked: closed"}
    assert attempts[2] == {"x": "answered", "bluesky": "answered"}


async def test_while_the_main_source_fails_candidates_of_others_are_fetched_and_use_no_attempt(
    pipeline: PipelineServices,
) -> None:
    x = Place("x", make_video(1, "x"), failures=[SessionExpired("X search", "log in")] * 2)
    bluesky = Place("bluesky", make_video(2, "bluesky"))
    ended, event = await searched(pipeline, make_goal(), x, bluesky, kept="twitter-side-source")
    assert ended.state is SearchState.FINISHED
    assert {link["source"]: link["attempt"] for link in event["_discovered_videos"]} == {"bluesky": 0, "x": 1}
    extras = [name for name in event["_download_workflows"] if name.startswith("extra")]
    assert len(extras) == 1
    assert event["_telemetry"]["attempts"][extras[0]]["sources"]["x"] == "SessionExpired: log in"


def reaches_back(asked: list[SourceRequest], goal: Goal) -> list[bool]:
    """Which searches reached back to the goal; others begin where the last answer ended."""
    return [wanted.since == goal.first_seen - timedelta(minutes=2) for wanted in asked]


async def test_after_an_outage_a_source_is_searched_for_everything_since_its_last_answer(
    pipeline: PipelineServices,
) -> None:
    seen = make_goal()
    goal = replace(seen, first_seen=seen.first_seen - timedelta(minutes=20))
    x = Place("x")
    bluesky = Place("bluesky", failures=[Unavailable("Bluesky", "gone")] * 2)
    await searched(pipeline, goal, x, bluesky, attempts_wanted=4)
    assert reaches_back(x.asked, goal) == [True, False, False, False]
    assert reaches_back(bluesky.asked, goal) == [True, True, True, False]


async def test_a_backlog_is_recorded_at_once_and_fetched_by_several_attempts(pipeline: PipelineServices) -> None:
    goal = make_goal()
    x = Place("x", *(make_video(number, "x") for number in range(12)))
    _, event = await searched(pipeline, goal, x, clips_per_attempt=5, attempts_wanted=4)
    assert [link["attempt"] for link in event["_discovered_videos"]] == [1] * 12
    attempts = event["_telemetry"]["attempts"].values()
    assert sorted(len(attempt["links"]) for attempt in attempts) == [0, 2, 5, 5]
    assert reaches_back(x.asked, goal) == [True, False, False, False]


async def test_an_incomplete_search_is_repeated_for_the_same_period(pipeline: PipelineServices) -> None:
    goal = make_goal()
    x = Place("x", make_video(1, "x"))
    x.cut_short = [True]
    await searched(pipeline, goal, x)
    assert reaches_back(x.asked, goal) == [True, True, False]


async def test_sources_get_player_team_and_attempt(pipeline: PipelineServices) -> None:
    goal = make_goal()
    x = Place("x")
    await searched(pipeline, goal, x)
    assert x.asked[0].names == ("Florian", "Wirtz")
    assert x.asked[0].teams == ("Liverpool",)
    assert [wanted.priority.attempts for wanted in x.asked] == [0, 1, 2]
