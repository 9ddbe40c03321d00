"""One look at the goals with open links that are due: what is taken up, what waits, and what spoils nothing else."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from temporalio.service import RPCError, RPCStatusCode

from found_footy.archive.upload_workflow import UploadWorkflow
from found_footy.discovery.candidates.retries import DOWNLOAD_START_GRACE
from found_footy.discovery.messages import PlannedRetries, PostponeRetries, RetryRequest, RetryTime
from found_footy.discovery.retry_activities import RetryActivities
from found_footy.discovery.store import DiscoveryStore
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import link_field_name, upload_workflow_id
from found_footy.domain.messages import Goal, PipelinePace, StartUpload
from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database, Document
from tests.support.pipeline.goals import complete_fixture, event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.services import PipelineServices, utc_now

URL = "https://x.com/fan/status/2089000000000000001"
ORDER = RetryRequest(PipelinePace())
HOUR = timedelta(hours=1)


def moment(ago: timedelta) -> datetime:
    """MongoDB keeps milliseconds."""
    return (utc_now() - ago).replace(microsecond=0)


def silent(download_id: str) -> dict[str, Any]:
    """Telemetry of a download that has this link and has not told."""
    return {"attempts": {download_id: {"searched_at": moment(HOUR), "links": [URL]}}}


async def open_link(database: Database, goal: Goal, due: datetime, **fields: Any) -> None:
    link = {"url": URL, "attempt": 1}
    await store_goals(database, goal, _discovered_videos=[link], _open_links=[URL], _retry_at=due, **fields)


async def test_an_unreadable_goal_does_not_delay_another(pipeline: PipelineServices) -> None:
    broken, whole, due = make_goal(), make_goal(), moment(HOUR)
    await open_link(pipeline.database, broken, due, _slug="?", team=None)
    await open_link(pipeline.database, whole, due)
    taken_up = await pipeline.retries.take_up_open_links(ORDER)
    assert [download.work.goal.event_id for download in taken_up.downloads] == [whole.event_id]
    assert taken_up.failed == 1
    assert (await event_of(pipeline.database, broken))["_retry_at"] > utc_now()
    assert (await event_of(pipeline.database, broken))["_open_links"] == [URL]


class FailingStore(DiscoveryStore):
    """MongoDB fails when one goal is read."""

    async def find_fixture(self, event_id: str) -> Document | None:
        if event_id == self.lost:
            raise Unavailable("MongoDB", "gone")
        return await super().find_fixture(event_id)

    async def postpone_retry(self, event_id: str, until: datetime) -> bool:
        raise Unavailable("MongoDB", "gone")

    lost = ""


async def test_a_recorded_download_is_started_although_mongodb_fails_meanwhile(pipeline: PipelineServices) -> None:
    """It would wait for its next turn, which may be hours away."""
    first, second = make_goal(), make_goal()
    await open_link(pipeline.database, first, moment(2 * HOUR))
    await open_link(pipeline.database, second, moment(HOUR))
    store = FailingStore(pipeline.database)
    store.lost = second.event_id
    taken_up = await RetryActivities(store, pipeline.temporal, utc_now).take_up_open_links(ORDER)
    assert [download.work.goal.event_id for download in taken_up.downloads] == [first.event_id]
    assert taken_up.failed == 1


class SilentTemporal:
    """A Temporal that does not answer."""

    def get_workflow_handle(self, workflow_id: str) -> "SilentTemporal":
        return self

    async def describe(self) -> Mapping[str, Any]:
        raise RPCError("nobody there", RPCStatusCode.UNAVAILABLE, b"")


async def test_no_download_is_considered_ended_while_temporal_does_not_answer(pipeline: PipelineServices) -> None:
    goal = make_goal()
    await open_link(pipeline.database, goal, moment(HOUR), _telemetry=silent("download1"))
    temporal: Any = SilentTemporal()
    retries = RetryActivities(DiscoveryStore(pipeline.database), temporal, utc_now)
    assert await retries.take_up_open_links(ORDER) == PlannedRetries(failed=1)


async def test_a_clip_that_waits_in_the_queue_of_its_goal_is_not_fetched_again(pipeline: PipelineServices) -> None:
    goal, due = make_goal(), moment(HOUR)
    await open_link(pipeline.database, goal, due, _telemetry=silent("download1"))
    queue = await pipeline.temporal.start_workflow(
        UploadWorkflow.run,
        StartUpload(goal, make_pace(pipeline.queues)),
        id=upload_workflow_id(goal.event_id),
        task_queue=pipeline.queues.main,
    )
    assert not (await pipeline.retries.take_up_open_links(ORDER)).downloads
    event = await event_of(pipeline.database, goal)
    assert (event["_open_links"], event["_retry_at"] > utc_now()) == ([URL], True)
    await queue.terminate("lost")
    await pipeline.database[FixtureCollection.ACTIVE].update_one(
        {"_id": goal.fixture_id}, {"$set": {"events.0._retry_at": due}}
    )
    assert len((await pipeline.retries.take_up_open_links(ORDER)).downloads) == 1


async def test_goals_that_have_waited_longest_come_first_wherever_they_are_and_not_too_many(database: Database) -> None:
    store, active, recent, finished, later = (
        DiscoveryStore(database),
        make_goal(),
        make_goal(),
        make_goal(),
        make_goal(),
    )
    await open_link(database, finished, moment(2 * HOUR))
    await complete_fixture(database, finished)
    await open_link(database, recent, moment(HOUR))
    await open_link(database, active, moment(3 * HOUR))
    await open_link(database, later, moment(-HOUR))
    waiting = [active.event_id, finished.event_id, recent.event_id]
    assert await store.find_goals_due_for_retry(utc_now(), 10) == waiting
    assert await store.find_goals_due_for_retry(utc_now(), 1) == waiting[:1]
    assert await store.find_goals_due_for_retry(utc_now(), 2) == waiting[:2]
    await database[FixtureCollection.ACTIVE].update_one(
        {"_id": active.fixture_id}, {"$push": {"events": {"_event_id": "another", "_retry_at": moment(-HOUR)}}}
    )
    assert await store.find_goals_due_for_retry(utc_now(), 10) == waiting


async def test_a_planned_retry_is_kept_and_not_moved_forward_when_a_candidate_is_opened_meanwhile(
    database: Database,
) -> None:
    store, goal, due = DiscoveryStore(database), make_goal(), moment(HOUR)
    await open_link(database, goal, due)
    assert not await store.end_retries(goal)
    await store.postpone_retry(goal.event_id, due - HOUR)
    assert (await event_of(database, goal))["_retry_at"] == due
    await store.settle_candidates(goal, [URL])
    assert await store.end_retries(goal)
    assert "_retry_at" not in await event_of(database, goal)


async def test_a_download_that_was_recorded_and_never_started_is_started_within_minutes(
    pipeline: PipelineServices,
) -> None:
    """As after a worker's death, although the pause between two tries is hours by now."""
    goal, now = make_goal(), utc_now()
    reported = {link_field_name(URL): {"url": URL, "outcome": "vision_unavailable"}}
    rounds = {
        f"extraretry{n}": {"searched_at": moment(n * HOUR), "links": [URL], "clips": reported} for n in range(1, 10)
    }
    await open_link(pipeline.database, goal, moment(HOUR), _telemetry={"attempts": rounds})
    retries = RetryActivities(DiscoveryStore(pipeline.database), pipeline.temporal, lambda: now)
    [lost] = (await retries.take_up_open_links(ORDER)).downloads
    assert lost.next_at == now + ORDER.pace.retry_longest
    now += DOWNLOAD_START_GRACE + timedelta(seconds=1)
    [again] = (await retries.take_up_open_links(ORDER)).downloads
    assert again.download_id != lost.download_id
    await retries.postpone_open_links(PostponeRetries((RetryTime(goal.event_id, again.next_at),)))
    now += HOUR
    assert await retries.take_up_open_links(ORDER) == PlannedRetries()


async def test_short_pauses_are_kept(pipeline: PipelineServices) -> None:
    goal, pace = make_goal(), PipelinePace(retry_first=timedelta(seconds=3))
    await open_link(pipeline.database, goal, moment(HOUR))
    [download] = (await pipeline.retries.take_up_open_links(RetryRequest(pace))).downloads
    assert (await event_of(pipeline.database, goal))["_retry_at"] <= download.next_at
