"""Watches every published clip as a visitor of the page would: over HTTP, from the first picture to the last."""

import asyncio
import tempfile
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError

from found_footy.platform.errors import ExternalSystemError, NotFound
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.settings.addresses import host_and_port
from found_footy.views.field_readers import read_documents, read_text
from found_footy_sim.demo.local_http import request_json
from found_footy_sim.scorecard.watched_clips import WatchedClip

_STATUS_OK = 200
_MAX_CLIP_BYTES = 200 * 2**20
_DOWNLOAD_DEADLINE = timedelta(seconds=60)


async def watch_clips(page_url: str, fixture_ids: Iterable[int]) -> dict[str, WatchedClip]:
    """Watch the clips that the page offers for these fixtures, by clip id."""
    offered: dict[str, str] = {}
    for fixture_id in fixture_ids:
        offered |= await _list_clip_urls(page_url, fixture_id)
    host = host_and_port(page_url)
    http = SafeHttpClient(
        system=host,
        allowed_hosts={host},
        trusted_private={host},
        timeout=_DOWNLOAD_DEADLINE,
        max_bytes=_MAX_CLIP_BYTES,
    )
    try:
        with tempfile.TemporaryDirectory(prefix="found-footy-watched-") as folder:
            return {
                name: await _watch_clip(http, name, f"{page_url}{path}", Path(folder) / f"{number}.mp4")
                for number, (name, path) in enumerate(offered.items())
            }
    finally:
        await http.aclose()


async def _list_clip_urls(page_url: str, fixture_id: int) -> dict[str, str]:
    """Return the permanent addresses of a fixture's clips, none if the page does not know the fixture."""
    try:
        match: Any = await request_json("GET", f"{page_url}/api/v1/matches/{fixture_id}")
    except NotFound:
        return {}
    return {
        read_text(clip.get("clip_id")): read_text(clip.get("url"))
        for goal in read_documents(match.get("goals"))
        for clip in read_documents(goal.get("clips"))
    }


async def _watch_clip(http: SafeHttpClient, clip_id: str, url: str, target: Path) -> WatchedClip:
    try:
        got = await http.download(url, target, max_bytes=_MAX_CLIP_BYTES, deadline=_DOWNLOAD_DEADLINE)
    except ExternalSystemError as error:
        return WatchedClip(clip_id, fault=f"not fetched: {error}")
    if got.status != _STATUS_OK:
        return WatchedClip(clip_id, fault=f"the page answered {got.status}")
    try:
        frames = await asyncio.to_thread(count_frames, target)
    except FFmpegError as error:
        return WatchedClip(clip_id, got.md5, fault=f"not decoded: {error}")
    return WatchedClip(clip_id, got.md5, frames, "" if frames else "it has no picture")


def count_frames(file: Path) -> int:
    """Decode the whole video and count its pictures. Raises FFmpegError where that fails."""
    with av.open(str(file)) as container:
        return sum(1 for _ in container.decode(video=0)) if container.streams.video else 0
