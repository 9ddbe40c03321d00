"""Clips are watched through the page: fetched over HTTP by the address it gives, and decoded to the end."""

import hashlib

import pytest

from found_footy_sim.demo.clip_watcher import watch_clips
from found_footy_sim.scorecard.watched_clips import WatchedClip, find_watch_fault
from tests.support.media.small_videos import sound_only
from tests.support.web import matchday
from tests.support.web.page import PageData
from tests.support.web.page_videos import video

CLIP_ID = "5000_40_234_Goal_1-aaaaaaaa"


async def watched(address: str) -> WatchedClip:
    seen = await watch_clips(address, [5000, 5001])
    assert list(seen) == [CLIP_ID]
    return seen[CLIP_ID]


async def test_a_clip_is_fetched_and_decoded_to_its_last_picture(address: str, page_data: PageData) -> None:
    content = video(2.0, fps=12)
    await page_data.store_playable(content=content)
    digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
    assert await watched(address) == WatchedClip(CLIP_ID, digest, 24, "")


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"not a video", "not decoded: "), (video(2.0)[:2000], "not decoded: "), (sound_only(), "it has no picture")],
)
async def test_a_file_that_does_not_play_is_a_fault(
    content: bytes, fault: str, address: str, page_data: PageData
) -> None:
    await page_data.store_playable(content=content)
    assert (await watched(address)).fault.startswith(fault)


async def test_a_file_that_is_gone_is_a_fault(address: str, page_data: PageData) -> None:
    stored = await page_data.store_playable()
    await page_data.objects.delete(stored["events"][0]["_s3_videos"][0]["_s3_key"])
    assert (await watched(address)).fault == "the page answered 404"


async def test_a_clip_that_the_page_does_not_offer_cannot_be_watched(address: str, page_data: PageData) -> None:
    await page_data.store_fixture(matchday.fixture(5000, events=[matchday.goal(5000)]))
    seen = await watch_clips(address, [5000])
    assert find_watch_fault(seen, CLIP_ID) == "the page does not offer it"
    assert find_watch_fault(None, CLIP_ID) == ""
