"""Fetch a posted video, once: from its host into the scratch area of the object store, checked on the way."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from found_footy.clips.cache import ClipCache, md5_of
from found_footy.clips.cache_keeper import Blocked, none_blocked
from found_footy.clips.decoding import blamed_on_the_file, outcome_of
from found_footy.clips.fetch_refusal import Refusal
from found_footy.clips.fetch_source import FetchLimits, HostFailed, Lookup, VideoSource
from found_footy.clips.messages import ClipFile, ClipNote, FetchVideo
from found_footy.clips.variants import expected_bytes
from found_footy.model.handoff import Goal
from found_footy.model.ids import clip_key, scratch_key, scratch_preview_key, scratch_thumbnail_key
from found_footy.model.outcome import ClipOutcome, Retry
from found_footy.model.screening import Rules, objection
from found_footy.platform.disk import DiskFloor, FloorRule
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.platform.http import Downloaded, SafeHttp
from found_footy.platform.media import MediaInfo, Unusable, prepare
from found_footy.platform.media_boxes import missing_bytes
from found_footy.platform.media_reference import decoder_works
from found_footy.platform.objects import SYSTEM, ObjectStore

__all__ = ["ClipFetcher", "FetchLimits", "HostFailed"]

_LONGEST_POINTER = 10_000
# A file as it came, as it plays, and in the scratch area, which may be on the same disk.
_COPIES = 3


class ClipFetcher:
    """What cannot be used is a note with its reason. HostFailed, DecoderFailed, or an error of our own disk or store
    is worth another try. DiskLow is one of the latter: `disk` has too little free space for another file.

    `lookups` tell the files of a post where the search did not, or not any more.
    """

    def __init__(
        self,
        http: SafeHttp,
        objects: ObjectStore,
        cache: ClipCache,
        rules: Rules,
        limits: FetchLimits,
        lookups: Sequence[Lookup] = (),
        blocked: Blocked = none_blocked,
        disk: DiskFloor | None = None,
    ) -> None:
        self._disk = disk or DiskFloor((), FloorRule(0, 0))
        self._max_bytes = limits.max_bytes
        self._source = VideoSource(http, limits, lookups)
        self._objects = objects
        self._cache = cache
        self._rules = rules
        self._blocked = blocked

    async def fetch(self, wanted: FetchVideo) -> ClipFile | ClipNote:
        """A clip that an earlier try has already put into the scratch area is not fetched again."""
        if (clip := await self._fetched_before(wanted.goal, wanted.video.url)) is not None:
            return _taken_down(wanted) if await self._is_blocked(clip.md5) else clip
        need = _COPIES * expected_bytes(wanted.video, self._max_bytes)
        async with self._disk.taking(need), self._cache.workspace() as folder:
            got = await self._source.obtain(wanted.video, folder / "source.mp4")
            if isinstance(got, Refusal):
                return ClipNote(wanted.video.url, got.outcome, got.reason)
            return await self._kept(wanted, got, folder)

    async def local(self, goal: Goal, clip: ClipFile) -> Path:
        """The clip's file on this machine, from wherever it is nearest. NotFound if it is nowhere or was taken down,
        Unavailable if what the store gives is not the clip.
        """
        if await self._is_blocked(clip.md5):
            await self._cache.forget(clip.md5)
            raise NotFound(f"clip {clip.md5} was taken down")
        if (kept := await self._cache.kept(clip.md5, clip.file_size)) is not None:
            return kept
        async with self._cache.workspace() as folder:
            key = await self.whereabouts(goal, clip)
            await self._objects.get_file(key, folder / "clip.mp4")
            if await asyncio.to_thread(md5_of, folder / "clip.mp4") != clip.md5:
                raise Unavailable(SYSTEM, f"{key} came with other bytes than were stored")
            return await self._cache.adopt(folder / "clip.mp4", clip.md5)

    async def decoder_works(self) -> bool:
        """Whether this machine can decode a clip of our own now."""
        async with self._cache.workspace() as folder:
            return await decoder_works(folder)

    async def _is_blocked(self, md5: str) -> bool:
        return bool(await self._blocked([md5]))

    async def whereabouts(self, goal: Goal, clip: ClipFile) -> str:
        """The key of the clip's object: scratch, or its final place if another attempt got there first."""
        for key in (clip.scratch_key, clip_key(goal.fixture_id, goal.event_id, clip.md5)):
            found = await self._objects.head(key)
            if found is not None and found.size == clip.file_size:
                return key
        raise NotFound(f"clip {clip.md5} is neither in the scratch area nor archived")

    async def forget_source(self, goal: Goal, url: str) -> None:
        await self._objects.delete(_pointer_key(goal, url))

    async def _fetched_before(self, goal: Goal, url: str) -> ClipFile | None:
        try:
            clip = _pointed_to(await self._objects.get_bytes(_pointer_key(goal, url), limit=_LONGEST_POINTER))
            if clip is not None:
                await self.whereabouts(goal, clip)
        except NotFound:
            return None
        return clip

    async def _kept(self, wanted: FetchVideo, got: Downloaded, folder: Path) -> ClipFile | ClipNote:
        source, made = folder / "source.mp4", folder / "made"
        await asyncio.to_thread(made.mkdir)  # apart from the source, which the decoder cannot change then
        playable, thumbnail, preview = made / "clip.mp4", made / "clip.jpg", made / "preview.mp4"
        prepared = await prepare(source, thumbnail=thumbnail, playable=playable, preview=preview)
        if isinstance(prepared, Unusable):
            why = blamed_on_the_file(prepared)
            return ClipNote(wanted.video.url, outcome_of(why.fault), f"{why.fault}: {why.detail}")
        if missing := await asyncio.to_thread(missing_bytes, source):
            reason = f"cut short: {missing} bytes are missing"
            return ClipNote(wanted.video.url, ClipOutcome.DOWNLOAD_FAILED, reason, retry=Retry.FEW)
        info = prepared.info
        broken = objection(info.duration, info.width, info.height, self._rules)
        if broken is not None:
            return ClipNote(wanted.video.url, broken.outcome, broken.reason)
        final, md5 = (playable, await asyncio.to_thread(md5_of, playable)) if prepared.remuxed else (source, got.md5)
        if await self._is_blocked(md5):
            return _taken_down(wanted)
        clip = _described(wanted, info, md5, final.stat().st_size)
        await self._store(wanted.goal, clip, final, thumbnail, preview if prepared.previewed else None)
        return clip

    async def _store(self, goal: Goal, clip: ClipFile, file: Path, thumbnail: Path, preview: Path | None) -> None:
        """The pointer comes last: it promises that the rest is there."""
        picture, loop = scratch_thumbnail_key(clip.scratch_key), scratch_preview_key(clip.scratch_key)
        await self._objects.put_file(picture, thumbnail, content_type="image/jpeg")
        if preview is not None:
            await self._objects.put_file(loop, preview, content_type="video/mp4")
        await self._objects.put_file(clip.scratch_key, file, content_type="video/mp4")
        await self._cache.adopt(file, clip.md5)
        pointer = json.dumps(asdict(clip)).encode()
        key = _pointer_key(goal, clip.source_url)
        await self._objects.put_bytes(key, pointer, content_type="application/json")


def _taken_down(wanted: FetchVideo) -> ClipNote:
    return ClipNote(wanted.video.url, ClipOutcome.BLOCKED, "it was taken down")


def _pointed_to(pointer: bytes) -> ClipFile | None:
    """None for a pointer that another version of us wrote, which is then written anew."""
    try:
        return ClipFile(**json.loads(pointer))
    except (ValueError, TypeError):
        return None


def _described(wanted: FetchVideo, info: MediaInfo, md5: str, size: int) -> ClipFile:
    return ClipFile(
        md5=md5,
        scratch_key=scratch_key(wanted.goal.event_id, md5),
        source_url=wanted.video.url,
        width=info.width,
        height=info.height,
        duration=info.duration,
        file_size=size,
        bitrate=info.bitrate,
        fps=info.fps,
    )


def _pointer_key(goal: Goal, url: str) -> str:
    return f"scratch/{goal.event_id}/sources/{hashlib.sha256(url.encode()).hexdigest()[:32]}.json"
