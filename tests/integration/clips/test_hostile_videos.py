"""Whatever a post points to, the worst it can do is to be refused, with a reason that a person can read."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from found_footy.clips import activities
from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.fetcher import ClipFetcher, FetchLimits
from found_footy.clips.messages import DownloadResult
from found_footy.clips.settings import ClipSettings
from found_footy.domain.ids import clip_key, download_workflow_id, link_field_name, upload_workflow_id
from found_footy.domain.messages import DOWNLOAD_WORKFLOW, ClipCandidate, DownloadClips, Goal, VideoVariant
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.http.pinned_transport import resolve_host
from found_footy.platform.mongo import Document
from tests.support.clips.hostile_host import LARGEST, Host, hostile_host
from tests.support.media.small_videos import mp4
from tests.support.pipeline.goals import event_of, make_goal, make_pace, store_goals
from tests.support.pipeline.services import PipelineServices, running_worker

# address of the file ({here} is the host) → what becomes of it, and a word of the reason
VIDEOS: dict[str, tuple[str, str]] = {
    "http://169.254.169.254/latest/meta-data.mp4": ("bad_url", "not https"),
    "https://169.254.169.254/latest/meta-data.mp4": ("bad_url", "not an allowed host"),
    "https://[fd00:ec2::254]/latest/meta-data.mp4": ("bad_url", "not an allowed host"),
    "http://[::1]:{port}/good.mp4": ("bad_url", "not an allowed host"),
    "http://[::ffff:127.0.0.1]:{port}/good.mp4": ("bad_url", "not an allowed host"),
    "http://127.0.0.1:1/good.mp4": ("bad_url", "not"),
    "https://127.0.0.1/good.mp4": ("bad_url", "not an allowed host"),
    "http://2130706433:{port}/good.mp4": ("bad_url", "not an allowed host"),
    "http://0x7f000001:{port}/good.mp4": ("bad_url", "not an allowed host"),
    "http://0177.0.0.1:{port}/good.mp4": ("bad_url", "not a valid address"),
    "http://video.test@{here}/good.mp4": ("bad_url", "user name"),
    "https://{here}@video.test/good.mp4": ("bad_url", "user name"),
    "https://{here}\\@video.test/good.mp4": ("bad_url", "backslashes"),
    "http://video.test/good.mp4": ("bad_url", "not https"),
    "http://video.test:80/good.mp4": ("bad_url", "not https"),
    "HTTP://video.test:080/good.mp4": ("bad_url", "not https"),
    "https://video.test/good.mp4": ("bad_url", "not public"),
    "http://video.test:8080/good.mp4": ("bad_url", "default port"),
    "file:///etc/passwd.mp4": ("bad_url", "not http or https"),
    "ftp://{here}/good.mp4": ("bad_url", "not http or https"),
    "//{here}/good.mp4": ("bad_url", "not http or https"),
    "http://{here}/to-metadata.mp4": ("bad_url", "169.254.169.254"),
    "http://{here}/to-loopback.mp4": ("bad_url", "::1"),
    "http://{here}/to-file.mp4": ("bad_url", "not http or https"),
    "http://{here}/to-ftp.mp4": ("bad_url", "not http or https"),
    "http://{here}/to-itself.mp4": ("bad_url", "redirects"),
    "http://{here}/declared.mp4": ("filtered_size", "5000000000"),
    "http://{here}/endless.mp4": ("filtered_size", f"more than {LARGEST}"),
    "http://{here}/bomb.mp4": ("filtered_size", f"more than {LARGEST}"),
    "http://{here}/slow-headers.mp4": ("download_timeout", "not fetched within"),
    "http://{here}/slow-body.mp4": ("download_timeout", "not fetched within"),
    "http://{here}/page.mp4": ("download_failed", "not_video"),
    "http://{here}/half.mp4": ("download_failed", "truncated"),
    "http://{here}/cut.mp4": ("download_failed", "http://{here}/cut.mp4"),
    "http://{here}/hevc.mp4": ("unsupported_codec", "hevc"),
    "http://{here}/mpeg4.mp4": ("unsupported_codec", "mpeg4"),
    "http://{here}/svq1.mp4": ("unsupported_codec", "svq1"),
    "http://{here}/colours.mp4": ("unsupported_codec", "yuv444p"),
    "http://{here}/wide.mp4": ("filtered_size", "4200x4200"),
    "http://{here}/transport.mp4": ("download_failed", "corrupt"),
    "http://{here}/no-http.mp4": ("download_failed", "http://{here}/no-http.mp4"),
}
# Names that want to be paths, of posts whose file is good: they are only names.
NAMES = ["../../../../etc/passwd", "..%2f..%2fetc", "a\x00b", "/etc/passwd", "ä/ö\u202egpj.4pm", "n" * 4_096]


@dataclass(frozen=True)
class Scene:
    pipeline: PipelineServices
    host: Host
    cache: Path


@pytest.fixture
async def scene(pipeline: PipelineServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    """A worker whose fetcher may ask the hostile host, and a name that turns out to be this machine."""
    # How often a host is tried is told elsewhere, and takes its time.
    monkeypatch.setattr(activities, "HOST_MAX_ATTEMPTS", 1)

    async def resolve(name: str, port: int) -> list[str]:
        return ["127.0.0.1"] if name == "video.test" else await resolve_host(name, port)

    async with hostile_host() as host:
        http = SafeHttpClient(
            system="video host", allowed_hosts=[host.place, "video.test"], trusted_private=[host.place], resolve=resolve
        )
        limits = FetchLimits(LARGEST, timedelta(seconds=5))
        cache = tmp_path / "cache"
        pipeline.clips._fetcher = ClipFetcher(
            http, pipeline.objects, ClipCache(cache, 10**7), ClipSettings().rules, limits
        )
        yield Scene(pipeline, host, cache)
        await http.aclose()


def make_video(number: int, file: str, name: str = "fan") -> ClipCandidate:
    post = f"https://x.com/{name}/status/{number}"
    return ClipCandidate(post, name, name, datetime.now(UTC), 4.0, name, (VideoVariant(file, 800_000, 320, 180),))


async def downloaded(scene: Scene, goal: Goal, videos: list[ClipCandidate]) -> tuple[DownloadResult, Document]:
    pipeline = scene.pipeline
    await store_goals(pipeline.database, goal)
    async with running_worker(pipeline):
        ended: DownloadResult = await pipeline.temporal.execute_workflow(
            DOWNLOAD_WORKFLOW,
            DownloadClips(goal, make_pace(pipeline.queues), 1, tuple(videos)),
            id=download_workflow_id(goal.slug, goal.event_id, 1),
            task_queue=pipeline.queues.main,
            result_type=DownloadResult,
        )
        await pipeline.temporal.get_workflow_handle(upload_workflow_id(goal.event_id)).result()
    return ended, await event_of(pipeline.database, goal)


async def test_a_batch_of_hostile_videos_gives_its_one_good_clip_and_a_reason_for_every_other(scene: Scene) -> None:
    goal, here = make_goal(), {"here": scene.host.place, "port": scene.host.port}
    traps = [make_video(number, file.format(**here)) for number, file in enumerate(VIDEOS)]
    good = make_video(999, f"http://{scene.host.place}/good.mp4")
    ended, event = await downloaded(scene, goal, [*traps, good])
    reported = event["_telemetry"]["attempts"][download_workflow_id(goal.slug, goal.event_id, 1)]["clips"]
    for trap, (file, (outcome, words)) in zip(traps, VIDEOS.items(), strict=True):
        note = reported[link_field_name(trap.url)]
        assert note["outcome"] == outcome, (file, note)
        assert words.format(**here) in note["reason"], (file, note)
    assert (ended.accepted, reported[link_field_name(good.url)]["outcome"]) == (1, "uploaded")
    assert scene.host.asked.count("/good.mp4") == 1
    await only_one_clip_is_anywhere(scene, event)


async def test_names_that_look_like_paths_are_taken_literally(scene: Scene) -> None:
    goal = make_goal()
    file = f"http://{scene.host.place}/good.mp4"
    videos = [make_video(number, file, name) for number, name in enumerate(NAMES)]
    ended, event = await downloaded(scene, goal, videos)
    assert ended.accepted == len(NAMES)
    [clip] = event["_s3_videos"]
    assert {video.url for video in videos} <= set(clip["_sources"])
    await only_one_clip_is_anywhere(scene, event)


async def only_one_clip_is_anywhere(scene: Scene, event: Document) -> None:
    """In the store under its goal, and on this machine's disk under its digest."""
    [clip] = event["_s3_videos"]
    fixture = int(event["_event_id"].partition("_")[0])
    videos = [found.key async for found in scene.pipeline.objects.list() if found.key.endswith(f"{clip['md5']}.mp4")]
    assert videos == [clip_key(fixture, event["_event_id"], clip["md5"])]
    every = [found.key async for found in scene.pipeline.objects.list()]
    assert all(clip["md5"] in key for key in every), every
    left = [path for path in scene.cache.rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in left] == [mp4(1)]
