"""`add-clip` with the address of a post on X: the post is looked up, and each of its videos ends stored."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from found_footy import activities_factory
from found_footy.app import AppContext
from found_footy.archive.moderation.audit_log import AUDIT
from found_footy.cli import add_clip, console
from found_footy.discovery.sources.manual import ManualClipService
from found_footy.discovery.store import DiscoveryStore
from found_footy.domain.messages import ClipCandidate, Goal, TaskQueues
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import BadInput, ExternalSystemError, Unavailable
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.settings import Settings, load_settings
from found_footy.worker import find_activities
from found_footy_sim.x import InMemoryPosts, VideoRendition, XPost, XSite, XVideo, make_snowflake
from tests.support.loopback_services import host_of, served
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.outside import OutsideServices
from tests.support.pipeline.services import PipelineServices, running_worker, until

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
POSTED = NOW - timedelta(minutes=3)
ID = make_snowflake(POSTED, 1)
PAGE = f"https://x.com/fan/status/{ID}"


@pytest.fixture
def site() -> Iterator[tuple[InMemoryPosts, str]]:
    post_list = InMemoryPosts()
    with served(XSite(post_list).app) as base:
        yield post_list, base


@pytest.fixture
def settings(
    platform: PlatformEndpoints,
    database: Database,
    objects: ObjectStore,
    queues: TaskQueues,
    outside: OutsideServices,
    site: tuple[InMemoryPosts, str],
    tmp_path: Path,
) -> Settings:
    """As a person would set them, with a simulated X and a simulated video host."""
    environ = {
        "FOOTY_DATA_DIR": str(tmp_path),
        "MONGODB_URI": platform.mongodb_uri,
        "MONGODB_DATABASE": database.name,
        "TEMPORAL_ADDRESS": platform.temporal_address,
        "S3_ENDPOINT": platform.s3_endpoint,
        "S3_ACCESS_KEY": platform.s3_access_key,
        "S3_SECRET_KEY": platform.s3_secret_key,
        "S3_BUCKET": objects.bucket,
        "FOOTY_QUEUES__MAIN": queues.main,
        "FOOTY_QUEUES__MEDIA": queues.media,
        "FOOTY_QUEUES__VISION": queues.vision,
        "FOOTY_PACE__UPLOAD_IDLE": "200ms",
        "FOOTY_CLIPS__SYNDICATION_URL": site[1],
        "FOOTY_CLIPS__VIDEO_HOSTS": outside.host,
        "FOOTY_TRUSTED_HOSTS": f"{outside.host},{host_of(site[1])}",
        "FOOTY_VISION__READER": "accept-all",
    }
    return load_settings(environ).settings


def a_post(outside: OutsideServices, *files: str, **changes: Any) -> XPost:
    videos = tuple(
        XVideo(str(number), (VideoRendition(f"{outside.base}{file}", 800_000, 320, 180),), duration_ms=4_000)
        for number, file in enumerate(files)
    )
    return XPost(ID, "fan", "what a goal", POSTED, videos, **changes)


async def is_delivered(pipeline: PipelineServices, goal: Goal) -> bool:
    return bool((await event_of(pipeline.database, goal))["_delivered_workflows"])


async def test_the_command_stores_every_video_of_a_post(
    pipeline: PipelineServices,
    outside: OutsideServices,
    site: tuple[InMemoryPosts, str],
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    outside.files = {"/1.mp4": mp4(1, width=640, height=360), "/2.mp4": mp4(7)}
    site[0].add(a_post(outside, "/1.mp4", "/2.mp4"))
    async with (
        activities_factory.build_activities(
            AppContext(settings, pipeline.database, pipeline.objects, pipeline.temporal)
        ) as served_here,
        running_worker(pipeline, find_activities(*served_here)),
    ):
        assert (
            await add_clip.add_clip(settings, goal.event_id, f"https://twitter.com/i/web/status/{ID}", "Ann")
            == console.OK
        )
        await until(lambda: is_delivered(pipeline, goal))
        event = await event_of(pipeline.database, goal)
    assert {link["url"] for link in event["_discovered_videos"]} == {PAGE, f"{PAGE}/video/2"}
    sources = {source for clip in event["_s3_videos"] for source in clip["_sources"]}
    assert {PAGE, f"{PAGE}/video/2"} <= sources
    assert sorted(outside.fetched) == ["/1.mp4", "/2.mp4"]
    assert PAGE in capsys.readouterr().out
    line = await pipeline.database[AUDIT].find_one()
    assert line is not None
    assert (line["by"], line["what"], line["event_id"], line["state"]) == ("Ann", "add-clip", goal.event_id, "done")


class PostLookup:
    """Posts by their id, or the error of the lookup."""

    def __init__(self, *videos: ClipCandidate, error: Exception | None = None) -> None:
        self._videos, self._error = videos, error

    async def fetch_post_videos(self, tweet_id: str) -> tuple[ClipCandidate, ...]:
        if self._error:
            raise self._error
        return self._videos


@pytest.fixture
async def goal(pipeline: PipelineServices) -> Goal:
    goal = make_goal()
    await store_goals(pipeline.database, goal)
    return goal


async def added(pipeline: PipelineServices, goal: Goal, url: str, x: PostLookup) -> list[str]:
    manual = ManualClipService(
        DiscoveryStore(pipeline.database), pipeline.temporal, make_pace(pipeline.queues), None, x
    )
    result = await manual.add_clip(goal.event_id, url, NOW)
    await pipeline.temporal.get_workflow_handle(result.download_id).terminate("the test is over")
    return [video.url for video in result.videos]


def videos(*places: str) -> PostLookup:
    return PostLookup(*(ClipCandidate(f"{PAGE}{place}", ID, "fan", POSTED, 4.0) for place in places))


async def test_an_address_with_a_video_number_adds_that_video_alone(pipeline: PipelineServices, goal: Goal) -> None:
    both = videos("", "/video/2")
    assert await added(pipeline, goal, f"{PAGE}/video/2", both) == [f"{PAGE}/video/2"]
    assert await added(pipeline, goal, f"{PAGE}/video/1?s=20", both) == [PAGE]
    assert await added(pipeline, goal, PAGE, both) == [PAGE, f"{PAGE}/video/2"]
    links = (await event_of(pipeline.database, goal))["_discovered_videos"]
    assert {(link["url"], link["source"]) for link in links} == {(PAGE, "manual"), (f"{PAGE}/video/2", "manual")}


async def test_a_post_that_cannot_be_looked_up_now_is_added_unseen(pipeline: PipelineServices, goal: Goal) -> None:
    out: ExternalSystemError = Unavailable("X embeds", "status 503")
    assert await added(pipeline, goal, PAGE, PostLookup(error=out)) == [PAGE]


async def test_a_post_without_a_video_stores_nothing(pipeline: PipelineServices, goal: Goal) -> None:
    with pytest.raises(BadInput, match="no video"):
        await added(pipeline, goal, PAGE, PostLookup(error=BadInput("the post has no video")))
    assert (await event_of(pipeline.database, goal))["_discovered_videos"] == []
