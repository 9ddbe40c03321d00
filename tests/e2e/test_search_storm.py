"""Twelve goals at once, while browsers die, sessions expire and limits are hit: no attempt is lost, none is wasted.

Four accounts, because one may make 40 search calls in a quarter of an hour and no setting raises that: 12 goals with
their ten attempts need 120, and what goes wrong needs some too.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio.client import Client, WorkflowHandle

from found_footy.discovery.activities import DiscoveryActivities
from found_footy.discovery.messages import SearchState, SearchSummary
from found_footy.discovery.settings import DiscoverySettings
from found_footy.discovery.sources.x_service import XSearchPool
from found_footy.discovery.store import DiscoveryStore
from found_footy.discovery.twitter_workflow import TwitterWorkflow
from found_footy.domain.collections import FixtureCollection
from found_footy.domain.ids import GoalSlug, download_workflow_id, twitter_workflow_id
from found_footy.domain.messages import Goal, SearchGoal, TaskQueues
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.mongo import Database, Document
from found_footy.platform.objects import ObjectStore
from found_footy_sim.x import InMemoryPosts, VideoRendition, XPost, XSiteMode, XVideo, make_snowflake
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import make_goal, make_pace, store_goals
from tests.support.pipeline.outside import OutsideServices, serve_outside
from tests.support.pipeline.services import PipelineServices, open_pipeline, running_worker
from tests.support.xsearch.search_accounts import XAccount, x_accounts

Condition = Callable[[], bool | Awaitable[bool]]
Eventually = Callable[[Condition, float], Awaitable[bool]]
Handle = WorkflowHandle[TwitterWorkflow, SearchSummary]

ACCOUNTS = 4
ATTEMPTS = 10
# No two share a word of their names, so that no goal finds another's posts.
SCORERS = (
    "Florian Wirtz",
    "Bukayo Saka",
    "Erling Haaland",
    "Jamal Musiala",
    "Kylian Mbappé",
    "Vinícius Tobias",
    "Lautaro Martínez",
    "Viktor Gyökeres",
    "Cody Gakpo",
    "Ousmane Dembélé",
    "Rasmus Højlund",
    "Heung-Min Son",
)
LONG_AGO = timedelta(minutes=40)
PATIENCE = 120.0


@dataclass
class Storm:
    """The goals, who searches for them, and every word that was ever said about why a search waits."""

    pipeline: PipelineServices
    accounts: Sequence[XAccount]
    goals: Sequence[Goal]
    post_list: InMemoryPosts
    outside: OutsideServices
    reported: dict[str, set[str]] = field(default_factory=dict)

    def post(self, goal: Goal, number: int, age: timedelta = timedelta(0)) -> str:
        """A post about the goal; its video is at /{number}.mp4. Returns the author."""
        at = datetime.now(UTC) - age
        order = self.goals.index(goal) * 10 + number
        rendition = VideoRendition(f"{self.outside.base}/{number}.mp4", 800_000, 320, 180)
        video = XVideo(str(2_000_000_000_000_000_000 + order), (rendition,), duration_ms=4_000)
        author = f"fan{order}"
        self.post_list.add(
            XPost(make_snowflake(at, order), author, f"GOAL {goal.player_name} {goal.team_name}", at, (video,))
        )
        return author

    async def events(self) -> dict[str, Document]:
        """The goals as they are stored, by id; what they say about their search is noted on the way."""
        rows = self.pipeline.database[FixtureCollection.ACTIVE].find({})
        events = {event["_event_id"]: event async for row in rows for event in row["events"]}
        for event_id, event in events.items():
            self.reported.setdefault(event_id, set()).add(_state(event))
        return events

    async def all_have(self, attempts: int) -> bool:
        return all(len(event["_download_workflows"]) >= attempts for event in (await self.events()).values())

    async def all_say(self, state: SearchState) -> bool:
        return all(_state(event) == state for event in (await self.events()).values())

    async def outcomes(self) -> Counter[str]:
        """How all searches ended, over all services."""
        counts: Counter[str] = Counter()
        for account in self.accounts:
            counts.update(await account.outcomes())
        return counts


def _state(event: Document) -> str:
    return str((event.get("_search_state") or {}).get("state", "searching"))


def goals_of_four_matches() -> list[Goal]:
    fixtures = [uuid4().int % 10**12 for _ in range(4)]
    goals = [make_goal(order + 1, fixtures[order % 4]) for order in range(len(SCORERS))]
    return [
        replace(goal, player_name=scorer, slug=GoalSlug.from_goal(goal.team_name, scorer, 23, None))
        for goal, scorer in zip(goals, SCORERS, strict=True)
    ]


@pytest.fixture
def post_list() -> InMemoryPosts:
    return InMemoryPosts()


@pytest.fixture
def accounts(post_list: InMemoryPosts, tmp_path: Path) -> Iterator[list[XAccount]]:
    with x_accounts(ACCOUNTS, post_list, tmp_path) as all_accounts:
        yield all_accounts


@pytest.fixture
async def storm(
    database: Database,
    objects: ObjectStore,
    temporal: Client,
    queues: TaskQueues,
    accounts: list[XAccount],
    post_list: InMemoryPosts,
    tmp_path: Path,
) -> AsyncIterator[Storm]:
    """Everything is in place, everyone is logged in, and nobody works yet."""
    with serve_outside() as outside:
        outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2)}
        async with (
            open_pipeline(database, objects, temporal, queues, outside, tmp_path / "cache") as pipeline,
            searching_with(pipeline, accounts) as searching,
        ):
            storm = Storm(searching, accounts, goals_of_four_matches(), post_list, outside)
            await log_everyone_in(storm)
            yield storm


@asynccontextmanager
async def searching_with(pipeline: PipelineServices, accounts: Sequence[XAccount]) -> AsyncIterator[PipelineServices]:
    hosts = [account.host for account in accounts]
    http = SafeHttpClient(system="X search", allowed_hosts=hosts, trusted_private=hosts, timeout=timedelta(seconds=90))
    pool = XSearchPool(http, [account.base for account in accounts], cooldown=timedelta(seconds=1))
    try:
        yield replace(
            pipeline, discovery=DiscoveryActivities(DiscoveryStore(pipeline.database), pool, DiscoverySettings())
        )
    finally:
        await http.aclose()


async def log_everyone_in(storm: Storm) -> None:
    states = await asyncio.gather(*(account.log_in() for account in storm.accounts))
    assert states == ["authenticated"] * ACCOUNTS


@pytest.mark.storm
async def test_every_goal_gets_its_ten_attempts_through_the_storm(storm: Storm, eventually: Eventually) -> None:
    for fixture_id in {goal.fixture_id for goal in storm.goals}:
        await store_goals(storm.pipeline.database, *(goal for goal in storm.goals if goal.fixture_id == fixture_id))
    for goal in storm.goals:
        storm.post(goal, 1)
        # Half of what a search sees is old, so it reads one page and no more.
        storm.post(goal, 3, LONG_AGO)
        storm.post(goal, 4, LONG_AGO)
    async with running_worker(storm.pipeline):
        searches = [await start(storm, goal) for goal in storm.goals]
        await eventually(lambda: storm.all_have(2), PATIENCE)
        await a_browser_is_killed_in_the_middle_of_a_search(storm, eventually)
        await eventually(lambda: storm.all_have(4), PATIENCE)
        await every_session_expires_and_somebody_logs_in_again(storm, eventually)
        await eventually(lambda: storm.all_have(6), PATIENCE)
        await every_account_reaches_its_limit_for_a_while(storm, eventually)
        await eventually(lambda: all_are_complete(storm), PATIENCE)
        ended = await asyncio.gather(*(search.result() for search in searches))
    assert ended == [SearchSummary(SearchState.FINISHED, ATTEMPTS)] * len(storm.goals)
    for goal in storm.goals:
        await assert_ten_attempts_and_both_clips(storm, goal)
    await assert_that_every_attempt_was_a_search_that_worked(storm)


async def start(storm: Storm, goal: Goal) -> Handle:
    pace = make_pace(
        storm.pipeline.queues, attempts_wanted=ATTEMPTS, attempts_limit=15, attempt_spacing=timedelta(seconds=2)
    )
    return await storm.pipeline.temporal.start_workflow(
        TwitterWorkflow.run,
        SearchGoal(goal, pace),
        id=twitter_workflow_id(goal.slug, goal.event_id),
        task_queue=storm.pipeline.queues.main,
    )


async def a_browser_is_killed_in_the_middle_of_a_search(storm: Storm, eventually: Eventually) -> None:
    victim = storm.accounts[0]
    victim.site.set_modes(XSiteMode.HELD)
    await eventually(victim.site.search_reached.is_set, PATIENCE)
    before = await victim.outcomes()
    victim.kill_browser()
    victim.site.release_search()

    async def searches_again() -> bool:
        return (await victim.outcomes())["ok"] > before["ok"]

    await eventually(searches_again, PATIENCE)
    assert (await victim.outcomes())["transient"] == 1
    assert (await victim.health())["browser"]["restarts"] == 1


async def every_session_expires_and_somebody_logs_in_again(storm: Storm, eventually: Eventually) -> None:
    for account in storm.accounts:
        account.be_logged_out()
    await eventually(lambda: storm.all_say(SearchState.SESSION_EXPIRED), PATIENCE)
    before = await storm.events()

    async def all_have_tried_again() -> bool:
        now = await storm.events()
        return all(now[goal]["_search_state"]["at"] > event["_search_state"]["at"] for goal, event in before.items())

    await eventually(all_have_tried_again, PATIENCE)
    for event_id, event in (await storm.events()).items():
        assert event["_download_workflows"] == before[event_id]["_download_workflows"]
        assert event["_telemetry"]["attempts"].keys() == before[event_id]["_telemetry"]["attempts"].keys()
        assert "log" in event["_search_state"]["detail"]
    for goal in storm.goals:
        storm.post(goal, 2)
    await log_everyone_in(storm)
    await eventually(lambda: storm.all_say(SearchState.SEARCHING), PATIENCE)


async def every_account_reaches_its_limit_for_a_while(storm: Storm, eventually: Eventually) -> None:
    """The site goes on refusing until every goal has been told to wait; then the next reset is the last one."""
    waiting: set[str] = set()

    async def all_have_been_told() -> bool:
        for account in storm.accounts:
            account.use_up(seconds=4)
        events = await storm.events()
        waiting.update(goal for goal, event in events.items() if _state(event) == SearchState.RATE_LIMITED)
        return len(waiting) == len(storm.goals)

    await eventually(all_have_been_told, PATIENCE)


async def all_are_complete(storm: Storm) -> bool:
    return all(event["_download_complete"] for event in (await storm.events()).values())


async def assert_ten_attempts_and_both_clips(storm: Storm, goal: Goal) -> None:
    event = (await storm.events())[goal.event_id]
    wanted = {download_workflow_id(goal.slug, goal.event_id, number + 1) for number in range(ATTEMPTS)}
    attempts = event["_telemetry"]["attempts"]
    assert set(event["_download_workflows"]) == set(event["_delivered_workflows"]) == set(attempts) == wanted
    assert sorted(attempt["attempt"] for attempt in attempts.values()) == list(range(1, ATTEMPTS + 1))
    assert all(attempt["sources"] == {"x": "answered"} for attempt in attempts.values())
    assert event["_completion_reason"] == "delivered"
    order = storm.goals.index(goal) * 10
    assert {link["author"] for link in event["_discovered_videos"]} == {f"fan{order + 1}", f"fan{order + 2}"}
    assert len(event["_s3_videos"]) == 2
    assert storm.reported[goal.event_id] >= {"session_expired", "rate_limited", "searching", "finished"}


async def assert_that_every_attempt_was_a_search_that_worked(storm: Storm) -> None:
    """By the services' own count: as many searches succeeded as attempts were spent, and each fault was met."""
    outcomes = await storm.outcomes()
    assert outcomes["ok"] == ATTEMPTS * len(storm.goals)
    assert outcomes["session_expired"] >= 1
    assert outcomes["rate_limited"] >= 1
    for account in storm.accounts:
        # A search costs one call of the budget, even though its page would like to make more.
        calls = account.site.requests["timeline"]
        assert calls <= sum((await account.outcomes()).values())
        assert calls <= (await account.health())["budget"]["limit"] == 40
