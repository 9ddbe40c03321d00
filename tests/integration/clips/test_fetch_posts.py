"""Where the search named no file, or one that is gone, the post is asked what its files are now."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from found_footy.clips.fetch.cache import ClipCache
from found_footy.clips.fetch.fetcher import ClipFetcher, FetchLimits, HostFailed
from found_footy.clips.fetch.syndication.client import SyndicationClient
from found_footy.clips.messages import CandidateNote, ClipFile, FetchCandidate
from found_footy.clips.settings import ClipSettings
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.objects import ObjectStore
from found_footy_sim.x import InMemoryPosts, VideoRendition, XPost, XSite, XVideo, make_snowflake
from found_footy_sim.x.posts import PostVisibility
from tests.support.loopback_services import host_of, served
from tests.support.media.small_videos import mp4
from tests.support.patience import PATIENCE
from tests.support.pipeline.goals import make_goal
from tests.support.pipeline.outside import OutsideServices

GOAL = make_goal()
POSTED = datetime(2026, 11, 15, 15, 41, 7, tzinfo=UTC)
ID, OTHER = make_snowflake(POSTED, 1), make_snowflake(POSTED, 2)


@pytest.fixture
def site() -> Iterator[tuple[XSite, str]]:
    site = XSite(InMemoryPosts())
    with served(site.app) as base:
        yield site, base


class Machine:
    """A fetcher with the simulated site to ask about posts, and the outside world to fetch files from."""

    def __init__(self, outside: OutsideServices, site: tuple[XSite, str], fetcher: Callable[..., ClipFetcher]) -> None:
        self.outside = outside
        self.site, _ = site
        self._fetcher = fetcher

    def posts(self, *files: str, tweet_id: str = ID, **changes: Any) -> None:
        """A post whose videos are these files, one rendition each."""
        videos = tuple(self._video(file) for file in files)
        self.post_list.add(XPost(tweet_id, "fan", "what a goal", POSTED, videos, **changes))

    @property
    def post_list(self) -> InMemoryPosts:
        assert isinstance(self.site.source, InMemoryPosts)
        return self.site.source

    def _video(self, *files: str) -> XVideo:
        return XVideo(ID, tuple(VideoRendition(f"{self.outside.base}{file}", 800_000, 320, 180) for file in files))

    async def fetch(self, video: ClipCandidate, **limits: Any) -> ClipFile | CandidateNote:
        return await self._fetcher(**limits).fetch(FetchCandidate(GOAL, video))

    async def fetched(self, video: ClipCandidate, **limits: Any) -> ClipFile:
        clip = await self.fetch(video, **limits)
        assert isinstance(clip, ClipFile), clip
        return clip

    @property
    def asked(self) -> int:
        return self.site.requests["syndication"]


@pytest.fixture
async def machine(
    objects: ObjectStore, outside: OutsideServices, site: tuple[XSite, str], tmp_path: Path
) -> AsyncIterator[Machine]:
    async with AsyncExitStack() as stack:

        def a_client(place: str) -> SafeHttpClient:
            http = SafeHttpClient(system="video host", allowed_hosts=[place], trusted_private=[place])
            stack.push_async_callback(http.aclose)
            return http

        def a_fetcher(**limits: Any) -> ClipFetcher:
            given = replace(FetchLimits(max_bytes=1_000_000, deadline=PATIENCE), **limits)
            lookups = [SyndicationClient(a_client(host_of(site[1])), site[1], retry_delay=timedelta(0))]
            cache = ClipCache(tmp_path, 10_000_000)
            return ClipFetcher(a_client(outside.host), objects, cache, ClipSettings().rules, given, lookups)

        yield Machine(outside, site, a_fetcher)


def link(*variants: VideoVariant, tweet_id: str = ID, place: str = "", source: str = "x") -> ClipCandidate:
    url = f"https://x.com/fan/status/{tweet_id}{place}"
    return ClipCandidate(url, tweet_id, "fan", POSTED, 4.0, variants=variants, source=source)


async def test_a_link_without_files_is_fetched_from_what_its_post_names(machine: Machine) -> None:
    machine.outside.files = {"/1.mp4": mp4(1)}
    machine.posts("/1.mp4")
    clip = await machine.fetched(link(source="manual"))
    assert clip.source_url == link().url
    assert (machine.outside.fetched, machine.asked) == (["/1.mp4"], 1)


async def test_a_retry_requests_neither_the_file_nor_the_post_again(machine: Machine) -> None:
    machine.outside.files = {"/1.mp4": mp4(1)}
    machine.posts("/1.mp4")
    first = await machine.fetched(link())
    assert await machine.fetched(link()) == first
    assert (machine.outside.fetched, machine.asked) == (["/1.mp4"], 1)


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_a_file_that_has_moved_is_fetched_from_its_new_address(machine: Machine, status: int) -> None:
    machine.outside.files = {"/new.mp4": mp4(1)}
    machine.outside.statuses = {"/old.mp4": [status]}
    machine.posts("/new.mp4")
    await machine.fetched(link(VideoVariant(f"{machine.outside.base}/old.mp4")))
    assert (machine.outside.fetched, machine.asked) == (["/old.mp4", "/new.mp4"], 1)


async def test_a_file_that_the_post_still_names_is_not_requested_twice(machine: Machine) -> None:
    machine.posts("/1.mp4")
    note = await machine.fetch(link(VideoVariant(f"{machine.outside.base}/1.mp4")))
    assert isinstance(note, CandidateNote)
    assert (note.outcome, note.reason) == (ClipOutcome.DOWNLOAD_DELETED, "status 404; the post has no other file")
    assert (machine.outside.fetched, machine.asked) == (["/1.mp4"], 1)


async def test_files_that_are_there_need_no_post(machine: Machine) -> None:
    machine.outside.files = {"/1.mp4": mp4(1)}
    await machine.fetched(link(VideoVariant(f"{machine.outside.base}/1.mp4")))
    assert machine.asked == 0


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_temporary_failure_of_a_host_does_not_look_the_post_up(machine: Machine, status: int) -> None:
    machine.outside.statuses = {"/1.mp4": [status]}
    with pytest.raises(HostFailed):
        await machine.fetch(link(VideoVariant(f"{machine.outside.base}/1.mp4")))
    assert machine.asked == 0


async def test_each_video_of_a_post_is_fetched_by_its_own_address(machine: Machine) -> None:
    machine.outside.files = {"/1.mp4": mp4(1), "/2.mp4": mp4(2)}
    machine.posts("/1.mp4", "/2.mp4")
    first, second = await machine.fetched(link()), await machine.fetched(link(place="/video/2"))
    assert first.md5 != second.md5
    assert machine.outside.fetched == ["/1.mp4", "/2.mp4"]


async def test_a_post_that_only_quotes_a_video_gives_that_one(machine: Machine) -> None:
    machine.outside.files = {"/quoted.mp4": mp4(1)}
    quoted = XPost(OTHER, "source", "the goal", POSTED, (machine._video("/quoted.mp4"),))
    machine.posts(quoted=quoted)
    await machine.fetched(link())
    assert machine.outside.fetched == ["/quoted.mp4"]


STANDINGS = [
    (PostVisibility.TOMBSTONE, ClipOutcome.DOWNLOAD_DELETED, "deleted by the Post author"),
    (PostVisibility.SUSPENDED, ClipOutcome.DOWNLOAD_DELETED, "suspended"),
    (PostVisibility.UNAVAILABLE, ClipOutcome.DOWNLOAD_FAILED, "without an account"),
    (None, ClipOutcome.DOWNLOAD_DELETED, "no such post"),
]


@pytest.mark.parametrize(("standing", "outcome", "words"), STANDINGS)
async def test_a_post_that_is_gone_is_noted_with_its_reason_and_leaves_nothing(
    machine: Machine, objects: ObjectStore, standing: PostVisibility | None, outcome: ClipOutcome, words: str
) -> None:
    if standing is not None:
        machine.posts("/1.mp4", visibility=standing)
    note = await machine.fetch(link())
    assert isinstance(note, CandidateNote)
    assert note.outcome is outcome
    assert words in note.reason
    assert [found.key async for found in objects.list()] == []


async def test_a_post_may_name_the_same_hosts_as_a_search(machine: Machine) -> None:
    for number, file in enumerate(("https://169.254.169.254/a.mp4", "http://video.twimg.com/a.mp4", "file:///a.mp4")):
        tweet_id = make_snowflake(POSTED, 10 + number)
        video = XVideo("1", (VideoRendition(file, 800_000, 320, 180),))
        machine.post_list.add(XPost(tweet_id, "fan", "what a goal", POSTED, (video,)))
        note = await machine.fetch(link(tweet_id=tweet_id))
        assert isinstance(note, CandidateNote)
        assert note.outcome is ClipOutcome.BAD_URL
    assert machine.outside.fetched == []


async def test_only_posts_on_x_are_looked_up(machine: Machine) -> None:
    for video in (link(source="bluesky"), link(tweet_id="3l3abcdefgh2k"), link(tweet_id="../../etc/passwd")):
        note = await machine.fetch(video)
        assert isinstance(note, CandidateNote)
        assert note.outcome is ClipOutcome.BAD_URL
    assert machine.asked == 0


async def test_a_file_that_declares_too_large_a_size_is_replaced_by_the_next_smaller(machine: Machine) -> None:
    large, small = mp4(1, width=640, height=360), mp4(1)
    assert len(large) > len(small)
    machine.outside.files = {"/large.mp4": large, "/small.mp4": small}
    base = machine.outside.base
    reported = [VideoVariant(f"{base}/large.mp4", 1, 640, 360), VideoVariant(f"{base}/small.mp4", 0, 320, 180)]
    clip = await machine.fetched(link(*reported), max_bytes=len(small))
    assert (clip.width, machine.outside.fetched) == (320, ["/large.mp4", "/small.mp4"])


async def test_a_file_that_will_be_too_large_is_not_requested(machine: Machine) -> None:
    machine.outside.files = {"/large.mp4": mp4(2), "/small.mp4": mp4(1)}
    base = machine.outside.base
    reported = [
        VideoVariant(f"{base}/large.mp4", 20_000_000, 640, 360),
        VideoVariant(f"{base}/small.mp4", 100, 320, 180),
    ]
    await machine.fetched(link(*reported))
    assert machine.outside.fetched == ["/small.mp4"]


async def test_a_pointer_of_another_version_is_rewritten(machine: Machine, objects: ObjectStore) -> None:
    machine.outside.files = {"/1.mp4": mp4(1)}
    machine.posts("/1.mp4")
    first = await machine.fetched(link())
    [pointer] = [found.key async for found in objects.list("scratch/") if "/sources/" in found.key]
    for wrong in (b'{"md5": "x", "unknown": 1}', b"[", b"7"):
        await objects.put_bytes(pointer, wrong, content_type="application/json")
        assert await machine.fetched(link()) == first
    assert machine.asked == 4
