"""Clips are fetched from the hosts that posts link to, and only from those."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from found_footy.clips.fetch.failures import FetchFailure
from found_footy.clips.fetch.hosts.lookup import ClipHostLookup
from found_footy.clips.fetch.hosts.table import HostMethod, HostRule, asked_hosts, file_hosts, generic_rules
from found_footy.clips.fetch.sources import FetchLimits, HostFailed, VideoDownloader
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.http.client import DownloadedFile, SafeHttpClient
from found_footy.platform.media.probe import MediaInfo, probe_media
from found_footy_sim.reddit.hosts import ClipHosts, ClipState
from tests.support.loopback_services import host_of, served
from tests.support.media.small_videos import mp4, sound_only
from tests.support.patience import PATIENCE

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
_ID = r"(?P<id>[A-Za-z0-9_-]{1,40})"


def rules_of(base: str) -> tuple[HostRule, ...]:
    """Rules like those of the table, for hosts on this machine."""
    here = (host_of(base),)
    return (
        HostRule(here, rf"/{_ID}/watch", HostMethod.PAGE, f"{base}/embed/{{id}}", here),
        HostRule(here, rf"/c/{_ID}", HostMethod.LIST, f"{base}/share/{{id}}", here),
        HostRule(here, rf"/e/{_ID}", HostMethod.STREAMABLE, f"{base}/videos/{{id}}", here),
        HostRule(here, rf"/d/{_ID}", HostMethod.FILE, f"{base}/cdn/{{id}}.mp4", here),
        HostRule(
            here,
            rf"/r/{_ID}",
            HostMethod.MANIFEST,
            f"{base}/dash/{{id}}/DASHPlaylist.mpd",
            here,
            f"{base}/dash/{{id}}/HLSPlaylist.m3u8",
        ),
        *generic_rules(here),
    )


@pytest.fixture
def hosts() -> ClipHosts:
    return ClipHosts(files={"abc": mp4()})


@pytest.fixture
def base(hosts: ClipHosts) -> Iterator[str]:
    with served(hosts.app) as url:
        yield url


@pytest.fixture
async def downloader(base: str) -> AsyncIterator[VideoDownloader]:
    rules = rules_of(base)
    async with AsyncExitStack() as stack:
        trusted = [host_of(base)]
        pages = SafeHttpClient(
            system="clip host", allowed_hosts=asked_hosts(rules), trusted_private=trusted, timeout=PATIENCE
        )
        files = SafeHttpClient(
            system="video host", allowed_hosts=file_hosts(rules), trusted_private=trusted, timeout=PATIENCE
        )
        stack.push_async_callback(pages.aclose)
        stack.push_async_callback(files.aclose)
        lookup = ClipHostLookup(pages, rules, lambda: NOW)
        yield VideoDownloader(files, FetchLimits(10**7, PATIENCE), (), lookup)


def a_link(url: str, age: timedelta = timedelta(minutes=1)) -> ClipCandidate:
    return ClipCandidate(
        "https://www.reddit.com/comments/1w1", "1w1", "fan", NOW - age, None, "", (VideoVariant(url),), "reddit"
    )


@pytest.mark.parametrize("path", ["/v/abc", "/abc/watch", "/c/abc", "/e/abc", "/d/abc", "/r/abc", "/cdn/abc.mp4"])
async def test_each_kind_of_host_leads_to_the_file(
    base: str, downloader: VideoDownloader, tmp_path: Path, path: str
) -> None:
    got = await downloader.download(a_link(f"{base}{path}"), tmp_path / "clip.mp4")
    assert isinstance(got, DownloadedFile), got
    assert (tmp_path / "clip.mp4").read_bytes() == mp4()


@pytest.mark.parametrize("path", ["/v/abc", "/c/abc", "/e/abc", "/d/abc", "/r/abc", "/abc/watch"])
async def test_a_clip_that_is_being_processed_is_tried_again(
    hosts: ClipHosts, base: str, downloader: VideoDownloader, tmp_path: Path, path: str
) -> None:
    hosts.states["abc"] = ClipState.PROCESSING
    with pytest.raises(HostFailed):
        await downloader.download(a_link(f"{base}{path}"), tmp_path / "clip.mp4")
    hosts.states.clear()
    assert isinstance(await downloader.download(a_link(f"{base}{path}"), tmp_path / "clip.mp4"), DownloadedFile)


@pytest.mark.parametrize("path", ["/v/abc", "/c/abc", "/e/abc", "/d/abc", "/r/abc", "/abc/watch"])
async def test_a_clip_without_a_file_is_gone_once_its_post_is_old(
    hosts: ClipHosts, base: str, downloader: VideoDownloader, tmp_path: Path, path: str
) -> None:
    hosts.states["abc"] = ClipState.GONE
    got = await downloader.download(a_link(f"{base}{path}", timedelta(minutes=6)), tmp_path / "clip.mp4")
    assert isinstance(got, FetchFailure)
    assert got.outcome is ClipOutcome.DOWNLOAD_DELETED


@pytest.mark.parametrize(
    "link", ["https://streamff.com.example/v/abc", "https://user@dropr.co/v/abc", "ftp://dropr.co/v/abc", "https://[x"]
)
async def test_other_hosts_are_not_contacted(downloader: VideoDownloader, tmp_path: Path, link: str) -> None:
    got = await downloader.download(a_link(link), tmp_path / "clip.mp4")
    assert isinstance(got, FetchFailure)
    assert (got.outcome, got.transient) == (ClipOutcome.BAD_URL, False)


async def test_a_redirect_into_the_private_network_is_refused(
    hosts: ClipHosts, base: str, downloader: VideoDownloader, tmp_path: Path
) -> None:
    hosts.states["abc"] = ClipState.MOVED
    got = await downloader.download(a_link(f"{base}/v/abc"), tmp_path / "clip.mp4")
    assert isinstance(got, FetchFailure)
    assert got.outcome is ClipOutcome.BAD_URL


@pytest.mark.parametrize("has_manifests", [True, False], ids=["manifest", "playlist"])
async def test_a_video_whose_sound_is_apart_is_joined_with_it(
    has_manifests: bool, hosts: ClipHosts, base: str, downloader: VideoDownloader, tmp_path: Path
) -> None:
    hosts.sounds["abc"], hosts.has_manifests = sound_only(), has_manifests
    got = await downloader.download(a_link(f"{base}/r/abc"), tmp_path / "clip.mp4")
    assert isinstance(got, DownloadedFile), got
    info = await probe_media(tmp_path / "clip.mp4")
    assert isinstance(info, MediaInfo), info
    assert (info.has_audio, info.size) == (True, got.size)
    assert got.size > len(mp4())


async def test_a_video_is_used_without_a_sound_that_is_no_sound(
    hosts: ClipHosts, base: str, downloader: VideoDownloader, tmp_path: Path
) -> None:
    hosts.sounds["abc"] = b"no sound"
    got = await downloader.download(a_link(f"{base}/r/abc"), tmp_path / "clip.mp4")
    assert isinstance(got, DownloadedFile), got
    assert (tmp_path / "clip.mp4").read_bytes() == mp4()


async def test_a_page_in_the_place_of_a_file_is_no_clip(
    hosts: ClipHosts, base: str, downloader: VideoDownloader, tmp_path: Path
) -> None:
    hosts.states["abc"] = ClipState.ABUSE
    got = await downloader.download(a_link(f"{base}/d/abc", timedelta(minutes=6)), tmp_path / "clip.mp4")
    assert isinstance(got, FetchFailure)
    assert got.outcome is ClipOutcome.DOWNLOAD_DELETED


async def test_a_host_that_ignores_that_only_the_start_is_wanted_has_the_file(base: str, tmp_path: Path) -> None:
    rules, trusted = rules_of(base), [host_of(base)]
    http = SafeHttpClient(
        system="clip host", allowed_hosts=trusted, trusted_private=trusted, timeout=PATIENCE, max_bytes=100
    )
    try:
        found = await ClipHostLookup(http, rules, lambda: NOW).fetch_variants(a_link(f"{base}/d/abc"))
    finally:
        await http.aclose()
    assert found == (VideoVariant(f"{base}/cdn/abc.mp4"),)
